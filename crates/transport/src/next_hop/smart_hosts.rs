//! A connector's smart hosts, as they are written.
//!
//! Each is a host and a port; together they are one level, in which connections go round robin as among mail exchangers
//! of one preference. A name may have several addresses, all of which are targets. A mistake in this list is the
//! administrator's: mail waits for him, and no sender is told.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use weir_balance::Target;
use weir_units::Micros;

use super::answer::{AddressAnswer, Addresses};
use super::resolution::{Later, Level, Resolution, Targets};
use super::settings::{DnsFaultTolerance, ResolutionSettings};
use super::targets::dealt_out;
use crate::domain::Domain;

/// One smart host: `10.0.2.4:25`, `[2001:db8::1]:25`, `smart.example:587`; without a port it is 25.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmartHost {
    /// Where it is.
    pub at: SmartHostAt,
    /// The port.
    pub port: u16,
}

/// How a smart host is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SmartHostAt {
    /// By its address.
    Address(IpAddr),
    /// By a name that is looked up.
    Name(Domain),
}

/// Text that names no smart host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a host and a port, such as \"smart.example:25\" or \"[2001:db8::1]:25\"")]
pub struct SmartHostError {
    /// What was written.
    pub text: String,
}

/// The targets of a list of smart hosts, where `answer_of` says what the look-ups of names brought.
pub fn smart_hosts(
    list: &[SmartHost],
    answer_of: impl Fn(&Domain) -> AddressAnswer,
    settings: &ResolutionSettings,
) -> Resolution {
    let mut hosts = Vec::new();
    let mut failure = None;
    let mut ttl = settings.ttl_max;
    for host in list {
        let answer = match &host.at {
            SmartHostAt::Address(address) => {
                AddressAnswer::Addresses(Addresses { addresses: vec![*address], ttl: settings.ttl_max })
            }
            SmartHostAt::Name(name) => answer_of(name),
        };
        match answer {
            AddressAnswer::Addresses(found) => {
                ttl = ttl.min(found.ttl);
                hosts.push(host.targets(&found.addresses, settings));
            }
            AddressAnswer::None | AddressAnswer::NoSuchDomain => {}
            AddressAnswer::Failed(fault) => {
                failure.get_or_insert(Later::Addresses { host: host.to_string(), fault });
            }
        }
    }
    let strict = settings.dns_fault_tolerance == DnsFaultTolerance::Normal;
    let mut seen = BTreeSet::new();
    let mut targets = dealt_out(&hosts);
    targets.retain(|target| seen.insert(target.address));
    targets.truncate(settings.most_targets());
    match failure {
        Some(later) if strict || targets.is_empty() => Resolution::Later(later),
        None if targets.is_empty() => {
            let host = list.first().map_or_else(String::new, ToString::to_string);
            Resolution::Later(Later::SmartHost { host })
        }
        failure => {
            let holds_for = if failure.is_some() { Micros::ZERO } else { settings.holds_for(ttl) };
            Resolution::Targets(Targets { levels: vec![Level { preference: 0, targets }], holds_for })
        }
    }
}

impl SmartHost {
    fn targets(&self, addresses: &[IpAddr], settings: &ResolutionSettings) -> Vec<Target> {
        let usable =
            addresses.iter().map(IpAddr::to_canonical).filter(|address| settings.is_usable(*address));
        let name = self.to_string();
        usable.map(|address| Target::new(SocketAddr::new(address, self.port), &name)).collect()
    }
}

impl FromStr for SmartHost {
    type Err = SmartHostError;

    fn from_str(text: &str) -> Result<Self, SmartHostError> {
        let wrong = || SmartHostError { text: text.to_owned() };
        let is_digits = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let plain = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        if let Ok(address) = plain.parse::<IpAddr>() {
            return Ok(Self { at: SmartHostAt::Address(address), port: 25 });
        }
        if let Some(address) = socket_address(text) {
            let host = Self { at: SmartHostAt::Address(address.ip()), port: address.port() };
            return if host.port == 0 { Err(wrong()) } else { Ok(host) };
        }
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if is_digits(port) => (name, port.parse().map_err(|_| wrong())?),
            Some(_) => return Err(wrong()),
            None => (text, 25),
        };
        let name: Domain = name.parse().map_err(|_| wrong())?;
        let at = name.address().map_or(SmartHostAt::Name(name), SmartHostAt::Address);
        if port == 0 { Err(wrong()) } else { Ok(Self { at, port }) }
    }
}

impl fmt::Display for SmartHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            SmartHostAt::Address(address) => write!(f, "{}", SocketAddr::new(*address, self.port)),
            SmartHostAt::Name(name) => write!(f, "{name}:{}", self.port),
        }
    }
}

/// An address and a port; an IPv4 address may be in brackets, too.
fn socket_address(text: &str) -> Option<SocketAddr> {
    text.parse().ok().or_else(|| text.strip_prefix('[')?.replacen(']', "", 1).parse().ok())
}

#[cfg(test)]
mod tests;
