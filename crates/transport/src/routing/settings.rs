//! Servers, sites, links and send connectors, as they are configured.
//!
//! A mistake is refused whole, at start, with what to write. A server without a site is in the site [`SITE`], so that
//! an organisation of one place needs to know nothing of sites.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;

use super::space::{AddressSpace, Cost};
use crate::host_port::{Host, HostPort};

/// The site of servers that name none.
pub const SITE: &str = "default";

/// The most sites of an organisation.
pub const MAX_SITES: usize = 64;

/// The most servers of an organisation.
pub const MAX_SERVERS: usize = 1_000;

/// The most send connectors.
pub const MAX_CONNECTORS: usize = 1_000;

/// All that routing knows of the organisation.
#[derive(Clone, Debug, Default)]
pub struct RoutingSettings {
    /// This server's name.
    pub name: Arc<str>,
    /// This server's site.
    pub site: Option<Arc<str>>,
    /// Where this server takes mail itself.
    pub bindings: Vec<SocketAddr>,
    /// The organisation's own servers.
    pub servers: Vec<Server>,
    /// Ways between sites; with none, every site is reached directly.
    pub site_links: Vec<SiteLink>,
    /// Sites that must be passed through where they lie on the way.
    pub hub_sites: Vec<Arc<str>>,
    /// Ways out.
    pub send_connectors: Vec<SendConnector>,
}

/// One of the organisation's own servers.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its name.
    pub name: Arc<str>,
    /// Its site.
    pub site: Option<Arc<str>>,
    /// Where it takes mail.
    pub address: HostPort,
}

/// A way between two sites, in both directions.
#[derive(Clone, Debug)]
pub struct SiteLink {
    /// The two sites.
    pub sites: [Arc<str>; 2],
    /// What it costs.
    pub cost: Cost,
}

/// A way out.
#[derive(Clone, Debug)]
pub struct SendConnector {
    /// Its name.
    pub name: Arc<str>,
    /// Domains with their costs.
    pub address_spaces: Vec<AddressSpace>,
    /// Where mail goes; none: to the domains' mail exchangers.
    pub smart_hosts: Vec<HostPort>,
    /// Servers that may use it; none: any.
    pub source_servers: Vec<Arc<str>>,
    /// Whether it is used at all.
    pub enabled: bool,
    /// Whether only servers of its source servers' sites may use it.
    pub scoped: bool,
    /// The largest message it takes, in bytes; nothing where it takes all.
    pub max_message_size: Option<u64>,
}

/// An organisation that mail cannot be routed in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoutingError {
    /// A name that would be misread in the name of a queue.
    #[error("{what}: {name:?} is no name; a name is 1 to 255 letters without \"/\" and control characters")]
    BadName {
        /// What has the name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Two things have one name.
    #[error("two {what} are named {name:?}")]
    TwoOfOneName {
        /// What they are.
        what: &'static str,
        /// Their name.
        name: String,
    },
    /// More than there may be.
    #[error("there may be at most {most} {what}, and {given} are named")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
        /// How many there are.
        given: usize,
    },
    /// This server is listed with another site than its own.
    #[error("this server is in site {own:?}, and its line among the servers says {listed:?}")]
    OwnSite {
        /// Its site.
        own: String,
        /// What the list says.
        listed: String,
    },
    /// A connector names a server that nobody knows.
    #[error("send connector {connector:?}: source server {server:?} is neither this server nor a known one")]
    UnknownSource {
        /// The connector.
        connector: String,
        /// The server.
        server: String,
    },
    /// A connector that is for nothing.
    #[error("send connector {connector:?} has no address space; write \"*\" for all domains")]
    NoSpace {
        /// The connector.
        connector: String,
    },
    /// A smart host that is this very server.
    #[error(
        "send connector {connector:?}: smart host {host} is this server, so that mail would run in a circle"
    )]
    SmartHostIsThisServer {
        /// The connector.
        connector: String,
        /// The smart host.
        host: String,
    },
    /// A site that no server is in.
    #[error("no server is in site {site:?}, which {by} names")]
    EmptySite {
        /// The site.
        site: String,
        /// Who names it.
        by: &'static str,
    },
}

impl RoutingSettings {
    /// This server's site.
    pub fn own_site(&self) -> Arc<str> {
        site_or_default(self.site.as_ref())
    }

    /// The sites of all servers, this one's included.
    pub fn sites(&self) -> BTreeSet<Arc<str>> {
        let others = self.servers.iter().map(Server::site);
        others.chain([self.own_site()]).collect()
    }

    /// The server of that name, this one excepted.
    pub fn other(&self, name: &str) -> Option<&Server> {
        self.servers.iter().find(|server| *server.name == *name && server.name != self.name)
    }

    /// The site of the server of that name.
    pub fn site_of(&self, name: &str) -> Option<Arc<str>> {
        if *name == *self.name { Some(self.own_site()) } else { self.other(name).map(Server::site) }
    }

    /// Checks that names are clear, and that everything named is there.
    ///
    /// # Errors
    /// [`RoutingError`] for the first mistake.
    pub fn check(&self) -> Result<(), RoutingError> {
        check_count("sites", MAX_SITES, self.sites().len())?;
        check_count("servers", MAX_SERVERS, self.servers.len())?;
        check_count("send connectors", MAX_CONNECTORS, self.send_connectors.len())?;
        check_names("servers", self.servers.iter().map(|server| &server.name))?;
        check_names("send connectors", self.send_connectors.iter().map(|connector| &connector.name))?;
        check_name("this server", &self.name)?;
        for site in self.sites() {
            check_name("a site", &site)?;
        }
        self.check_own_line()?;
        self.check_sites()?;
        self.send_connectors.iter().try_for_each(|connector| self.check_connector(connector))
    }

    fn check_own_line(&self) -> Result<(), RoutingError> {
        let line = self.servers.iter().find(|server| server.name == self.name);
        match line.map(Server::site) {
            Some(listed) if listed != self.own_site() => {
                Err(RoutingError::OwnSite { own: self.own_site().to_string(), listed: listed.to_string() })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn check_sites(&self) -> Result<(), RoutingError> {
        let sites = self.sites();
        let linked = self.site_links.iter().flat_map(|link| &link.sites).map(|site| (site, "a site link"));
        let hubs = self.hub_sites.iter().map(|site| (site, "the list of hub sites"));
        let stranger = linked.chain(hubs).find(|(site, _)| !sites.contains(*site));
        stranger.map_or(Ok(()), |(site, by)| Err(RoutingError::EmptySite { site: site.to_string(), by }))
    }

    fn check_connector(&self, connector: &SendConnector) -> Result<(), RoutingError> {
        let name = || connector.name.to_string();
        if connector.address_spaces.is_empty() {
            return Err(RoutingError::NoSpace { connector: name() });
        }
        if let Some(server) = connector.source_servers.iter().find(|server| self.site_of(server).is_none()) {
            return Err(RoutingError::UnknownSource { connector: name(), server: server.to_string() });
        }
        if let Some(host) = connector.smart_hosts.iter().find(|host| self.is_this_server(host)) {
            return Err(RoutingError::SmartHostIsThisServer { connector: name(), host: host.to_string() });
        }
        Ok(())
    }

    /// Whether mail to that host and port would come back to this server.
    fn is_this_server(&self, server: &HostPort) -> bool {
        let own = self.servers.iter().find(|server| server.name == self.name);
        if own.is_some_and(|own| own.address == *server) {
            return true;
        }
        let Host::Address(address) = server.host else { return false };
        self.bindings.iter().any(|binding| {
            let everywhere = binding.ip().is_unspecified() && address.is_loopback();
            binding.port() == server.port && (binding.ip() == address || everywhere)
        })
    }
}

impl Server {
    /// Its site.
    pub fn site(&self) -> Arc<str> {
        site_or_default(self.site.as_ref())
    }
}

fn site_or_default(site: Option<&Arc<str>>) -> Arc<str> {
    site.map_or_else(|| SITE.into(), Arc::clone)
}

fn check_count(what: &'static str, most: usize, given: usize) -> Result<(), RoutingError> {
    if given <= most { Ok(()) } else { Err(RoutingError::TooMany { what, most, given }) }
}

fn check_name(what: &'static str, name: &str) -> Result<(), RoutingError> {
    let fine = |letter: char| letter != '/' && !letter.is_control();
    if (1..=255).contains(&name.len()) && name.chars().all(fine) {
        Ok(())
    } else {
        Err(RoutingError::BadName { what, name: name.chars().take(255).collect() })
    }
}

fn check_names<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a Arc<str>>,
) -> Result<(), RoutingError> {
    let mut seen = BTreeSet::new();
    for name in names {
        check_name(what, name)?;
        if !seen.insert(name) {
            return Err(RoutingError::TwoOfOneName { what, name: name.to_string() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
