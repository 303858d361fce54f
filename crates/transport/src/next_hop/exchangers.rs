//! From MX records to hosts in their order.
//!
//! Lower preferences come first; hosts of the same preference are shuffled, so that a whole world of senders spreads
//! over them (RFC 5321, 5.1). Where our own name stands among them, it and whatever is not better than it is left out:
//! mail must come nearer to its destination. A domain without MX records is its own mail exchanger.

use std::collections::BTreeSet;
use std::net::IpAddr;

use fastrand::Rng;

use super::answer::{Mx, MxAnswer};
use super::resolution::{Later, Never, Resolution};
use super::settings::{DnsFailures, ResolutionSettings};
use crate::domain::Domain;
use weir_units::Micros;

/// What this server is called and reached by.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Its names.
    pub names: BTreeSet<Domain>,
    /// The addresses at which it takes mail.
    pub addresses: BTreeSet<IpAddr>,
}

/// A host whose addresses are to be looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The lower, the sooner it is tried.
    pub preference: u16,
    /// Its name, or its address in brackets.
    pub name: Domain,
}

/// A domain's mail exchangers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// The domain.
    pub domain: Domain,
    /// The hosts, in the order in which they are tried.
    pub hosts: Vec<Host>,
    /// How long the records hold.
    pub ttl: Micros,
    /// Whether there were no MX records, so that the domain is its own mail exchanger.
    pub implicit: bool,
    /// Whether a record was left out for naming no host: then the answer is not to be remembered.
    pub flawed: bool,
    /// Whether hosts were left out for being no better than this server.
    pub cut_at_us: bool,
}

/// The mail exchangers of `domain`, or why there are none.
///
/// # Errors
/// A [`Resolution`] without targets.
pub fn exchangers(
    domain: &Domain,
    answer: &MxAnswer,
    own: &Own,
    settings: &ResolutionSettings,
    random: &mut Rng,
) -> Result<Hosts, Resolution> {
    let alone = |ttl| Hosts {
        domain: domain.clone(),
        hosts: vec![Host { preference: 0, name: domain.clone() }],
        ttl,
        implicit: true,
        flawed: false,
        cut_at_us: false,
    };
    if domain.address().is_some() {
        return Ok(alone(settings.ttl_max));
    }
    let never = |reason| Err(settings.never(reason));
    match answer {
        MxAnswer::NoSuchDomain => never(Never::NoSuchDomain { domain: domain.clone() }),
        MxAnswer::Failed(fault) => {
            Err(Resolution::Later(Later::Exchangers { domain: domain.clone(), fault: *fault }))
        }
        MxAnswer::None => Ok(alone(settings.ttl_max)),
        MxAnswer::Records(records) if records.records.is_empty() => Ok(alone(records.ttl)),
        MxAnswer::Records(records) if records.records.iter().all(is_null) => {
            never(Never::NullMx { domain: domain.clone() })
        }
        MxAnswer::Records(records) => {
            let named: Vec<Host> = records.records.iter().filter_map(host).collect();
            let flawed = named.len() < records.records.len();
            let (hosts, cut_at_us) = before_us(named, |host| own.names.contains(&host.name));
            if hosts.is_empty() {
                let domain = domain.clone();
                return never(if cut_at_us {
                    Never::LoopsBack { domain }
                } else {
                    Never::NoUsableExchanger { domain }
                });
            }
            let mut hosts = in_order(hosts, random);
            hosts.truncate(settings.mx_hosts.max(1));
            Ok(Hosts { domain: domain.clone(), hosts, ttl: records.ttl, implicit: false, flawed, cut_at_us })
        }
    }
}

/// The hosts that are better than the best one that is us, and whether that left any out.
pub(super) fn before_us(hosts: Vec<Host>, is_us: impl Fn(&Host) -> bool) -> (Vec<Host>, bool) {
    let ours = hosts.iter().filter(|host| is_us(host)).map(|host| host.preference).min();
    let better = |host: &Host| ours.is_none_or(|ours| host.preference < ours);
    (hosts.into_iter().filter(better).collect(), ours.is_some())
}

/// By preference, those of one preference shuffled, each name once where it is best.
fn in_order(mut hosts: Vec<Host>, random: &mut Rng) -> Vec<Host> {
    random.shuffle(&mut hosts);
    hosts.sort_by_key(|host| host.preference);
    let mut seen = BTreeSet::new();
    hosts.retain(|host| seen.insert(host.name.clone()));
    hosts
}

fn is_null(record: &Mx) -> bool {
    matches!(record.exchange.as_str(), "" | ".")
}

/// The host that a record names; nothing where it names none: an address, as some write there, is no host's name.
fn host(record: &Mx) -> Option<Host> {
    let is_address = record.exchange.trim_end_matches('.').parse::<IpAddr>().is_ok();
    let name =
        record.exchange.parse::<Domain>().ok().filter(|name| !is_address && name.address().is_none())?;
    Some(Host { preference: record.preference, name })
}

impl ResolutionSettings {
    /// What a definite no means (`dns_failures`).
    pub(super) fn never(&self, reason: Never) -> Resolution {
        match self.dns_failures {
            DnsFailures::Bounce => Resolution::Never(reason),
            DnsFailures::Retry => Resolution::Later(Later::Downgraded(reason)),
        }
    }
}

#[cfg(test)]
mod tests;
