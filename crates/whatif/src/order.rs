//! From the order of endings to the order of arrivals.
//!
//! A log has its lines as requests end; a budget wants them as they begin. So calls wait here until nothing earlier can
//! come any more: as long as the longest call that is waited for. One that took longer still comes late, and counts from
//! where the others have got to.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use weir_units::WallTime;

use crate::record::{Place, Record};

/// How long before its line's end a call may have begun and still come in its turn, in microseconds.
const WINDOW: i64 = 600_000_000;

/// How many calls wait at most; beyond it the earliest goes on.
pub(crate) const WAITING_MAX: usize = 1_000_000;

/// Calls on their way into the order of arrivals.
#[derive(Debug, Default)]
pub(crate) struct Order {
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// When the last line was written.
    newest: i64,
    /// When the call arrived that went last.
    reached: WallTime,
    late: u64,
}

#[derive(Debug)]
struct Waiting {
    arrived: WallTime,
    place: Place,
    record: Box<Record>,
}

impl Order {
    /// Takes a call whose line was written at `logged`.
    pub(crate) fn push(&mut self, logged: i64, record: Box<Record>) {
        self.newest = self.newest.max(logged);
        self.waiting.push(Reverse(Waiting { arrived: record.arrived, place: record.place, record }));
    }

    /// The earliest call, if nothing earlier can come any more; at the `end` of the log nothing can.
    pub(crate) fn pop(&mut self, end: bool) -> Option<Box<Record>> {
        let Reverse(first) = self.waiting.peek()?;
        let due = first.arrived.unix_micros() <= self.newest.saturating_sub(WINDOW);
        if !(due || end || self.waiting.len() > WAITING_MAX) {
            return None;
        }
        let Reverse(Waiting { mut record, .. }) = self.waiting.pop()?;
        if record.arrived < self.reached {
            record.arrived = self.reached;
            self.late += 1;
        }
        self.reached = record.arrived;
        Some(record)
    }

    /// How many calls came too late for their turn.
    pub(crate) fn late(&self) -> u64 {
        self.late
    }
}

impl Waiting {
    fn key(&self) -> (WallTime, Place) {
        (self.arrived, self.place)
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}
