//! What a message is to the spool: a number, an envelope, recipients that each wait for a time, and a body.
//!
//! Envelope and states are bytes that only the user of the spool understands.

use std::fmt;

use weir_units::WallTime;

/// The number of a message. Numbers grow in the order in which messages were queued, and none is given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(u64);

impl MessageId {
    /// The message of that number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How it stands with one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// When the recipient is to be looked at again; `None` where nothing is left to be done.
    pub due: Option<WallTime>,
    /// What the user of the spool wants to know then.
    pub bytes: Vec<u8>,
}

/// What became of one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which recipient, in the order of the envelope, counted from 0.
    pub recipient: u32,
    /// How it stands with that one.
    pub state: State,
}

/// A message whose time has come, for some of its recipients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Which message.
    pub id: MessageId,
    /// Its recipients whose time has come, ascending.
    pub recipients: Vec<u32>,
}

/// How much is in a spool, and how much may be: what back pressure looks at (H16).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Messages in the queue.
    pub messages: u64,
    /// The most that are taken.
    pub messages_limit: u64,
    /// Bytes of these messages on disk, with those that are on their way in.
    pub bytes: u64,
    /// The most that are taken.
    pub bytes_limit: u64,
    /// Bytes of all segments, garbage included.
    pub disk_bytes: u64,
    /// The most that they are.
    pub disk_limit: u64,
    /// Segments.
    pub segments: u64,
    /// Messages on their way in.
    pub drafts: u64,
    /// Whether the disk took what was written last. Where it did not, nothing is accepted until it does.
    pub writable: bool,
}
