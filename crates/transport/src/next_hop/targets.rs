//! From hosts and their addresses to levels of targets.
//!
//! The addresses of one level's hosts are dealt out in turns – the first of each host, then the second of each – so
//! that the first connections reach different hosts. An address stands once, where it is tried soonest. Where an
//! address is our own, the host it belongs to and whatever is not better than it goes, as with our name.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

use weir_balance::Target;
use weir_units::Micros;

use super::answer::{AddressAnswer, Addresses};
use super::exchangers::{Host, Hosts, Own, before_us};
use super::resolution::{Later, Level, Never, Resolution, Targets};
use super::settings::{DnsFaultTolerance, ResolutionSettings};
use crate::domain::Domain;

/// The targets that `hosts` are, where `answer_of` says what their look-ups brought. Addresses in brackets are not
/// asked about.
pub fn targets(
    hosts: &Hosts,
    answer_of: impl Fn(&Domain) -> AddressAnswer,
    own: &Own,
    settings: &ResolutionSettings,
) -> Resolution {
    let found = Found::of(&hosts.hosts, answer_of, settings);
    if let Some(later) = found.waits(settings) {
        return Resolution::Later(later);
    }
    let is_us = |host: &Host| found.addresses_of(host).iter().any(|address| own.addresses.contains(address));
    let (left, cut) = before_us(hosts.hosts.clone(), is_us);
    let levels = levels(&left, &found, settings);
    if !levels.is_empty() {
        let flawed = hosts.flawed || found.failure.is_some();
        let ttl = hosts.ttl.min(found.ttl);
        let holds_for = if flawed { Micros::ZERO } else { settings.holds_for(ttl) };
        return Resolution::Targets(Targets { levels, holds_for });
    }
    // Better hosts may be behind a look-up that failed; that nothing is left is certain only without one.
    if let Some(later) = found.failure {
        return Resolution::Later(later);
    }
    let domain = hosts.domain.clone();
    settings.never(if cut || hosts.cut_at_us {
        Never::LoopsBack { domain }
    } else if !hosts.implicit {
        Never::NoUsableExchanger { domain }
    } else if found.is_unknown {
        Never::NoSuchDomain { domain }
    } else {
        Never::NoAddress { domain }
    })
}

/// What the look-ups of all hosts brought.
struct Found {
    addresses: BTreeMap<Domain, Vec<IpAddr>>,
    ttl: Micros,
    failure: Option<Later>,
    /// A name does not exist.
    is_unknown: bool,
}

impl Found {
    fn of(
        hosts: &[Host],
        answer_of: impl Fn(&Domain) -> AddressAnswer,
        settings: &ResolutionSettings,
    ) -> Self {
        let (addresses, ttl) = (BTreeMap::new(), settings.ttl_max);
        let mut found = Self { addresses, ttl, failure: None, is_unknown: false };
        for Host { name, .. } in hosts {
            let answer = match name.address() {
                Some(address) => {
                    AddressAnswer::Addresses(Addresses { addresses: vec![address], ttl: settings.ttl_max })
                }
                None => answer_of(name),
            };
            match answer {
                AddressAnswer::Addresses(Addresses { addresses, ttl }) => {
                    let canonical = addresses.into_iter().map(|address| address.to_canonical());
                    found.addresses.insert(name.clone(), canonical.collect());
                    found.ttl = found.ttl.min(ttl);
                }
                AddressAnswer::None => {}
                AddressAnswer::NoSuchDomain => found.is_unknown = true,
                AddressAnswer::Failed(fault) => {
                    let host = name.to_string();
                    found.failure.get_or_insert(Later::Addresses { host, fault });
                }
            }
        }
        found
    }

    /// Whether the mail waits for look-ups that failed, whatever else was found.
    fn waits(&self, settings: &ResolutionSettings) -> Option<Later> {
        match settings.dns_fault_tolerance {
            DnsFaultTolerance::Lenient => None,
            DnsFaultTolerance::Normal => self.failure.clone(),
        }
    }

    fn addresses_of(&self, host: &Host) -> &[IpAddr] {
        self.addresses.get(&host.name).map_or(&[], Vec::as_slice)
    }
}

/// The levels of `hosts`, which are in their order, cut to as many targets as there may be.
fn levels(hosts: &[Host], found: &Found, settings: &ResolutionSettings) -> Vec<Level> {
    let mut seen = BTreeSet::new();
    let mut left = settings.most_targets();
    let mut levels = Vec::new();
    for alike in hosts.chunk_by(|one, other| one.preference == other.preference) {
        let usable = |host: &Host| -> Vec<Target> {
            let addresses = found.addresses_of(host).iter().filter(|address| settings.is_usable(**address));
            addresses
                .map(|address| Target::new(SocketAddr::new(*address, settings.port), host.name.as_str()))
                .collect()
        };
        let mut targets = dealt_out(&alike.iter().map(usable).collect::<Vec<_>>());
        targets.retain(|target| seen.insert(target.address));
        targets.truncate(left);
        left -= targets.len();
        if let Some(preference) = alike.first().map(|host| host.preference)
            && !targets.is_empty()
        {
            levels.push(Level { preference, targets });
        }
    }
    levels
}

/// The first target of each host, then the second of each, and so on.
pub(super) fn dealt_out(hosts: &[Vec<Target>]) -> Vec<Target> {
    let rounds = hosts.iter().map(Vec::len).max().unwrap_or(0);
    (0..rounds).flat_map(|round| hosts.iter().filter_map(move |host| host.get(round).cloned())).collect()
}

#[cfg(test)]
mod tests;
