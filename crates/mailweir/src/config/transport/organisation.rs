//! `[[transport.server]]` and `[[transport.site_link]]`: the organisation's own servers and sites, and all that routing
//! is told (H1).

use std::net::SocketAddr;
use std::sync::Arc;

use weir_transport::Host;
use weir_transport::receive::OwnServer;
use weir_transport::routing::{Cost, RoutingError, RoutingSettings, Server, SiteLink};

use super::super::key::Effect::Restart;
use super::super::kind::{Count, ListOf, Text};
use super::super::reader::{Section, Spot};
use super::kinds::MailServer;
use super::receive::WayIn;
use super::send::WayOut;

/// What stands in for the name of a server that has none while its settings are checked.
const NAMELESS: &str = "this server";

/// What is known of the organisation.
pub(super) struct Organisation {
    /// What routing is told. Its name is empty where none is written.
    pub(super) routing: RoutingSettings,
    /// The other servers whose addresses are known.
    pub(super) others: Vec<(Spot, OwnServer)>,
    /// Servers that shadows are kept with.
    pub(super) shadow_partners: Vec<Arc<str>>,
}

pub(super) fn read(s: &mut Section<'_, '_, '_>, ways_in: &[WayIn], ways_out: Vec<WayOut>) -> Organisation {
    let servers = s.sections("server", server);
    let hub_sites = s.value("hub_sites", Restart, &ListOf(Text), Vec::new());
    let (connector_spots, send_connectors): (Vec<Spot>, Vec<_>) =
        ways_out.into_iter().map(|way| (way.spot, way.connector)).unzip();
    let (server_spots, servers): (Vec<Spot>, Vec<Server>) = servers.into_iter().unzip();
    let routing = RoutingSettings {
        name: s.optional("name", Restart, &Text).unwrap_or_default().into(),
        site: s.optional("site", Restart, &Text).map(Arc::from),
        bindings: ways_in.iter().flat_map(WayIn::bindings).collect(),
        servers,
        site_links: s.sections("site_link", site_link),
        hub_sites: hub_sites.into_iter().map(Arc::from).collect(),
        send_connectors,
    };
    let partners = s.value("shadow_partners", Restart, &ListOf(Text), Vec::new());
    check_partners(s, &routing, &partners);
    check_routing(s, &routing, &server_spots, &connector_spots);
    let known = routing.servers.iter().zip(&server_spots).filter(|(server, _)| server.name != routing.name);
    let others = known.filter_map(|(server, spot)| Some((*spot, own_server(server)?))).collect();
    Organisation { routing, others, shadow_partners: partners.into_iter().map(Arc::from).collect() }
}

fn server(s: &mut Section<'_, '_, '_>) -> Option<(Spot, Server)> {
    let name = s.required("name", Restart, &Text);
    let site = s.optional("site", Restart, &Text);
    let address = s.required("address", Restart, &MailServer);
    Some((s.spot("name"), Server { name: name?.into(), site: site.map(Arc::from), address: address? }))
}

fn site_link(s: &mut Section<'_, '_, '_>) -> Option<SiteLink> {
    let sites = s.required("sites", Restart, &ListOf(Text));
    let cost = s.value("cost", Restart, &Count(1, Cost::MAX), Cost::DEFAULT.count());
    let sites: Vec<Arc<str>> = sites?.into_iter().map(Arc::from).collect();
    let pair: Option<[Arc<str>; 2]> =
        sites.try_into().ok().filter(|[one, other]: &[Arc<str>; 2]| one != other);
    if pair.is_none() {
        s.mistake_at(
            "sites",
            "transport.site_link.sites: a link is between two sites, such as [\"A\", \"B\"]",
        );
    }
    Some(SiteLink { sites: pair?, cost: Cost::new(cost).unwrap_or(Cost::DEFAULT) })
}

/// The server by its address, where that needs no look-up.
fn own_server(server: &Server) -> Option<OwnServer> {
    let Host::Address(ip) = server.address.host else { return None };
    Some(OwnServer { name: server.name.clone(), address: SocketAddr::new(ip, server.address.port) })
}

/// A partner has to be another server.
fn check_partners(s: &mut Section<'_, '_, '_>, routing: &RoutingSettings, partners: &[String]) {
    for name in partners {
        if **name == *routing.name {
            let text = format!(
                "transport.shadow_partners: {name:?} is this server, which keeps no shadow for itself"
            );
            s.mistake_at("shadow_partners", text);
        } else if routing.other(name).is_none() {
            let text = format!("transport.shadow_partners: no [[transport.server]] is named {name:?}");
            s.mistake_at("shadow_partners", text);
        }
    }
}

fn check_routing(
    s: &mut Section<'_, '_, '_>,
    routing: &RoutingSettings,
    server_spots: &[Spot],
    connector_spots: &[Spot],
) {
    let nameless = routing.name.is_empty();
    if nameless && !routing.servers.is_empty() {
        s.mistake_at("server", "transport.name is missing: say which name this server has among the others");
    }
    let name = if nameless { NAMELESS.into() } else { routing.name.clone() };
    let Err(error) = (RoutingSettings { name, ..routing.clone() }).check() else { return };
    let server = |name: &str| place(routing.servers.iter().map(|server| &server.name), server_spots, name);
    let connector = |name: &str| {
        place(routing.send_connectors.iter().map(|connector| &connector.name), connector_spots, name)
    };
    let (key, spot) = match &error {
        RoutingError::BadName { what: "servers", name }
        | RoutingError::TwoOfOneName { what: "servers", name } => ("server", server(name)),
        RoutingError::BadName { what: "send connectors", name }
        | RoutingError::TwoOfOneName { name, .. }
        | RoutingError::UnknownSource { connector: name, .. }
        | RoutingError::NoSpace { connector: name }
        | RoutingError::SmartHostIsThisServer { connector: name, .. } => ("send_connector", connector(name)),
        RoutingError::BadName { what: "this server", .. } => ("name", None),
        RoutingError::TooMany { what: "send connectors", .. } => ("send_connector", None),
        RoutingError::BadName { .. } | RoutingError::OwnSite { .. } => ("site", None),
        RoutingError::TooMany { .. } => ("server", None),
        RoutingError::EmptySite { .. } if s.is_written("site_link") => ("site_link", None),
        RoutingError::EmptySite { .. } => ("hub_sites", None),
    };
    let spot = spot.unwrap_or_else(|| s.spot(key));
    s.mistake_in(spot, format!("transport.{key}: {error}"));
}

/// Where the last thing of that name is written.
fn place<'a>(
    names: impl DoubleEndedIterator<Item = &'a Arc<str>> + ExactSizeIterator,
    spots: &[Spot],
    name: &str,
) -> Option<Spot> {
    names.zip(spots).rev().find(|(known, _)| ***known == *name).map(|(_, spot)| *spot)
}
