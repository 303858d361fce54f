//! Where a mailbox server answers: `https://mail.example.com/mapi/emsmdb`.
//!
//! The password goes along with every request, so that it is TLS or the loopback interface, and nothing else. There is
//! no switch for that.

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use hyper::Uri;

/// The path where none is given.
const USUAL_PATH: &str = "/mapi/emsmdb";

/// The URL of a mailbox server's MAPI endpoint.
///
/// ```
/// use weir_client::mapi::Endpoint;
/// let endpoint: Endpoint = "https://mail.example.com".parse()?;
/// assert_eq!(endpoint.to_string(), "https://mail.example.com/mapi/emsmdb");
/// # Ok::<(), weir_client::mapi::EndpointError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    secure: bool,
    /// A name or an address; one of IPv6 without its brackets.
    host: Box<str>,
    port: u16,
    path: Box<str>,
}

/// Why something is no endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// It is no URL.
    #[error("that is no URL of a server; write it as https://HOST or https://HOST/mapi/emsmdb")]
    NoUrl,
    /// Another scheme than the two.
    #[error("a server is reached by https://, or by http:// on this machine, and by nothing else")]
    Scheme,
    /// It has a user's name in it.
    #[error("a name or password in a URL ends up in logs; give them by themselves")]
    User,
}

impl Endpoint {
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

    /// Path and query.
    pub const fn path(&self) -> &str {
        &self.path
    }

    /// What a `Host` header says of it: no port where it is the scheme's own.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.to_string() };
        if self.port == usual_port(self.secure) { host } else { format!("{host}:{}", self.port) }
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let url = Uri::from_str(text).map_err(|_| EndpointError::NoUrl)?;
        let secure = match url.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) => return Err(EndpointError::Scheme),
            None => return Err(EndpointError::NoUrl),
        };
        let authority = url.authority().ok_or(EndpointError::NoUrl)?;
        if authority.as_str().contains('@') {
            return Err(EndpointError::User);
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let without_port = authority.as_str().ends_with(authority.host());
        let port = match authority.port_u16() {
            Some(port) if port > 0 => port,
            None if without_port => usual_port(secure),
            Some(_) | None => return Err(EndpointError::NoUrl),
        };
        if host.is_empty() {
            return Err(EndpointError::NoUrl);
        }
        let path = url.path_and_query().map_or("/", |path| path.as_str());
        let path = if path == "/" { USUAL_PATH } else { path };
        Ok(Self { secure, host: host.into(), port, path: path.into() })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

const fn usual_port(secure: bool) -> u16 {
    if secure { 443 } else { 80 }
}
