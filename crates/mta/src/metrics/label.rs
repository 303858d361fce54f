//! The labels of the families.

use std::fmt::{self, Write};
use std::sync::Arc;

use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use weir_transport::pressure::Resource;
use weir_wire::smtp::report::Action;

/// Why a connection, a command or a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refused {
    /// No connector takes connections from that address.
    Address,
    /// Too many connections, of all together or of one source.
    Connections,
    /// Too many connections or messages in a minute, of one source or by one connector.
    Rate,
    /// The owner's `MessageRateLimit` or `RecipientRateLimit` (T19).
    Budget,
    /// Somebody who has to log in first.
    Authentication,
    /// A wrong password, or one that cannot be verified.
    Password,
    /// A recipient elsewhere, for somebody who may send to ours alone.
    Relay,
    /// A recipient who does not exist.
    Recipient,
    /// Too many recipients of one message.
    Recipients,
    /// A message or a header that is too large.
    Size,
    /// A message that came through too many servers.
    Loop,
    /// Bytes that are no SMTP, or too many wrong commands.
    Syntax,
    /// Queue, disk or memory is short (H16).
    Pressure,
    /// The directory or the disk failed.
    Unavailable,
}

impl Refused {
    /// Every reason.
    pub const ALL: [Self; 14] = [
        Self::Address,
        Self::Connections,
        Self::Rate,
        Self::Budget,
        Self::Authentication,
        Self::Password,
        Self::Relay,
        Self::Recipient,
        Self::Recipients,
        Self::Size,
        Self::Loop,
        Self::Syntax,
        Self::Pressure,
        Self::Unavailable,
    ];

    /// The name as metrics spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Connections => "connections",
            Self::Rate => "rate",
            Self::Budget => "budget",
            Self::Authentication => "authentication",
            Self::Password => "password",
            Self::Relay => "relay",
            Self::Recipient => "recipient",
            Self::Recipients => "recipients",
            Self::Size => "size",
            Self::Loop => "loop",
            Self::Syntax => "syntax",
            Self::Pressure => "pressure",
            Self::Unavailable => "unavailable",
        }
    }
}

/// What an attempt to deliver came to for a recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// The next hop has his copy.
    Delivered,
    /// He is tried again later.
    Deferred,
    /// He was refused for good.
    Bounced,
    /// His time is over.
    Expired,
}

impl Fate {
    /// Every fate.
    pub const ALL: [Self; 4] = [Self::Delivered, Self::Deferred, Self::Bounced, Self::Expired];

    /// The name as metrics spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Deferred => "deferred",
            Self::Bounced => "bounced",
            Self::Expired => "expired",
        }
    }
}

/// What a sender is told of his message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Report {
    /// That it was delivered or relayed, where he asked.
    Success,
    /// That it is late.
    Delay,
    /// That it was given up.
    Failure,
}

impl Report {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Success, Self::Delay, Self::Failure];

    /// What a report of `action` says.
    pub const fn of(action: &Action) -> Self {
        match action {
            Action::Failed => Self::Failure,
            Action::Delayed { .. } => Self::Delay,
            Action::Relayed | Action::Delivered => Self::Success,
        }
    }

    /// The name as metrics spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Delay => "delay",
            Self::Failure => "failure",
        }
    }
}

/// The name of a resource as metrics spell it.
pub(super) const fn of(resource: Resource) -> &'static str {
    match resource {
        Resource::QueueLength => "queue_length",
        Resource::Disk => "disk",
        Resource::Memory => "memory",
    }
}

/// A label's value that is known when the program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Word(pub(super) &'static str);

impl EncodeLabelValue for Word {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
        encoder.write_str(self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ConnectorLabels {
    pub(super) connector: Arc<str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ReasonLabels {
    pub(super) reason: Word,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OutcomeLabels {
    pub(super) delivery_type: Word,
    pub(super) outcome: Word,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ReportLabels {
    pub(super) kind: Word,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct DeliveryLabels {
    pub(super) delivery_type: Word,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct AttemptLabels {
    pub(super) outcome: Word,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ResourceLabels {
    pub(super) resource: Word,
}
