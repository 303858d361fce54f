//! `[[transport.receive_connector]]`: ways in (H13).
//!
//! Without any, `listen.smtp` and `listen.submission` make two: anybody may send to local recipients by the first, who
//! logs in may send anywhere by the second. Nobody relays unless a connector says so.

use std::net::SocketAddr;
use std::sync::Arc;

use weir_spool::Limits;
use weir_transport::receive::{
    Connectors, OwnServer, PermissionGroup, ReceiveConnector, ReceiveError, ReceiveLimits,
};
use weir_units::{AddressRange, Micros};

use super::super::address::{Bind, Cidr};
use super::super::key::Effect::Restart;
use super::super::kind::{Count, ListOf, OneOf, Share, Size, Switch, Text};
use super::super::listen::Listen;
use super::super::reader::{Section, Spot};
use super::Role;
use super::kinds::{Limit, Span};

const GROUPS: OneOf<PermissionGroup> = OneOf(&[
    ("anonymous", PermissionGroup::Anonymous),
    ("users", PermissionGroup::Users),
    ("servers", PermissionGroup::Servers),
    ("relay", PermissionGroup::Relay),
]);
const SESSION: Span = Span::seconds(1, 86_400);

/// A way in, with where it is written.
pub(super) struct WayIn {
    spot: Spot,
    connector: ReceiveConnector,
}

/// What decides about the defaults and bounds of ways in.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) role: Role,
    pub(super) spool: &'a Limits,
    pub(super) listen: &'a Listen,
}

impl WayIn {
    pub(super) fn read(s: &mut Section<'_, '_, '_>, frame: Frame<'_>) -> Option<Self> {
        let name = s.required("name", Restart, &Text);
        let bindings = s.required("bindings", Restart, &ListOf(Bind));
        let remote_ranges = s.required("remote_ranges", Restart, &ListOf(Cidr));
        let permission_groups =
            s.value("permission_groups", Restart, &ListOf(GROUPS), vec![PermissionGroup::Anonymous]);
        let behind_load_balancer = s.value("behind_load_balancer", Restart, &Switch, false);
        let limits = limits(s, usual_limits(frame, &permission_groups));
        check_limits(s, &limits, frame.spool);
        check_bindings(s, bindings.as_deref().unwrap_or_default(), frame.listen);
        let connector = ReceiveConnector {
            name: name?.into(),
            bindings: bindings?,
            remote_ranges: remote_ranges?,
            permission_groups,
            behind_load_balancer,
            limits,
        };
        Some(Self { spot: s.spot("name"), connector })
    }

    /// Where it listens.
    pub(super) fn bindings(&self) -> impl Iterator<Item = SocketAddr> {
        self.connector.bindings.iter().copied()
    }
}

/// The ways in that `listen` makes where no connector is written.
pub(super) fn usual(frame: Frame<'_>) -> Vec<WayIn> {
    let listeners = [
        ("default", frame.listen.smtp, PermissionGroup::Anonymous),
        ("submission", frame.listen.submission, PermissionGroup::Users),
    ];
    let made = listeners.into_iter().filter_map(|(name, address, group)| {
        let connector = ReceiveConnector {
            name: name.into(),
            bindings: vec![address?],
            remote_ranges: everybody(),
            permission_groups: vec![group],
            behind_load_balancer: false,
            limits: usual_limits(frame, &[group]),
        };
        Some(WayIn { spot: Spot::default(), connector })
    });
    made.collect()
}

/// All `ways` in, where `servers` are the organisation's other ones.
pub(super) fn connectors(
    s: &mut Section<'_, '_, '_>,
    ways: Vec<WayIn>,
    servers: &[(Spot, OwnServer)],
) -> Connectors {
    let spots: Vec<(Arc<str>, Spot)> =
        ways.iter().map(|way| (way.connector.name.clone(), way.spot)).collect();
    let all: Vec<OwnServer> = servers.iter().map(|(_, server)| server.clone()).collect();
    let made = Connectors::new(ways.into_iter().map(|way| way.connector).collect(), &all);
    made.unwrap_or_else(|error| {
        let spot = match &error {
            ReceiveError::TooMany { .. } => None,
            ReceiveError::TwoOfOneName { name }
            | ReceiveError::Nothing { name, .. }
            | ReceiveError::ServersBehindLoadBalancer { name }
            | ReceiveError::OwnServerByLoadBalancer { name, .. }
            | ReceiveError::Duplicate { other: name, .. } => {
                spots.iter().rev().find(|(known, _)| known == name).map(|(_, spot)| *spot)
            }
            ReceiveError::SharedAddress { other, .. } => {
                servers.iter().find(|(_, server)| server.name == *other).map(|(spot, _)| *spot)
            }
        };
        let spot = spot.unwrap_or_else(|| s.spot("receive_connector"));
        s.mistake_in(spot, format!("transport.receive_connector: {error}"));
        Connectors::default()
    })
}

/// Every address there is.
fn everybody() -> Vec<AddressRange> {
    ["0.0.0.0/0", "::/0"].into_iter().filter_map(|range| range.parse().ok()).collect()
}

/// The limits that hold where none is written. Who only serves own servers, or a range that may relay, is not counted
/// as strangers are; and no limit is beyond the durable queue's.
fn usual_limits(frame: Frame<'_>, groups: &[PermissionGroup]) -> ReceiveLimits {
    let role = match frame.role {
        Role::Hub => ReceiveLimits::default(),
        Role::Edge => ReceiveLimits::edge(),
    };
    let holds = |group| groups.contains(&group);
    let limits = if holds(PermissionGroup::Anonymous) || holds(PermissionGroup::Users) {
        role
    } else if holds(PermissionGroup::Servers) {
        let (connection_timeout, inactivity_timeout) = (role.connection_timeout, role.inactivity_timeout);
        ReceiveLimits { connection_timeout, inactivity_timeout, ..ReceiveLimits::internal() }
    } else {
        ReceiveLimits {
            message_rate_limit: None,
            max_connection_rate_per_minute: None,
            tarpit_interval: Micros::ZERO,
            ..role
        }
    };
    let recipients = u32::try_from(frame.spool.recipients).unwrap_or(u32::MAX);
    ReceiveLimits {
        max_recipients_per_message: limits.max_recipients_per_message.min(recipients),
        max_message_size: limits.max_message_size.min(frame.spool.body_bytes),
        ..limits
    }
}

fn limits(s: &mut Section<'_, '_, '_>, d: ReceiveLimits) -> ReceiveLimits {
    let each = Limit(1_000_000);
    let share = s.value(
        "max_inbound_connection_percentage_per_source",
        Restart,
        &Share(1, 100),
        d.max_inbound_connection_percentage_per_source.into(),
    );
    ReceiveLimits {
        max_inbound_connection: s.value(
            "max_inbound_connection",
            Restart,
            &Count(1, 1_000_000),
            d.max_inbound_connection,
        ),
        max_inbound_connection_per_source: s.value(
            "max_inbound_connection_per_source",
            Restart,
            &each,
            d.max_inbound_connection_per_source,
        ),
        max_inbound_connection_percentage_per_source: u8::try_from(share).unwrap_or(u8::MAX),
        max_connection_rate_per_minute: s.value(
            "max_connection_rate_per_minute",
            Restart,
            &each,
            d.max_connection_rate_per_minute,
        ),
        message_rate_limit: s.value("message_rate_limit", Restart, &each, d.message_rate_limit),
        sources: s.value("sources", Restart, &Count(1, 10_000_000), d.sources),
        connection_timeout: s.value("connection_timeout", Restart, &SESSION, d.connection_timeout),
        inactivity_timeout: s.value("inactivity_timeout", Restart, &SESSION, d.inactivity_timeout),
        ..content_limits(s, d)
    }
}

/// The limits of what comes over a connection.
fn content_limits(s: &mut Section<'_, '_, '_>, d: ReceiveLimits) -> ReceiveLimits {
    let mistakes = Count(1, 1_000);
    ReceiveLimits {
        greeting_delay: s.value("greeting_delay", Restart, &Span::seconds(0, 60), d.greeting_delay),
        tarpit_interval: s.value("tarpit_interval", Restart, &Span::seconds(0, 240), d.tarpit_interval),
        max_protocol_errors: s.value("max_protocol_errors", Restart, &mistakes, d.max_protocol_errors),
        max_logon_failures: s.value("max_logon_failures", Restart, &mistakes, d.max_logon_failures),
        max_hop_count: s.value("max_hop_count", Restart, &Count(1, 500), d.max_hop_count),
        max_recipients_per_message: s.value(
            "max_recipients_per_message",
            Restart,
            &Count(1, 100_000),
            d.max_recipients_per_message,
        ),
        max_message_size: s.value("max_message_size", Restart, &Size(1 << 10, 2 << 30), d.max_message_size),
        max_header_size: s.value("max_header_size", Restart, &Size(1 << 10, 16 << 20), d.max_header_size),
        sender_must_match: s.value("sender_must_match", Restart, &Switch, d.sender_must_match),
        ..d
    }
}

fn check_limits(s: &mut Section<'_, '_, '_>, limits: &ReceiveLimits, spool: &Limits) {
    if limits.inactivity_timeout > limits.connection_timeout {
        s.mistake_at(
            "inactivity_timeout",
            "transport.receive_connector.inactivity_timeout is longer than connection_timeout, which ends every session \
             before; lower it",
        );
    }
    if limits.max_message_size > spool.body_bytes {
        s.mistake_at(
            "max_message_size",
            "transport.receive_connector.max_message_size is more than transport.spool.body_bytes, the longest message \
             that the durable queue takes; lower one or raise the other",
        );
    }
    if usize::try_from(limits.max_recipients_per_message).is_ok_and(|count| count > spool.recipients) {
        s.mistake_at(
            "max_recipients_per_message",
            "transport.receive_connector.max_recipients_per_message is more than transport.spool.recipients, the most that \
             the durable queue takes; lower one or raise the other",
        );
    }
}

/// A binding must not be another listener's; those of `smtp` and `submission` give way to connectors.
fn check_bindings(s: &mut Section<'_, '_, '_>, bindings: &[SocketAddr], listen: &Listen) {
    let others = listen.named().into_iter().filter(|(name, _)| !matches!(*name, "smtp" | "submission"));
    for (name, address) in others {
        if let Some(address) = address.filter(|address| address.port() != 0 && bindings.contains(address)) {
            let text = format!(
                "transport.receive_connector.bindings: {address} is also listen.{name}; give one of them another port, or \
                 switch that off with \"\""
            );
            s.mistake_at("bindings", text);
        }
    }
}
