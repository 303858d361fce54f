//! From servers that are configured to levels of targets.
//!
//! A connector's smart hosts are one level, in which connections go round robin as among mail exchangers of one
//! preference; the hubs of another site are followed by those of the sites on the way. A name may have several
//! addresses, all of which are targets. A mistake in such a list is the administrator's: mail waits for him, and no
//! sender is told.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use weir_balance::Target;
use weir_units::Micros;

use super::answer::{AddressAnswer, Addresses};
use super::resolution::{Later, Level, Resolution, Targets};
use super::settings::{DnsFaultTolerance, ResolutionSettings};
use super::targets::dealt_out;
use crate::domain::Domain;
use crate::host_port::{Host, HostPort};

/// The targets of `levels` of servers, where `answer_of` says what the look-ups of names brought.
pub fn configured(
    levels: &[Vec<HostPort>],
    answer_of: impl Fn(&Domain) -> AddressAnswer,
    settings: &ResolutionSettings,
) -> Resolution {
    let mut found = Found { failure: None, ttl: settings.ttl_max };
    let (mut seen, mut left) = (BTreeSet::new(), settings.most_targets());
    let mut resolved = Vec::new();
    for (preference, servers) in (0..).zip(levels) {
        let servers: Vec<_> =
            servers.iter().map(|server| found.targets_of(server, &answer_of, settings)).collect();
        let mut targets = dealt_out(&servers);
        targets.retain(|target| seen.insert(target.address));
        targets.truncate(left);
        left -= targets.len();
        if !targets.is_empty() {
            resolved.push(Level { preference, targets });
        }
    }
    let strict = settings.dns_fault_tolerance == DnsFaultTolerance::Normal;
    match found.failure {
        Some(later) if strict || resolved.is_empty() => Resolution::Later(later),
        None if resolved.is_empty() => {
            let server = levels.iter().flatten().next().map_or_else(String::new, ToString::to_string);
            Resolution::Later(Later::Server { server })
        }
        failure => {
            let holds_for = if failure.is_some() { Micros::ZERO } else { settings.holds_for(found.ttl) };
            Resolution::Targets(Targets { levels: resolved, holds_for })
        }
    }
}

/// What the look-ups brought beside addresses.
struct Found {
    failure: Option<Later>,
    ttl: Micros,
}

impl Found {
    fn targets_of(
        &mut self,
        server: &HostPort,
        answer_of: impl Fn(&Domain) -> AddressAnswer,
        settings: &ResolutionSettings,
    ) -> Vec<Target> {
        let answer = match &server.host {
            Host::Address(address) => return targets(server, &[*address], settings),
            Host::Name(name) => answer_of(name),
        };
        match answer {
            AddressAnswer::Addresses(Addresses { addresses, ttl }) => {
                self.ttl = self.ttl.min(ttl);
                targets(server, &addresses, settings)
            }
            AddressAnswer::None | AddressAnswer::NoSuchDomain => Vec::new(),
            AddressAnswer::Failed(fault) => {
                self.failure.get_or_insert(Later::Addresses { host: server.to_string(), fault });
                Vec::new()
            }
        }
    }
}

fn targets(server: &HostPort, addresses: &[IpAddr], settings: &ResolutionSettings) -> Vec<Target> {
    let usable = addresses.iter().map(IpAddr::to_canonical).filter(|address| settings.is_usable(*address));
    let name = server.to_string();
    usable.map(|address| Target::new(SocketAddr::new(address, server.port), &name)).collect()
}

#[cfg(test)]
mod tests;
