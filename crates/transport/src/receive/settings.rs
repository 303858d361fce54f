//! Connectors and their limits.

use std::net::SocketAddr;
use std::sync::Arc;

use weir_units::{AddressRange, Micros};

/// What a connector lets its clients do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PermissionGroup {
    /// Anybody, to local recipients.
    Anonymous,
    /// After authentication, anywhere.
    Users,
    /// The organisation's own servers, authenticated as such.
    Servers,
    /// Without authentication, anywhere.
    Relay,
}

/// A way in.
#[derive(Clone, Debug)]
pub struct ReceiveConnector {
    /// Its name.
    pub name: Arc<str>,
    /// Where it listens.
    pub bindings: Vec<SocketAddr>,
    /// Whom it is for.
    pub remote_ranges: Vec<AddressRange>,
    /// What they may do.
    pub permission_groups: Vec<PermissionGroup>,
    /// Whether a load balancer is before it.
    pub behind_load_balancer: bool,
    /// Its limits.
    pub limits: ReceiveLimits,
}

/// The limits of one connector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveLimits {
    /// Connections at the same time.
    pub max_inbound_connection: u32,
    /// Connections of one source at the same time; nothing for no limit.
    pub max_inbound_connection_per_source: Option<u32>,
    /// What share of the places that are left one source may take, in percent.
    pub max_inbound_connection_percentage_per_source: u8,
    /// Connections a minute, of all sources together; nothing for no limit.
    pub max_connection_rate_per_minute: Option<u32>,
    /// Messages a minute of one source; nothing for no limit.
    pub message_rate_limit: Option<u32>,
    /// Sources that are remembered beyond those that are connected.
    pub sources: usize,
    /// How long a session may last.
    pub connection_timeout: Micros,
    /// How long a session may be silent.
    pub inactivity_timeout: Micros,
    /// How long a client is waited for that speaks before it is greeted, as only those do who never listen.
    pub greeting_delay: Micros,
    /// How long the refusal of somebody without authentication takes.
    pub tarpit_interval: Micros,
    /// Wrong commands before the connection is closed.
    pub max_protocol_errors: u32,
    /// Wrong passwords before the connection is closed.
    pub max_logon_failures: u32,
    /// Servers that a message may have come through.
    pub max_hop_count: u32,
    /// Recipients of one message.
    pub max_recipients_per_message: u32,
    /// The largest message, in bytes.
    pub max_message_size: u64,
    /// The largest header, in bytes.
    pub max_header_size: u64,
    /// Whether somebody who logged in may send as himself alone.
    pub sender_must_match: bool,
}

impl Default for ReceiveLimits {
    fn default() -> Self {
        Self {
            max_inbound_connection: 5_000,
            max_inbound_connection_per_source: Some(20),
            max_inbound_connection_percentage_per_source: 2,
            max_connection_rate_per_minute: Some(1_200),
            message_rate_limit: None,
            sources: 10_000,
            connection_timeout: Micros::MINUTE.times(10),
            inactivity_timeout: Micros::MINUTE.times(5),
            greeting_delay: Micros::ZERO,
            tarpit_interval: Micros::SECOND.times(5),
            max_protocol_errors: 5,
            max_logon_failures: 3,
            max_hop_count: 30,
            max_recipients_per_message: 200,
            max_message_size: 36 << 20,
            max_header_size: 256 << 10,
            sender_must_match: true,
        }
    }
}

impl ReceiveLimits {
    /// The documents' values for a server at the edge.
    pub fn edge() -> Self {
        Self {
            message_rate_limit: Some(600),
            connection_timeout: Micros::MINUTE.times(5),
            inactivity_timeout: Micros::MINUTE,
            ..Self::default()
        }
    }

    /// Limits of a connector for the organisation's own servers, which may come as often as they need to.
    pub fn internal() -> Self {
        Self {
            max_inbound_connection_per_source: None,
            max_inbound_connection_percentage_per_source: 100,
            max_connection_rate_per_minute: None,
            max_recipients_per_message: 5_000,
            tarpit_interval: Micros::ZERO,
            ..Self::default()
        }
    }
}

impl ReceiveConnector {
    /// Whether it holds that permission.
    pub fn lets(&self, group: PermissionGroup) -> bool {
        self.permission_groups.contains(&group)
    }
}
