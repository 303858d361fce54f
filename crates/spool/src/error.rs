//! Why the spool did not do what it was asked.

use std::io;
use std::sync::Arc;

use crate::message::MessageId;

/// Why something was not put into the queue, changed in it, or read out of it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SpoolError {
    /// No room: messages have to leave first.
    #[error(
        "the queue is full: {used} of {limit} bytes are used; deliver or remove messages, or raise its limit"
    )]
    Full {
        /// Bytes that are used.
        used: u64,
        /// Bytes that may be.
        limit: u64,
    },
    /// As many messages as may be, in the queue or on their way in.
    #[error("the queue is full: it holds {limit} messages; deliver or remove some, or raise its limit")]
    TooMany {
        /// The most.
        limit: u64,
    },
    /// A part of the message is longer than it may be.
    #[error("the {what} has {given}, and {limit} is the most")]
    TooLarge {
        /// What it is.
        what: Measure,
        /// How much there is of it, at least.
        given: u64,
        /// The most.
        limit: u64,
    },
    /// There is no such message, or it is done.
    #[error("there is no message {0} in the queue")]
    Unknown(MessageId),
    /// The message has no such recipient.
    #[error("message {id} has no recipient {recipient}")]
    UnknownRecipient {
        /// Which message.
        id: MessageId,
        /// The number that no recipient has.
        recipient: u32,
    },
    /// The disk failed, and what was asked did not happen.
    #[error("the queue's disk failed, and nothing was kept: {0}")]
    NotKept(Arc<io::Error>),
    /// The disk failed so that nobody can say whether it happened: after a restart it may turn out that it did.
    #[error("the queue's disk failed, and a restart will tell whether anything was kept: {0}")]
    InDoubt(Arc<io::Error>),
    /// A part of the message is not what was written.
    #[error("message {id} is damaged on disk: its {what} cannot be read")]
    Damaged {
        /// Which message.
        id: MessageId,
        /// What of it.
        what: Measure,
    },
    /// The disk could not be read.
    #[error("the queue's disk cannot be read: {0}")]
    Unreadable(Arc<io::Error>),
    /// The handing over of a part of the body was broken off.
    #[error("a part of the body is missing, because its handing over was broken off")]
    Incomplete,
    /// The spool has been closed.
    #[error("the queue is closed")]
    Closed,
}

/// What of a message is spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The body, in bytes.
    Body,
    /// The envelope, in bytes.
    Envelope,
    /// The list of recipients.
    Recipients,
    /// The state of one recipient, in bytes.
    State,
}

impl std::fmt::Display for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Body => "body",
            Self::Envelope => "envelope",
            Self::Recipients => "list of recipients",
            Self::State => "state of a recipient",
        })
    }
}

impl SpoolError {
    /// Whether the same may succeed later.
    pub const fn retry(&self) -> bool {
        match self {
            Self::Full { .. }
            | Self::TooMany { .. }
            | Self::NotKept(_)
            | Self::InDoubt(_)
            | Self::Unreadable(_) => true,
            Self::TooLarge { .. }
            | Self::Unknown(_)
            | Self::UnknownRecipient { .. }
            | Self::Damaged { .. }
            | Self::Incomplete
            | Self::Closed => false,
        }
    }
}
