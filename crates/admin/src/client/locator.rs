//! Where the server is, and the token it wants.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use hyper::Uri;

use super::ClientError;
use crate::token::{ADDRESS_FILE, TOKEN_FILE, read_small};

/// A server's address and the token for it.
#[derive(Clone)]
pub struct Locator {
    address: String,
    told_by: String,
    token: String,
    token_file: PathBuf,
}

impl Locator {
    /// The server that runs on the data directory `data`, by the files that it wrote there.
    ///
    /// # Errors
    /// No server has written its address there, or a file cannot be read.
    pub fn find(data: &Path) -> Result<Self, ClientError> {
        let file = data.join(ADDRESS_FILE);
        let text = read_small(&file).map_err(|source| {
            if source.kind() == io::ErrorKind::NotFound {
                return ClientError::NotRunning { data: data.to_owned(), file: file.clone() };
            }
            ClientError::File { file: file.clone(), source }
        })?;
        let address = text.trim().parse::<SocketAddr>();
        let address = address.map_err(|_| ClientError::Empty { file: file.clone(), wanted: "address" })?;
        let told_by = format!("as {} says", file.display());
        Self::with_token(reachable(address).to_string(), told_by, data.join(TOKEN_FILE))
    }

    /// The server at `url`, `http://host:port`, with the token in `token_file`.
    ///
    /// # Errors
    /// The address is not of that form, or the file cannot be read.
    pub fn at(url: &str, token_file: &Path) -> Result<Self, ClientError> {
        let bad = |why| ClientError::BadUrl { url: url.to_owned(), why };
        let uri: Uri = url.parse().map_err(|_| bad("it is not well formed"))?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => return Err(bad("the API speaks plain HTTP")),
            Some(_) | None => return Err(bad("it does not begin with http://")),
        }
        if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
            return Err(bad("something follows the port"));
        }
        let host = uri.host().ok_or_else(|| bad("it names no host"))?;
        let port = uri.port_u16().ok_or_else(|| bad("it names no port"))?;
        Self::with_token(format!("{host}:{port}"), "as --server says".to_owned(), token_file.to_owned())
    }

    fn with_token(address: String, told_by: String, token_file: PathBuf) -> Result<Self, ClientError> {
        let text = read_small(&token_file)
            .map_err(|source| ClientError::File { file: token_file.clone(), source })?;
        let token = text.trim();
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ClientError::Empty { file: token_file, wanted: "token" });
        }
        Ok(Self { address, told_by, token: token.to_owned(), token_file })
    }

    /// Where to connect: `host:port`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Who named the address, for messages.
    pub(super) fn told_by(&self) -> String {
        self.told_by.clone()
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn token_file(&self) -> &Path {
        &self.token_file
    }
}

impl fmt::Debug for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Locator({}, token of {})", self.address, self.token_file.display())
    }
}

/// The address to connect to: a server that listens on every address is reached over loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}
