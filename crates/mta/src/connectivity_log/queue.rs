//! The lines on their way from the deliveries to the writer.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use weir_units::WallTime;

/// The most lines that wait for the disk.
pub(super) const LINES_MAX: usize = 10_000;

/// A queue of a bounded length, of which a delivery never waits for more than the moment of a push.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    ready: Condvar,
}

/// What gathered since the last time.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Lines, each with its end, and when they were written.
    pub(super) lines: Vec<(WallTime, String)>,
    /// Lines after these that did not fit.
    pub(super) dropped: u64,
}

#[derive(Debug, Default)]
struct State {
    batch: Batch,
    /// Since the beginning.
    dropped: u64,
    closed: bool,
}

impl Queue {
    /// Takes a line in, or drops and counts it where the queue is full or closed.
    pub(super) fn push(&self, at: WallTime, line: String) {
        let mut state = self.lock();
        if state.closed || state.batch.lines.len() >= LINES_MAX {
            state.batch.dropped += 1;
            state.dropped += 1;
            return;
        }
        state.batch.lines.push((at, line));
        if state.batch.lines.len() == 1 {
            // Whoever takes takes all, so nobody waits while there are others.
            self.ready.notify_one();
        }
    }

    /// Waits for lines and hands them all over; none once the queue is closed and empty.
    pub(super) fn take(&self) -> Option<Batch> {
        let wait = |state: &mut State| state.batch.lines.is_empty() && !state.closed;
        let mut state = self.ready.wait_while(self.lock(), wait).unwrap_or_else(PoisonError::into_inner);
        let batch = std::mem::take(&mut state.batch);
        (!batch.lines.is_empty()).then_some(batch)
    }

    /// Waits for `time`, or less where the queue is closed.
    pub(super) fn pause(&self, time: Duration) {
        // Whether it was closed or not, what follows is the same.
        let _paused = self.ready.wait_timeout_while(self.lock(), time, |state| !state.closed);
    }

    /// Takes in nothing more; what is in the queue will still be taken.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_all();
    }

    /// Counts lines that were taken and never written.
    pub(super) fn count_dropped(&self, lines: u64) {
        self.lock().dropped += lines;
    }

    /// Lines dropped since the beginning.
    pub(super) fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
