//! Kinds of values that mail transport alone has.

use std::net::{IpAddr, SocketAddr};

use toml::de::DeValue;
use weir_transport::routing::{AddressSpace, SpaceError};
use weir_transport::{Domain, HostPort};
use weir_units::Micros;
use weir_wire::smtp::Mailbox;

use super::super::address;
use super::super::kind::{Count, Kind, Time, duration, text_of};

/// A duration, as the transport counts it.
pub(super) struct Span(pub(super) Time);

impl Span {
    /// Between `least` and `most` seconds.
    pub(super) const fn seconds(least: u64, most: u64) -> Self {
        Self(Time::seconds(least, most))
    }
}

impl Kind for Span {
    type Value = Micros;

    fn allowed(&self) -> String {
        self.0.allowed()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<Micros, String> {
        self.0.read(written).map(Micros::from)
    }

    fn write(&self, value: &Micros) -> String {
        self.0.write(&duration(*value))
    }
}

/// A number from 1 to `0`, or `"unlimited"`.
pub(super) struct Limit(pub(super) u32);

impl Kind for Limit {
    type Value = Option<u32>;

    fn allowed(&self) -> String {
        format!("{}, or \"unlimited\"", Count(1, self.0).allowed())
    }

    fn read(&self, written: &DeValue<'_>) -> Result<Self::Value, String> {
        match written.as_str() {
            Some("unlimited") => Ok(None),
            Some(_) | None => Count(1, self.0).read(written).map(Some),
        }
    }

    fn write(&self, value: &Self::Value) -> String {
        value.map_or_else(|| "\"unlimited\"".to_owned(), |count| count.to_string())
    }
}

/// A server of SMTP or LMTP.
pub(super) struct MailServer;

impl Kind for MailServer {
    type Value = HostPort;

    fn allowed(&self) -> String {
        address::HostPort.allowed()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<HostPort, String> {
        address::HostPort
            .read(written)?
            .parse()
            .map_err(|error: weir_transport::HostPortError| error.to_string())
    }

    fn write(&self, value: &HostPort) -> String {
        format!("\"{value}\"")
    }
}

/// A name server: its address, with a port unless that is 53.
pub(super) struct NameServer;

impl NameServer {
    const PORT: u16 = 53;
}

impl Kind for NameServer {
    type Value = SocketAddr;

    fn allowed(&self) -> String {
        "IP address, with a port unless it is 53".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<SocketAddr, String> {
        let text = text_of(written)?;
        let alone = text.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, Self::PORT));
        let server = alone.or_else(|_| text.parse()).ok().filter(|server| server.port() > 0);
        server.ok_or_else(|| {
            format!("{text:?} is not the address of a name server, such as \"192.0.2.53\" or \"[2001:db8::53]:5353\"")
        })
    }

    fn write(&self, value: &SocketAddr) -> String {
        format!("\"{value}\"")
    }
}

/// Domains with their cost.
pub(super) struct Space;

impl Kind for Space {
    type Value = AddressSpace;

    fn allowed(&self) -> String {
        "`domain`, `*.domain` or `*`, with a cost behind a semicolon".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<AddressSpace, String> {
        text_of(written)?.parse().map_err(|error: SpaceError| error.to_string())
    }

    fn write(&self, value: &AddressSpace) -> String {
        format!("\"{};{}\"", value.pattern, value.cost.count())
    }
}

/// What a server calls itself.
pub(super) struct HostName;

impl Kind for HostName {
    type Value = Domain;

    fn allowed(&self) -> String {
        "host name".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<Domain, String> {
        let text = text_of(written)?;
        let good = text.is_ascii().then(|| text.parse().ok()).flatten();
        good.ok_or_else(|| format!("{text:?} is not the name of a host, such as \"hub01.example.com\""))
    }

    fn write(&self, value: &Domain) -> String {
        format!("\"{value}\"")
    }
}

/// One address that mail is for.
pub(super) struct Address;

impl Kind for Address {
    type Value = Mailbox;

    fn allowed(&self) -> String {
        "address".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<Mailbox, String> {
        let text = text_of(written)?;
        text.parse().map_err(|why| format!("{text:?} is no address: {why}; write it as \"jane@example.com\""))
    }

    fn write(&self, value: &Mailbox) -> String {
        format!("\"{value}\"")
    }
}
