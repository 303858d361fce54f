//! What one call holds of its owner's budget, from admission to its end.
//!
//! A [`Call`] is a receipt: it remembers which clocks it started and when, which items it holds and where it stands in
//! the line, so that [`crate::Budget::end`] can give everything back from any state (T7). It cannot be copied, and one
//! that is dropped without having ended is a leak, which debug builds report.

use weir_units::{Tick, TimePart};

use crate::clock::Hand;
use crate::line::Ticket;

/// What one call holds. Every call is given back through [`crate::Budget::end`].
#[derive(Debug)]
#[must_use = "a call that is not ended keeps its place for ever"]
pub struct Call {
    pub(crate) state: State,
    pub(crate) hand: Hand,
    /// Until when the budget's slices are settled, as far as this call knows.
    pub(crate) settled: Tick,
    /// When its clock started last.
    pub(crate) since: Tick,
    /// The phase it is in besides.
    pub(crate) phase: Option<TimePart>,
    /// When the phase's clock started last.
    pub(crate) phase_since: Tick,
    /// Items and folders that it counts against the find count.
    pub(crate) found: u32,
    pub(crate) ticket: Ticket,
    /// Places that were taken before its own.
    pub(crate) places_before: u32,
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It holds a place and its clock runs.
    Running,
    /// It holds a place and its clock stands: the client sends or reads, or the call is made to wait.
    Paused,
    /// It holds a place and waits in the line.
    Waiting,
    /// It holds no place and waits for events (T25).
    Hanging,
    /// It holds nothing.
    Ended,
}

impl Call {
    /// A call that stands; `state` says why.
    pub(crate) fn new(state: State, hand: Hand, ticket: Ticket, now: Tick) -> Self {
        Self {
            state,
            hand,
            settled: Tick::START,
            since: now,
            phase: None,
            phase_since: now,
            found: 0,
            ticket,
            places_before: 0,
        }
    }

    /// Whether it waits in the line.
    pub fn is_waiting(&self) -> bool {
        self.state == State::Waiting
    }

    /// Whether it is a hanging call (T25).
    pub fn is_hanging(&self) -> bool {
        self.state == State::Hanging
    }

    /// Places that were taken when it arrived, without its own (T7); zero for a call that was admitted at once.
    pub fn places_before(&self) -> u32 {
        self.places_before
    }

    /// Items and folders that it counts against the find count (T10).
    pub fn found(&self) -> u32 {
        self.found
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        debug_assert!(
            self.state == State::Ended || std::thread::panicking(),
            "a call is dropped that has not ended: {self:?}"
        );
    }
}
