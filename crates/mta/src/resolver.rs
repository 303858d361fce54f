//! From a next hop to its targets (H1).
//!
//! Whom to ask, and how long, is decided here; what the answers mean is decided in [`weir_transport::next_hop`]. What
//! was found is remembered while it holds, in a bounded number of entries, by what was asked: two connectors that lead
//! to one domain share an entry, and a changed list of servers has another. Whoever asks while the same is being asked
//! waits for that answer. Nothing is remembered of a failure.
//!
//! | module | the one idea |
//! |---|---|
//! | [`name_servers`] | one question, to one name server after the other |
//! | [`trail`] | what one name server's answers come to: aliases, records, errors |
//! | [`remembered`] | what holds, and what is being asked |

mod name_servers;
mod remembered;
mod trail;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fastrand::Rng;
use tokio::task::JoinSet;
use weir_clock::Clock;
use weir_transport::next_hop::{
    AddressAnswer, DnsFault, Later, MxAnswer, Own, Resolution, ResolutionSettings, configured, exchangers,
    targets,
};
use weir_transport::routing::{NextHopKey, Router, Server};
use weir_transport::{Domain, Host, HostPort};
use weir_units::{Micros, Tick};

use self::name_servers::NameServers;
use self::remembered::{Flight, Found, Remembered};
use crate::settings::{Delivery, DnsSettings};

/// Finds targets of next hops.
pub(crate) struct Resolver {
    names: Arc<NameServers>,
    settings: ResolutionSettings,
    own: Own,
    /// How long a look-up may take in all.
    patience: Micros,
    clock: Clock,
    remembered: Mutex<Remembered>,
}

/// What is looked up for a next hop.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    /// A domain's mail exchangers.
    Domain(Domain),
    /// Servers, level by level, that somebody wrote down.
    Servers(Vec<Vec<HostPort>>),
}

impl Resolver {
    /// A resolver that asks the name servers of `dns`; where that names none, those that the system is set to at this
    /// moment. This server is called and reached by `own`.
    pub(crate) fn new(dns: &DnsSettings, settings: ResolutionSettings, own: Own, clock: Clock) -> Self {
        Self {
            names: Arc::new(NameServers::new(dns, clock)),
            settings,
            own,
            patience: dns.patience,
            clock,
            remembered: Mutex::new(Remembered::new(dns.entries)),
        }
    }

    /// The targets of `key`, which `router` and `delivery` know. What needs no target has none: the embedded mailbox
    /// server, and the unreachable.
    pub(crate) async fn levels(&self, key: &NextHopKey, router: &Router, delivery: &Delivery) -> Resolution {
        if let NextHopKey::Dns(domain, _) = key {
            return self.asked(Asked::Domain(domain.clone())).await;
        }
        let servers = servers_of(key, router, delivery);
        if servers.iter().all(Vec::is_empty) {
            return Resolution::Later(Later::Server { server: key.to_string() });
        }
        self.asked(Asked::Servers(servers)).await
    }

    async fn asked(&self, asked: Asked) -> Resolution {
        let found = self.remembered().find(&asked, self.clock.tick());
        let flight = match found {
            Found::Holds(targets) => return Resolution::Targets(targets),
            Found::Flight(cell) => Flight { remembered: &self.remembered, asked: &asked, cell },
        };
        flight.cell.get_or_init(|| self.resolved(&asked)).await.clone()
    }

    async fn resolved(&self, asked: &Asked) -> Resolution {
        let until = self.clock.tick().plus(self.patience);
        let resolution = match asked {
            Asked::Domain(domain) => self.domain(domain, until).await,
            Asked::Servers(levels) => self.servers(levels, until).await,
        };
        if let Resolution::Targets(targets) = &resolution {
            self.remembered().hold(asked, targets, self.clock.tick());
        }
        resolution
    }

    async fn domain(&self, domain: &Domain, until: Tick) -> Resolution {
        let answer = match domain.address() {
            Some(_) => MxAnswer::None,
            None => self.names.exchangers(domain, until).await,
        };
        match exchangers(domain, &answer, &self.own, &self.settings, &mut Rng::new()) {
            Ok(hosts) => {
                let names = hosts.hosts.iter().map(|host| &host.name);
                let found = self.addresses(names.filter(|name| name.address().is_none()), until).await;
                targets(&hosts, |name| answer_of(&found, name), &self.own, &self.settings)
            }
            Err(resolution) => resolution,
        }
    }

    async fn servers(&self, levels: &[Vec<HostPort>], until: Tick) -> Resolution {
        let names = levels.iter().flatten().filter_map(|server| match &server.host {
            Host::Name(name) => Some(name),
            Host::Address(_) => None,
        });
        let found = self.addresses(names, until).await;
        configured(levels, |name| answer_of(&found, name), &self.settings)
    }

    /// What the look-ups of all `names` bring, which go on side by side.
    async fn addresses<'a>(
        &self,
        names: impl Iterator<Item = &'a Domain>,
        until: Tick,
    ) -> BTreeMap<Domain, AddressAnswer> {
        let mut running = JoinSet::new();
        for name in names.cloned() {
            let (servers, settings) = (Arc::clone(&self.names), self.settings);
            running.spawn(async move {
                let answer = servers.addresses(&name, &settings, until).await;
                (name, answer)
            });
        }
        running.join_all().await.into_iter().collect()
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The servers that were written down for `key`, level by level.
fn servers_of(key: &NextHopKey, router: &Router, delivery: &Delivery) -> Vec<Vec<HostPort>> {
    match key {
        NextHopKey::SmartHosts(connector) => {
            let connectors = &router.settings().send_connectors;
            let named = connectors.iter().filter(|known| known.name == *connector);
            named.map(|connector| connector.smart_hosts.clone()).collect()
        }
        NextHopKey::Server(_) | NextHopKey::Sources(_) | NextHopKey::Site(_) | NextHopKey::Shadow(_) => {
            let addresses = |level: Vec<&Server>| level.iter().map(|server| server.address.clone()).collect();
            router.levels_of(key).into_iter().map(addresses).collect()
        }
        NextHopKey::Mailbox => match delivery {
            Delivery::Embedded => Vec::new(),
            Delivery::Lmtp(hosts) => vec![hosts.clone()],
        },
        NextHopKey::Dns(..) | NextHopKey::Unreachable => Vec::new(),
    }
}

fn answer_of(found: &BTreeMap<Domain, AddressAnswer>, name: &Domain) -> AddressAnswer {
    found.get(name).cloned().unwrap_or(AddressAnswer::Failed(DnsFault::TimedOut))
}

#[cfg(test)]
mod tests;
