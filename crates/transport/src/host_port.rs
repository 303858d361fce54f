//! A server by its host and port, as it is configured.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use crate::domain::Domain;

/// A host and a port: `10.0.2.4:25`, `[2001:db8::1]:25`, `smart.example:587`; without a port it is 25.
///
/// ```
/// use weir_transport::HostPort;
/// let host: HostPort = "Smart.Example".parse()?;
/// assert_eq!(host.to_string(), "smart.example:25");
/// # Ok::<(), weir_transport::HostPortError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostPort {
    /// The host.
    pub host: Host,
    /// The port.
    pub port: u16,
}

/// How a host is named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    /// By its address.
    Address(IpAddr),
    /// By a name that is looked up.
    Name(Domain),
}

/// Text that names no host and port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a host and a port, such as \"smart.example:25\" or \"[2001:db8::1]:25\"")]
pub struct HostPortError {
    /// What was written.
    pub text: String,
}

impl FromStr for HostPort {
    type Err = HostPortError;

    fn from_str(text: &str) -> Result<Self, HostPortError> {
        let wrong = || HostPortError { text: text.to_owned() };
        let is_digits = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let plain = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        if let Ok(address) = plain.parse::<IpAddr>() {
            return Ok(Self { host: Host::Address(address), port: 25 });
        }
        if let Some(address) = socket_address(text) {
            let host = Self { host: Host::Address(address.ip()), port: address.port() };
            return if host.port == 0 { Err(wrong()) } else { Ok(host) };
        }
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if is_digits(port) => (name, port.parse().map_err(|_| wrong())?),
            Some(_) => return Err(wrong()),
            None => (text, 25),
        };
        let name: Domain = name.parse().map_err(|_| wrong())?;
        let host = name.address().map_or(Host::Name(name), Host::Address);
        if port == 0 { Err(wrong()) } else { Ok(Self { host, port }) }
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Address(address) => write!(f, "{}", SocketAddr::new(*address, self.port)),
            Host::Name(name) => write!(f, "{name}:{}", self.port),
        }
    }
}

/// An address and a port; an IPv4 address may be in brackets, too.
fn socket_address(text: &str) -> Option<SocketAddr> {
    text.parse().ok().or_else(|| text.strip_prefix('[')?.replacen(']', "", 1).parse().ok())
}

#[cfg(test)]
mod tests;
