//! What `queue list` shows of a queue.

use std::sync::Arc;

use weir_units::{Micros, Tick};

/// What `queue list` calls the state of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueState {
    /// It has a connection, or one is being opened.
    Active,
    /// Nothing is in its way.
    Ready,
    /// It waits for its next attempt.
    Retry,
    /// The administrator stopped it.
    Suspended,
}

/// What `queue list` shows of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Its state.
    pub state: QueueState,
    /// Messages that could go now.
    pub ready: usize,
    /// Messages that are being sent.
    pub sending: usize,
    /// Messages that wait for their time.
    pub deferred: usize,
    /// Connections that are open or being opened.
    pub connections: u32,
    /// How many there may be.
    pub connection_limit: u32,
    /// What went wrong last, since the next hop last took a message.
    pub last_error: Option<Arc<str>>,
    /// Attempts in vain since the next hop last answered.
    pub retry_count: u32,
    /// When the first of them failed.
    pub first_failure: Option<Tick>,
    /// When the last of them failed.
    pub last_failure: Option<Tick>,
    /// When it is tried again by itself.
    pub next_retry: Option<Tick>,
    /// Messages that came in the last minute.
    pub incoming: u64,
    /// Messages that went in the last minute.
    pub outgoing: u64,
}

impl QueueState {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "Active",
            Self::Ready => "Ready",
            Self::Retry => "Retry",
            Self::Suspended => "Suspended",
        }
    }
}

impl Listing {
    /// Messages a second by which the queue shrinks; negative where it grows.
    pub fn velocity(&self) -> f64 {
        per_second(self.outgoing) - per_second(self.incoming)
    }
}

/// Messages a second, where so many were counted in a minute.
pub fn per_second(in_a_minute: u64) -> f64 {
    let seconds = Micros::MINUTE.count() / Micros::SECOND.count();
    let rounded = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    rounded(in_a_minute) / rounded(seconds)
}
