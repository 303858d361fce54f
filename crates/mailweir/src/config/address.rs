//! Network addresses, as kinds of values.
//!
//! A listener is an IP address and a port – names are not looked up when the configuration is read, so that a bad name
//! server cannot keep the gateway from starting – or `""`, which switches it off. Port 0 lets the system choose.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use toml::de::DeValue;

use super::kind::{Kind, text_of};

/// An address to bind, or `""` for none.
pub(crate) struct Listener;

impl Kind for Listener {
    type Value = Option<SocketAddr>;

    fn allowed(&self) -> String {
        "IP address and port, or \"\" for off".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<Self::Value, String> {
        match text_of(written)? {
            "" => Ok(None),
            _ => Bind.read(written).map(Some),
        }
    }

    fn write(&self, value: &Self::Value) -> String {
        value.map_or_else(|| "\"\"".to_owned(), |address| Bind.write(&address))
    }
}

/// An address to bind.
pub(crate) struct Bind;

impl Kind for Bind {
    type Value = SocketAddr;

    fn allowed(&self) -> String {
        "IP address and port".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<SocketAddr, String> {
        let text = text_of(written)?;
        let mistake = || {
            format!("{text:?} is not an IP address with a port, such as \"127.0.0.1:8080\" or \"[::1]:8080\"")
        };
        text.parse().map_err(|_| mistake())
    }

    fn write(&self, value: &SocketAddr) -> String {
        format!("\"{value}\"")
    }
}

/// A server to connect to: a name or an IP address, and a port.
pub(crate) struct HostPort;

impl Kind for HostPort {
    type Value = String;

    fn allowed(&self) -> String {
        "host and port".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<String, String> {
        let text = text_of(written)?;
        let known = text
            .rsplit_once(':')
            .filter(|(host, port)| names_a_host(host) && port.parse::<u16>().is_ok_and(|port| port > 0));
        known.map(|_| text.to_owned()).ok_or_else(|| {
            format!(
                "{text:?} is not a host with a port, such as \"192.0.2.10:143\" or \"mail.example.com:143\""
            )
        })
    }

    fn write(&self, value: &String) -> String {
        format!("{value:?}")
    }
}

/// A web server to connect to.
pub(crate) struct WebServer;

impl Kind for WebServer {
    type Value = String;

    fn allowed(&self) -> String {
        "http:// or https:// address of a server".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<String, String> {
        let text = text_of(written)?;
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let host = rest.map(|rest| rest.strip_suffix('/').unwrap_or(rest)).filter(|host| is_authority(host));
        host.map(|_| text.to_owned()).ok_or_else(|| {
            format!(
                "{text:?} is not the address of a server, such as \"https://192.0.2.10\" (without a path)"
            )
        })
    }

    fn write(&self, value: &String) -> String {
        format!("{value:?}")
    }
}

/// A host, with or without a port.
fn is_authority(text: &str) -> bool {
    names_a_host(text)
        || text.rsplit_once(':').is_some_and(|(host, port)| names_a_host(host) && port.parse::<u16>().is_ok())
}

/// A DNS name, an IPv4 address, or an IPv6 address in brackets.
fn names_a_host(text: &str) -> bool {
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    text.len() <= 253 && text.split('.').all(label)
}

/// A range of addresses that share their first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    address: IpAddr,
    bits: u8,
}

impl Range {
    /// The range that `text` means: `10.0.0.0/8`, or one address alone. No bit may be set behind the prefix, for that
    /// is where a slip of the hand shows.
    fn parse(text: &str) -> Result<Self, String> {
        let mistake =
            || format!("{text:?} is not a range of addresses, such as \"10.0.0.0/8\" or \"2001:db8::/32\"");
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| mistake())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| mistake()))?;
        if bits > most {
            return Err(format!("{text:?}: a prefix of {bits} bits is too long; at most {most}"));
        }
        let first = Self { address, bits }.first();
        if first == address {
            Ok(Self { address, bits })
        } else {
            Err(format!("{text:?} has bits set behind its prefix; write \"{first}/{bits}\""))
        }
    }

    /// The first address of the range.
    fn first(self) -> IpAddr {
        let bits = u32::from(self.bits);
        match self.address {
            IpAddr::V4(address) => {
                IpAddr::V4((address.to_bits() & u32::MAX.checked_shl(32 - bits).unwrap_or(0)).into())
            }
            IpAddr::V6(address) => {
                IpAddr::V6((address.to_bits() & u128::MAX.checked_shl(128 - bits).unwrap_or(0)).into())
            }
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// A [`Range`] in CIDR form.
pub(crate) struct Cidr;

impl Kind for Cidr {
    type Value = Range;

    fn allowed(&self) -> String {
        "CIDR range".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<Range, String> {
        Range::parse(text_of(written)?)
    }

    fn write(&self, value: &Range) -> String {
        format!("\"{value}\"")
    }
}
