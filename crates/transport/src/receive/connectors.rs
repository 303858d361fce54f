//! Which connector takes a connection, and configurations that make no sense (H13).
//!
//! A binding to an address goes before one to every address of its port; among the connectors of a binding the most
//! specific range that holds the client wins. Two connectors with one binding and one range leave no answer, and are
//! refused at start. So is a load balancer between the organisation's own servers: as a connector that offers what
//! only servers get, as the one that a server's connection would end at, or as an address that two servers share.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use weir_units::AddressRange;

use super::settings::{PermissionGroup, ReceiveConnector};

/// The most receive connectors.
pub const MAX_CONNECTORS: usize = 1_000;

/// One of the organisation's own servers, this one excepted, where its address is known.
#[derive(Clone, Debug)]
pub struct OwnServer {
    /// Its name.
    pub name: Arc<str>,
    /// Where it takes mail, and sends from.
    pub address: SocketAddr,
}

/// Receive connectors that make no sense together. What is behind each is what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiveError {
    /// More than there may be.
    #[error("there may be at most {MAX_CONNECTORS} receive connectors, and {given} are named")]
    TooMany {
        /// How many there are.
        given: usize,
    },
    /// Two connectors have one name.
    #[error("two receive connectors are named {name:?}")]
    TwoOfOneName {
        /// Their name.
        name: Arc<str>,
    },
    /// A connector that takes no connection.
    #[error("receive connector {name:?} has no {what}, so that it takes no connection")]
    Nothing {
        /// The connector.
        name: Arc<str>,
        /// What it lacks.
        what: &'static str,
    },
    /// Two connectors have one binding and one range.
    #[error("receive connectors {one:?} and {other:?} both take connections from {range} at {binding}")]
    Duplicate {
        /// The first.
        one: Arc<str>,
        /// The second.
        other: Arc<str>,
        /// The binding.
        binding: SocketAddr,
        /// The range.
        range: AddressRange,
    },
    /// A connector behind a load balancer that would take clients for own servers.
    #[error(
        "receive connector {name:?} is behind a load balancer and must not hold the permission group \"servers\": \
         traffic between the organisation's own servers never goes through a load balancer"
    )]
    ServersBehindLoadBalancer {
        /// The connector.
        name: Arc<str>,
    },
    /// An own server's mail would come by a load balancer's connector.
    #[error(
        "mail from server {server:?} at {address} would be taken by receive connector {name:?}, which is behind a \
         load balancer; add a connector for {address} with the permission group \"servers\""
    )]
    OwnServerByLoadBalancer {
        /// The server.
        server: Arc<str>,
        /// Its address.
        address: IpAddr,
        /// The connector.
        name: Arc<str>,
    },
    /// Two servers have one address.
    #[error(
        "servers {one:?} and {other:?} have one address, {address}, as behind a load balancer: traffic between the \
         organisation's own servers never goes through one; name each server's own address"
    )]
    SharedAddress {
        /// The first.
        one: Arc<str>,
        /// The second.
        other: Arc<str>,
        /// Their address.
        address: SocketAddr,
    },
}

/// All receive connectors.
#[derive(Clone, Debug, Default)]
pub struct Connectors(Vec<ReceiveConnector>);

impl Connectors {
    /// These connectors, where `servers` are the organisation's other ones.
    ///
    /// # Errors
    /// [`ReceiveError`] for the first thing that makes no sense.
    pub fn new(connectors: Vec<ReceiveConnector>, servers: &[OwnServer]) -> Result<Self, ReceiveError> {
        if connectors.len() > MAX_CONNECTORS {
            return Err(ReceiveError::TooMany { given: connectors.len() });
        }
        check_each(&connectors)?;
        check_duplicates(&connectors)?;
        let all = Self(connectors);
        check_addresses(servers)?;
        servers.iter().try_for_each(|server| all.check_way_of(server))?;
        Ok(all)
    }

    /// The connector for a connection that reached `local` from `remote`; nothing where no range holds it.
    ///
    /// Where the true client's address came in a PROXY header, `remote` is that address.
    pub fn choose(&self, local: SocketAddr, remote: IpAddr) -> Option<&ReceiveConnector> {
        let fit = |connector: &&ReceiveConnector| connector.fit(local, remote);
        self.0.iter().filter(|connector| fit(connector).is_some()).max_by_key(fit)
    }

    /// Every address to listen at, once.
    pub fn bindings(&self) -> Vec<SocketAddr> {
        let mut bindings: Vec<SocketAddr> =
            self.0.iter().flat_map(|all| all.bindings.iter().copied()).collect();
        bindings.sort_unstable();
        bindings.dedup();
        bindings
    }

    /// The connectors, in the order in which they are configured.
    pub fn iter(&self) -> impl Iterator<Item = &ReceiveConnector> {
        self.0.iter()
    }

    /// An own server reaches one binding or another; at one of them at least it must not meet a load balancer.
    fn check_way_of(&self, server: &OwnServer) -> Result<(), ReceiveError> {
        let address = server.address.ip();
        let taken = || self.bindings().into_iter().filter_map(|binding| self.choose(binding, address));
        if taken().any(|connector| !connector.behind_load_balancer) {
            return Ok(());
        }
        match taken().next() {
            None => Ok(()),
            Some(connector) => Err(ReceiveError::OwnServerByLoadBalancer {
                server: server.name.clone(),
                address,
                name: connector.name.clone(),
            }),
        }
    }
}

impl ReceiveConnector {
    /// How well it fits a connection, the greater the better: whether a binding names the very address, and how many
    /// bits the range shares. IPv4 in an IPv6 socket is IPv4.
    fn fit(&self, local: SocketAddr, remote: IpAddr) -> Option<(bool, u8)> {
        let local = SocketAddr::new(local.ip().to_canonical(), local.port());
        let binding = self.bindings.iter().filter_map(|binding| reaches(*binding, local)).max()?;
        let holding = self.remote_ranges.iter().filter(|range| range.contains(remote));
        let bits = holding.map(|range| range.bits()).max()?;
        Some((binding, bits))
    }
}

/// Whether a connection to `local` reaches `binding`, and if so whether the binding names that very address.
fn reaches(binding: SocketAddr, local: SocketAddr) -> Option<bool> {
    let (ip, at) = (binding.ip().to_canonical(), local.ip());
    if binding.port() != local.port() {
        None
    } else if ip == at {
        Some(true)
    } else {
        let family = ip.is_ipv4() == at.is_ipv4() || ip == IpAddr::V6(Ipv6Addr::UNSPECIFIED);
        (ip.is_unspecified() && family).then_some(false)
    }
}

fn check_each(connectors: &[ReceiveConnector]) -> Result<(), ReceiveError> {
    for (place, connector) in connectors.iter().enumerate() {
        let name = || connector.name.clone();
        if connectors.iter().take(place).any(|other| other.name == connector.name) {
            return Err(ReceiveError::TwoOfOneName { name: name() });
        }
        let lacks = [
            ("binding", connector.bindings.is_empty()),
            ("remote range", connector.remote_ranges.is_empty()),
        ];
        if let Some((what, _)) = lacks.into_iter().find(|(_, lacks)| *lacks) {
            return Err(ReceiveError::Nothing { name: name(), what });
        }
        if connector.behind_load_balancer && connector.lets(PermissionGroup::Servers) {
            return Err(ReceiveError::ServersBehindLoadBalancer { name: name() });
        }
    }
    Ok(())
}

fn check_duplicates(connectors: &[ReceiveConnector]) -> Result<(), ReceiveError> {
    let mut seen: BTreeMap<(SocketAddr, AddressRange), &Arc<str>> = BTreeMap::new();
    for connector in connectors {
        // The system chooses another port for each.
        for binding in connector.bindings.iter().filter(|binding| binding.port() != 0) {
            for range in &connector.remote_ranges {
                let other = seen.insert((*binding, *range), &connector.name);
                if let Some(one) = other.filter(|other| **other != connector.name) {
                    let (one, other) = (one.clone(), connector.name.clone());
                    return Err(ReceiveError::Duplicate { one, other, binding: *binding, range: *range });
                }
            }
        }
    }
    Ok(())
}

fn check_addresses(servers: &[OwnServer]) -> Result<(), ReceiveError> {
    for (place, server) in servers.iter().enumerate() {
        if let Some(one) = servers.iter().take(place).find(|one| one.address == server.address) {
            let (one, other, address) = (one.name.clone(), server.name.clone(), server.address);
            return Err(ReceiveError::SharedAddress { one, other, address });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
