//! The decision for one recipient.

use std::cmp::Reverse;
use std::sync::Arc;

use super::key::NextHopKey;
use super::path::{Path, Paths};
use super::route::{Hop, Lookup, Message, Recipient, Rejected, Route, Unreachable, Why};
use super::settings::{RoutingError, RoutingSettings, SendConnector, Server};
use super::space::AddressSpace;
use crate::domain::Domain;

/// Routes of one configuration.
#[derive(Clone, Debug)]
pub struct Router {
    settings: RoutingSettings,
    own_site: Arc<str>,
    paths: Paths,
}

/// A connector that could take the message, and all that it is compared by.
struct Candidate<'a> {
    connector: &'a SendConnector,
    space: &'a AddressSpace,
    from: Source<'a>,
}

/// Where a connector is used from.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// From this server.
    Here,
    /// From another server of this site.
    ThisSite,
    /// From another site.
    Site(&'a Path),
}

impl Router {
    /// Routes over `settings`.
    ///
    /// # Errors
    /// [`RoutingError`] where the settings contradict themselves, or mail would run in a circle.
    pub fn new(settings: RoutingSettings) -> Result<Self, RoutingError> {
        settings.check()?;
        let own_site = settings.own_site();
        let paths = Paths::new(&own_site, &settings.sites(), &settings.site_links);
        Ok(Self { settings, own_site, paths })
    }

    /// The settings it was made of.
    pub const fn settings(&self) -> &RoutingSettings {
        &self.settings
    }

    /// Where this recipient's copy of `message` goes.
    pub fn route(&self, recipient: &Recipient, message: &Message) -> Route {
        let found = match &recipient.lookup {
            Lookup::NoSuchMailbox => Err(Route::Rejected(Rejected::NoSuchMailbox)),
            Lookup::Here => Ok(to_mailbox(&self.settings.name)),
            Lookup::At(server) if *server == self.settings.name => Ok(to_mailbox(server)),
            Lookup::At(server) => self.to_server(server).map_err(Route::Unreachable),
            Lookup::NotOurs => self.to_connector(&recipient.domain, message),
        };
        let found = found.and_then(|hop| self.unless_back(hop, message).map_err(Route::Unreachable));
        found.map_or_else(|none| none, Route::Hop)
    }

    /// The servers that are targets of `key`, level by level; none where they come from look-ups or smart hosts.
    ///
    /// Behind the hubs of another site stand those of the sites on the way there, the nearest to it first: when no
    /// server of the destination answers, mail waits as near to it as it gets.
    pub fn levels_of(&self, key: &NextHopKey) -> Vec<Vec<&Server>> {
        let levels: Vec<Vec<&Server>> = match key {
            NextHopKey::Server(name) | NextHopKey::Shadow(name) => {
                vec![self.settings.other(name).into_iter().collect()]
            }
            NextHopKey::Sources(connector) => {
                let named = self.settings.send_connectors.iter().find(|known| known.name == *connector);
                let sources = named.into_iter().flat_map(|connector| &connector.source_servers);
                let servers = sources.filter_map(|name| self.settings.other(name));
                vec![servers.filter(|server| server.site() == self.own_site).collect()]
            }
            NextHopKey::Site(site) => {
                let way = self.paths.to(site).into_iter().flat_map(|path| path.sites.iter().rev());
                way.map(|site| self.hubs_of(site)).collect()
            }
            NextHopKey::Mailbox
            | NextHopKey::Dns(..)
            | NextHopKey::SmartHosts(_)
            | NextHopKey::Unreachable => Vec::new(),
        };
        levels.into_iter().filter(|level| !level.is_empty()).collect()
    }

    fn hubs_of(&self, site: &str) -> Vec<&Server> {
        let others = self.settings.servers.iter().filter(|server| server.name != self.settings.name);
        others.filter(|server| *server.site() == *site).collect()
    }

    fn to_server(&self, name: &Arc<str>) -> Result<Hop, Unreachable> {
        let server =
            self.settings.other(name).ok_or_else(|| Unreachable::UnknownServer { server: name.clone() })?;
        let why = Why::Mailbox(name.clone());
        if server.site() == self.own_site {
            return Ok(Hop { key: NextHopKey::Server(name.clone()), way: Vec::new(), why });
        }
        let path = self.paths.to(&server.site()).ok_or_else(|| Unreachable::NoWay { site: server.site() })?;
        Ok(self.along(path, why))
    }

    /// The next stop on the way: the first hub site, or else the destination.
    fn along(&self, path: &Path, why: Why) -> Hop {
        let is_hub = |site: &Arc<str>| self.settings.hub_sites.contains(site);
        let length = path.sites.iter().position(is_hub).map_or(path.sites.len(), |stop| stop + 1);
        let way: Vec<Arc<str>> = path.sites.iter().take(length).cloned().collect();
        let stop = way.last().unwrap_or(&self.own_site).clone();
        Hop { key: NextHopKey::Site(stop), way, why }
    }

    /// By the best connector for a domain that is not ours, or the route that says why there is none.
    fn to_connector(&self, domain: &Domain, message: &Message) -> Result<Hop, Route> {
        let matching: Vec<&SendConnector> =
            self.settings.send_connectors.iter().filter(|c| c.is_for(domain)).collect();
        let usable: Vec<Candidate<'_>> =
            matching.iter().filter_map(|connector| self.candidate(connector, domain)).collect();
        let fitting = usable.iter().filter(|candidate| candidate.connector.takes(message.size));
        if let Some(best) = fitting.min_by_key(|candidate| candidate.rank()) {
            return Ok(self.hop(best, domain));
        }
        let domain = domain.clone();
        let limit = usable.iter().filter_map(|candidate| candidate.connector.max_message_size).max();
        let first = matching.iter().map(|connector| &connector.name).min();
        Err(match (first, limit) {
            (_, Some(limit)) => Route::Rejected(Rejected::TooLarge { size: message.size, limit, domain }),
            (Some(name), None) => {
                Route::Unreachable(Unreachable::NoUsableConnector { connector: name.clone(), domain })
            }
            (None, None) => Route::Unreachable(Unreachable::NoConnector { domain }),
        })
    }

    fn hop(&self, best: &Candidate<'_>, domain: &Domain) -> Hop {
        let name = best.connector.name.clone();
        let why = Why::Connector { name: name.clone(), space: best.space.pattern.clone(), cost: best.cost() };
        let key = match best.from {
            Source::Site(path) => return self.along(path, why),
            Source::ThisSite => NextHopKey::Sources(name),
            Source::Here if best.connector.smart_hosts.is_empty() => NextHopKey::Dns(domain.clone(), name),
            Source::Here => NextHopKey::SmartHosts(name),
        };
        Hop { key, way: Vec::new(), why }
    }

    /// `connector` as it could be used for `domain`, from its nearest source server.
    fn candidate<'a>(&'a self, connector: &'a SendConnector, domain: &Domain) -> Option<Candidate<'a>> {
        let space = connector.space_for(domain)?;
        let from = self.nearest(connector)?;
        let kept_away = connector.scoped && matches!(from, Source::Site(_));
        (connector.enabled && !kept_away).then_some(Candidate { connector, space, from })
    }

    fn nearest(&self, connector: &SendConnector) -> Option<Source<'_>> {
        let sources = &connector.source_servers;
        if sources.is_empty() || sources.contains(&self.settings.name) {
            return Some(Source::Here);
        }
        if sources.iter().any(|source| self.is_neighbour(source)) {
            return Some(Source::ThisSite);
        }
        let paths = sources.iter().filter_map(|source| self.paths.to(&self.settings.site_of(source)?));
        paths.min_by_key(|path| (path.cost, path.sites.len(), path.sites.last())).map(Source::Site)
    }

    fn is_neighbour(&self, server: &str) -> bool {
        self.settings.other(server).is_some_and(|server| server.site() == self.own_site)
    }

    /// Refuses a hop that leads back to where the message came from. Within a site a message is handed on once, so a
    /// second time is a circle as well; longer ones are for the hop count to find.
    fn unless_back(&self, hop: Hop, message: &Message) -> Result<Hop, Unreachable> {
        let Some(from) = &message.came_from else { return Ok(hop) };
        let site = self.settings.site_of(from);
        let is_back = match &hop.key {
            NextHopKey::Server(_) | NextHopKey::Sources(_) => site.as_ref() == Some(&self.own_site),
            NextHopKey::Site(stop) => site.as_ref() == Some(stop),
            NextHopKey::Mailbox
            | NextHopKey::Dns(..)
            | NextHopKey::SmartHosts(_)
            | NextHopKey::Shadow(_)
            | NextHopKey::Unreachable => false,
        };
        if is_back { Err(Unreachable::Loop { from: from.clone(), key: hop.key }) } else { Ok(hop) }
    }
}

impl SendConnector {
    fn is_for(&self, domain: &Domain) -> bool {
        self.address_spaces.iter().any(|space| space.pattern.matches(domain))
    }

    /// Its most specific address space for `domain`, the cheaper one of two alike.
    fn space_for(&self, domain: &Domain) -> Option<&AddressSpace> {
        let matching = self.address_spaces.iter().filter(|space| space.pattern.matches(domain));
        matching.min_by_key(|space| (Reverse(space.pattern.specificity()), space.cost))
    }

    fn takes(&self, size: u64) -> bool {
        self.max_message_size.is_none_or(|limit| size <= limit)
    }
}

impl<'a> Candidate<'a> {
    fn cost(&self) -> u32 {
        let sites = match self.from {
            Source::Here | Source::ThisSite => 0,
            Source::Site(path) => path.cost,
        };
        sites + u32::from(self.space.cost.count())
    }

    /// The least rank goes first.
    fn rank(&self) -> (Reverse<usize>, u32, usize, &'a str) {
        let distance = match self.from {
            Source::Here => 0,
            Source::ThisSite => 1,
            Source::Site(path) => 1 + path.sites.len(),
        };
        (Reverse(self.space.pattern.specificity()), self.cost(), distance, &self.connector.name)
    }
}

fn to_mailbox(server: &Arc<str>) -> Hop {
    Hop { key: NextHopKey::Mailbox, way: Vec::new(), why: Why::Mailbox(server.clone()) }
}

#[cfg(test)]
mod tests;
