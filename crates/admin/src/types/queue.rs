//! Queues of the mail transport and the messages in them, in JSON (H1, H15).
//!
//! Names follow those that administrators of Exchange know from `Get-Queue` and `Get-Message`.

use serde::{Deserialize, Serialize};

use super::TargetView;

/// The queue of one next hop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueView {
    /// Its name: delivery type, next-hop domain and connector, where there are any, with slashes between.
    pub next_hop: String,
    /// How its messages go: `DnsConnectorDelivery`, `SmartHostConnectorDelivery`, `MailboxDelivery` …
    pub delivery_type: String,
    /// A domain, a site or a server; null where there is none.
    pub next_hop_domain: Option<String>,
    /// The connector; null where there is none.
    pub next_hop_connector: Option<String>,
    /// `Active` (it has a connection), `Ready`, `Retry` or `Suspended`.
    pub state: String,
    /// Its messages.
    pub message_count: u64,
    /// Those of them that could go at once.
    pub ready: u64,
    /// Those that are being sent.
    pub sending: u64,
    /// Those that wait for their time.
    pub deferred: u64,
    /// Connections that are open or being opened.
    pub connections: u32,
    /// How many there may be at this moment.
    pub connection_limit: u32,
    /// What went wrong last, since the next hop last took a message.
    pub last_error: Option<String>,
    /// Attempts in vain since the next hop last answered.
    pub retry_count: u32,
    /// When the first of them failed.
    pub first_retry_time: Option<String>,
    /// When the last of them failed.
    pub last_retry_time: Option<String>,
    /// When it is tried again by itself.
    pub next_retry_time: Option<String>,
    /// Messages a second that came in the last minute.
    pub incoming_rate: f64,
    /// Messages a second that went in the last minute.
    pub outgoing_rate: f64,
    /// Messages a second by which it shrinks; negative where it grows.
    pub velocity: f64,
    /// The targets of the next hop, those that are tried first at the front.
    pub targets: Vec<TargetView>,
}

/// A queue with some of its messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueMessages {
    /// The queue.
    pub queue: QueueView,
    /// Its messages, the oldest first.
    pub messages: Vec<MessageView>,
    /// What to ask for with `after` to see the following ones; null at the end.
    pub next: Option<u64>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageView {
    /// Its number.
    pub id: u64,
    /// Whom it is from; empty for a message that reports of another one.
    pub from: String,
    /// Whom it is for.
    pub recipients: Vec<RecipientView>,
    /// Its size in bytes.
    pub size: u64,
    /// When it was accepted.
    pub accepted: String,
    /// When it is given up.
    pub expires: String,
    /// Where it came in.
    pub source: MessageSource,
    /// The queues that it is in.
    pub next_hops: Vec<String>,
}

/// Where a message came in. All is null for one that was written by this server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSource {
    /// The client's address.
    pub address: Option<String>,
    /// The receive connector.
    pub connector: Option<String>,
    /// Who logged in.
    pub owner: Option<String>,
    /// The own server that handed it over.
    pub server: Option<String>,
}

/// One recipient of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipientView {
    /// His address.
    pub address: String,
    /// `waiting`, `shadow` (a partner has his copy, and it is kept here until that has sent it onward), or `done`.
    pub state: String,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// Attempts in vain.
    pub attempts: u32,
    /// When he is tried again by himself; null for the next that may be.
    pub next_try: Option<String>,
    /// The queue that he is in.
    pub next_hop: Option<String>,
    /// The partner that has his copy.
    pub partner: Option<String>,
}

/// A message that was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedMessage {
    /// How it was.
    pub message: MessageView,
    /// Whether its sender was told, if it has one.
    pub report: bool,
}

/// Which messages of a queue are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueFilter {
    /// Those behind the message of this number.
    #[serde(default)]
    pub after: Option<u64>,
    /// So many at most.
    #[serde(default)]
    pub top: Option<usize>,
}

/// How a message is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageRemoval {
    /// Whether its sender is told.
    #[serde(default = "told")]
    pub report: bool,
}

impl Default for MessageRemoval {
    fn default() -> Self {
        Self { report: told() }
    }
}

const fn told() -> bool {
    true
}
