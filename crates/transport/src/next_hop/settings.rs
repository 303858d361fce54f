//! How names are made targets of.

use std::net::IpAddr;

use weir_balance::TARGETS_MAX;
use weir_units::Micros;

/// What a look-up that failed for the time being does to those that did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DnsFaultTolerance {
    /// The hosts that were found are used; only when none was, the mail waits.
    #[default]
    Lenient,
    /// The mail waits: a better host may be behind the failure.
    Normal,
}

/// What it means that the domain name system says no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DnsFailures {
    /// The sender is told at once.
    #[default]
    Bounce,
    /// The mail waits until it expires, as where the name servers are not to be trusted.
    Retry,
}

/// Which addresses are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Families {
    /// Both, in the order of the answer.
    #[default]
    Both,
    /// IPv4 alone.
    Ipv4,
    /// IPv6 alone.
    Ipv6,
}

/// How names are made targets of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResolutionSettings {
    /// What a failed look-up does to the others.
    pub dns_fault_tolerance: DnsFaultTolerance,
    /// What a definite no means.
    pub dns_failures: DnsFailures,
    /// Which addresses are used.
    pub families: Families,
    /// The port of mail exchangers.
    pub port: u16,
    /// The most hosts of one domain that are looked up; those of the worst preference are left out.
    pub mx_hosts: usize,
    /// The most targets of one next hop; at most [`TARGETS_MAX`].
    pub targets: usize,
    /// The shortest time that answers hold, whatever they say.
    pub ttl_min: Micros,
    /// The longest time that answers hold, whatever they say.
    pub ttl_max: Micros,
}

impl Default for ResolutionSettings {
    fn default() -> Self {
        Self {
            dns_fault_tolerance: DnsFaultTolerance::Lenient,
            dns_failures: DnsFailures::Bounce,
            families: Families::Both,
            port: 25,
            mx_hosts: 20,
            targets: 64,
            ttl_min: Micros::SECOND.times(30),
            ttl_max: Micros::MINUTE.times(60 * 24),
        }
    }
}

impl ResolutionSettings {
    /// Whether mail may be sent to `address` at all: of a family in use, and an address that one host can have.
    pub fn is_usable(&self, address: IpAddr) -> bool {
        let family = match self.families {
            Families::Both => true,
            Families::Ipv4 => address.to_canonical().is_ipv4(),
            Families::Ipv6 => address.to_canonical().is_ipv6(),
        };
        let everybody = matches!(address, IpAddr::V4(address) if address.is_broadcast());
        family && !everybody && !address.is_unspecified() && !address.is_multicast()
    }

    /// How long an answer with that time to live is used.
    pub fn holds_for(&self, ttl: Micros) -> Micros {
        ttl.min(self.ttl_max).max(self.ttl_min)
    }

    pub(crate) fn most_targets(&self) -> usize {
        self.targets.clamp(1, TARGETS_MAX)
    }
}
