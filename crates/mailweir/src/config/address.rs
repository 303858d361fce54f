//! Network addresses, as kinds of values.
//!
//! A listener is an IP address and a port – names are not looked up when the configuration is read, so that a bad name
//! server cannot keep the gateway from starting – or `""`, which switches it off. Port 0 lets the system choose.

use std::net::SocketAddr;

use toml::de::DeValue;
use weir_directory::names::{check_domain, key};
use weir_gateway::remote::ServerUrl;
use weir_units::{AddressRange, AddressRangeError};

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
    type Value = ServerUrl;

    fn allowed(&self) -> String {
        "http:// or https:// address of a server".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<ServerUrl, String> {
        let text = text_of(written)?;
        let url = text.parse::<ServerUrl>().ok().filter(|url| url.ip().is_some() || names_a_host(url.host()));
        url.ok_or_else(|| {
            format!(
                "{text:?} is not the address of a server, such as \"https://192.0.2.10\" (without a path)"
            )
        })
    }

    fn write(&self, value: &ServerUrl) -> String {
        format!("\"{value}\"")
    }
}

/// What is asked of a web server: a path with its query.
pub(crate) struct UrlPath;

impl UrlPath {
    /// The longest path, in bytes.
    const MOST: usize = 1_000;
}

impl Kind for UrlPath {
    type Value = String;

    fn allowed(&self) -> String {
        "path of a URL".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<String, String> {
        let text = text_of(written)?;
        let good = text.starts_with('/')
            && text.len() <= Self::MOST
            && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
        good.then(|| text.to_owned()).ok_or_else(|| {
            format!("{text:?} is not the path of a URL, such as \"/owa/healthcheck.htm\"; encode what is not ASCII as %XX")
        })
    }

    fn write(&self, value: &String) -> String {
        format!("{value:?}")
    }
}

/// A domain, in lower case.
pub(crate) struct Domain;

impl Kind for Domain {
    type Value = String;

    fn allowed(&self) -> String {
        "domain".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<String, String> {
        let text = text_of(written)?;
        check_domain(text).map_err(|error| error.to_string())?;
        Ok(key(text))
    }

    fn write(&self, value: &String) -> String {
        format!("{value:?}")
    }
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

/// A range of addresses in CIDR form.
pub(crate) struct Cidr;

impl Kind for Cidr {
    type Value = AddressRange;

    fn allowed(&self) -> String {
        "CIDR range".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<AddressRange, String> {
        text_of(written)?.parse().map_err(|error: AddressRangeError| error.to_string())
    }

    fn write(&self, value: &AddressRange) -> String {
        format!("\"{value}\"")
    }
}
