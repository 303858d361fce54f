//! `[transport]`: mail between servers. Every key is read and checked; what it asks for stays off in this build.

use std::net::SocketAddr;
use std::time::Duration;

use weir_units::AddressRange;

use super::address::{Bind, Cidr, HostPort};
use super::key::Effect::Later;
use super::kind::{Count, ListOf, OneOf, Switch, Text, Time};
use super::reader::Section;

/// Where this server stands: it decides the retry intervals' defaults (H5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Inside the organisation.
    Hub,
    /// At its border.
    Edge,
}

/// How targets take turns (H2, H3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Among the healthy ones.
    Healthy,
    /// As before the healthy server selector, for comparison.
    Rtm,
}

/// What a receive connector lets its clients do (H13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionGroup {
    /// Anybody, to local recipients.
    Anonymous,
    /// After authentication, anywhere.
    Users,
    /// The organisation's own servers.
    Servers,
    /// Without authentication, anywhere.
    Relay,
}

const ROLES: OneOf<Role> = OneOf(&[("hub", Role::Hub), ("edge", Role::Edge)]);
const ROTATIONS: OneOf<Rotation> = OneOf(&[("healthy", Rotation::Healthy), ("rtm", Rotation::Rtm)]);
const GROUPS: OneOf<PermissionGroup> = OneOf(&[
    ("anonymous", PermissionGroup::Anonymous),
    ("users", PermissionGroup::Users),
    ("servers", PermissionGroup::Servers),
    ("relay", PermissionGroup::Relay),
]);
const INTERVAL: Time = Time::seconds(1, 86_400);

/// Mail between servers.
#[derive(Clone, Debug)]
pub struct Transport {
    /// This server's name, where it has one.
    pub name: Option<String>,
    /// This server's site.
    pub site: Option<String>,
    /// How long a message waits before it is tried again.
    pub message_retry_interval: Duration,
    /// Servers that keep a shadow of what passes here (H12).
    pub shadow_partners: Vec<String>,
    /// Where this server stands.
    pub role: Role,
    /// How targets take turns.
    pub rotation: Rotation,
    /// When an unhealthy target is tried again.
    pub retries: Retries,
    /// Whether the connectivity log is written (H11).
    pub connectivity_log: bool,
    /// The organisation's own servers.
    pub servers: Vec<Server>,
    /// Ways out.
    pub send_connectors: Vec<SendConnector>,
    /// Ways in; where any is given they replace those of `[listen]`.
    pub receive_connectors: Vec<ReceiveConnector>,
}

/// The retry schedule of unhealthy targets (H5); an interval that is absent is the role's.
#[derive(Clone, Debug)]
pub struct Retries {
    /// The first stage's interval.
    pub queue_glitch_interval: Duration,
    /// How many retries the first stage has.
    pub queue_glitch_count: u8,
    /// The second stage's interval.
    pub transient_failure_interval: Option<Duration>,
    /// How many retries the second stage has.
    pub transient_failure_count: u8,
    /// The last stage's interval.
    pub outbound_connection_failure_interval: Option<Duration>,
}

/// One of the organisation's own servers.
#[derive(Clone, Debug)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// Its site.
    pub site: Option<String>,
    /// Where it takes mail.
    pub address: String,
}

/// A way out.
#[derive(Clone, Debug)]
pub struct SendConnector {
    /// Its name.
    pub name: String,
    /// Domains with their costs.
    pub address_spaces: Vec<String>,
    /// Where mail goes; none: to the domains' mail exchangers.
    pub smart_hosts: Vec<String>,
    /// Servers that may use it; none: any.
    pub source_servers: Vec<String>,
}

/// A way in.
#[derive(Clone, Debug)]
pub struct ReceiveConnector {
    /// Its name.
    pub name: String,
    /// Where it listens.
    pub bindings: Vec<SocketAddr>,
    /// Whom it is for.
    pub remote_ranges: Vec<AddressRange>,
    /// What they may do.
    pub permission_groups: Vec<PermissionGroup>,
    /// Whether a load balancer is before it.
    pub behind_load_balancer: bool,
}

impl Transport {
    pub(super) fn read(s: &mut Section<'_, '_, '_>) -> Self {
        let transport = Self {
            name: s.optional("name", Later, &Text),
            site: s.optional("site", Later, &Text),
            message_retry_interval: s.value(
                "message_retry_interval",
                Later,
                &INTERVAL,
                Duration::from_mins(5),
            ),
            shadow_partners: s.value("shadow_partners", Later, &ListOf(Text), Vec::new()),
            role: s.value("role", Later, &ROLES, Role::Hub),
            rotation: s.value("rotation", Later, &ROTATIONS, Rotation::Healthy),
            retries: Retries::read(s),
            connectivity_log: s.value("connectivity_log", Later, &Switch, false),
            servers: s.sections("server", Server::read),
            send_connectors: s.sections("send_connector", SendConnector::read),
            receive_connectors: s.sections("receive_connector", ReceiveConnector::read),
        };
        transport.check(s);
        transport
    }

    /// Names that stand for servers have to be servers' names.
    fn check(&self, s: &mut Section<'_, '_, '_>) {
        let known = |name: &String| self.servers.iter().any(|server| server.name == *name);
        for name in self.shadow_partners.iter().filter(|name| !known(name)) {
            let text = format!("transport.shadow_partners: no [[transport.server]] is named {name:?}");
            s.mistake_at("shadow_partners", text);
        }
        for connector in &self.send_connectors {
            let stranger = |name: &&String| !known(name) && self.name.as_ref() != Some(*name);
            for name in connector.source_servers.iter().filter(stranger) {
                let text = format!(
                    "transport.send_connector {:?}: source server {name:?} is neither this server nor a \
                     [[transport.server]]",
                    connector.name
                );
                s.mistake_at("send_connector", text);
            }
        }
        for (index, server) in self.servers.iter().enumerate() {
            if self.servers.iter().take(index).any(|other| other.name == server.name) {
                s.mistake_at("server", format!("transport.server: two servers are named {:?}", server.name));
            }
        }
    }
}

impl Retries {
    fn read(s: &mut Section<'_, '_, '_>) -> Self {
        let count = Count(0, 15);
        Self {
            queue_glitch_interval: s.value(
                "queue_glitch_retry_interval",
                Later,
                &INTERVAL,
                Duration::from_mins(1),
            ),
            queue_glitch_count: s.value("queue_glitch_retry_count", Later, &count, 4),
            transient_failure_interval: s.optional("transient_failure_retry_interval", Later, &INTERVAL),
            transient_failure_count: s.value("transient_failure_retry_count", Later, &count, 6),
            outbound_connection_failure_interval: s.optional(
                "outbound_connection_failure_retry_interval",
                Later,
                &INTERVAL,
            ),
        }
    }
}

impl Server {
    fn read(s: &mut Section<'_, '_, '_>) -> Option<Self> {
        let name = s.required("name", Later, &Text);
        let site = s.optional("site", Later, &Text);
        let address = s.required("address", Later, &HostPort);
        Some(Self { name: name?, site, address: address? })
    }
}

impl SendConnector {
    fn read(s: &mut Section<'_, '_, '_>) -> Option<Self> {
        let name = s.required("name", Later, &Text);
        let address_spaces = s.required("address_spaces", Later, &ListOf(Text));
        let smart_hosts = s.value("smart_hosts", Later, &ListOf(HostPort), Vec::new());
        let source_servers = s.value("source_servers", Later, &ListOf(Text), Vec::new());
        for space in address_spaces.iter().flatten().filter(|space| !is_address_space(space)) {
            let text = format!(
                "transport.send_connector.address_spaces: {space:?} is not a domain, \"*.domain\" or \"*\", with a cost \
                 from 1 to 100 behind a semicolon, such as \"example.com;1\""
            );
            s.mistake_at("address_spaces", text);
        }
        Some(Self { name: name?, address_spaces: address_spaces?, smart_hosts, source_servers })
    }
}

/// `example.com;1`, `*.example.com`, `*;10`.
fn is_address_space(text: &str) -> bool {
    let (domain, cost) = text.split_once(';').unwrap_or((text, "1"));
    let plain = domain.strip_prefix("*.").unwrap_or(domain);
    let label =
        |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (domain == "*" || plain.split('.').all(label))
        && cost.parse().is_ok_and(|cost| (1..=100_u8).contains(&cost))
}

impl ReceiveConnector {
    fn read(s: &mut Section<'_, '_, '_>) -> Option<Self> {
        let name = s.required("name", Later, &Text);
        let bindings = s.required("bindings", Later, &ListOf(Bind));
        let remote_ranges = s.required("remote_ranges", Later, &ListOf(Cidr));
        let permission_groups =
            s.value("permission_groups", Later, &ListOf(GROUPS), vec![PermissionGroup::Anonymous]);
        let behind_load_balancer = s.value("behind_load_balancer", Later, &Switch, false);
        if behind_load_balancer && permission_groups.contains(&PermissionGroup::Servers) {
            let text = "transport.receive_connector: a connector with behind_load_balancer = true must not hold the \
                        permission group \"servers\": traffic between the organisation's own servers never goes through \
                        a load balancer";
            s.mistake_at("behind_load_balancer", text);
        }
        Some(Self {
            name: name?,
            bindings: bindings?,
            remote_ranges: remote_ranges?,
            permission_groups,
            behind_load_balancer,
        })
    }
}
