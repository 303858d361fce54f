//! Where one server of a remote origin is: `https://192.0.2.10`, `http://mail.example.com:8080`.
//!
//! Scheme, host and port, and nothing else: paths come from the clients, and a name or password in an address would
//! end up in logs.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use hyper::Uri;

/// One server's address, as the configuration names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerUrl {
    secure: bool,
    /// A name or an address; one of IPv6 without its brackets.
    host: Box<str>,
    port: u16,
}

/// Why something is no server's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerUrlError {
    /// It is no URL.
    #[error("a server is written as http://HOST, https://HOST or with :PORT behind, and this is not")]
    NoUrl,
    /// Another scheme than the two.
    #[error("a server is reached by http:// or https:// and nothing else")]
    Scheme,
    /// It goes on behind host and port.
    #[error("a server is host and port alone; paths come from the clients")]
    Path,
    /// It has a user's name in it.
    #[error("a server is host and port alone; names and passwords come from the clients")]
    User,
}

impl ServerUrl {
    /// Whether it is reached by TLS.
    pub const fn is_secure(&self) -> bool {
        self.secure
    }

    /// Its name or address; one of IPv6 without brackets.
    pub const fn host(&self) -> &str {
        &self.host
    }

    /// Its port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Its address, where it is named by one.
    pub fn ip(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    /// What a `Host` header says of it: no port where it is the scheme's own.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.to_string() };
        if self.port == usual_port(self.secure) { host } else { format!("{host}:{}", self.port) }
    }
}

impl FromStr for ServerUrl {
    type Err = ServerUrlError;

    fn from_str(text: &str) -> Result<Self, ServerUrlError> {
        let url = Uri::from_str(text).map_err(|_| ServerUrlError::NoUrl)?;
        let secure = match url.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) => return Err(ServerUrlError::Scheme),
            None => return Err(ServerUrlError::NoUrl),
        };
        let authority = url.authority().ok_or(ServerUrlError::NoUrl)?;
        if authority.as_str().contains('@') {
            return Err(ServerUrlError::User);
        }
        if url.path() != "/" && !url.path().is_empty() || url.query().is_some() {
            return Err(ServerUrlError::Path);
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let without_port = authority.as_str().ends_with(authority.host());
        let port = match authority.port_u16() {
            Some(port) if port > 0 => port,
            None if without_port => usual_port(secure),
            Some(_) | None => return Err(ServerUrlError::NoUrl),
        };
        if host.is_empty() {
            return Err(ServerUrlError::NoUrl);
        }
        Ok(Self { secure, host: host.into(), port })
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.secure { "https" } else { "http" }, self.authority())
    }
}

const fn usual_port(secure: bool) -> u16 {
    if secure { 443 } else { 80 }
}

#[cfg(test)]
mod tests;
