//! The lines on their way from the requests to the writer.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use weir_units::WallTime;

/// One line, with the line feed at its end, and the time that it tells of.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) at: WallTime,
    pub(super) text: String,
}

/// A queue of a bounded length, of which a request never waits for more than the moment of a push.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    ready: Condvar,
    limit: usize,
    dropped: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    entries: VecDeque<Entry>,
    closed: bool,
}

impl Queue {
    pub(super) fn new(limit: usize) -> Self {
        Self { state: Mutex::default(), ready: Condvar::new(), limit, dropped: AtomicU64::new(0) }
    }

    /// Takes an entry in, or drops and counts it where the queue is full or closed.
    pub(super) fn push(&self, entry: Entry) {
        let mut state = self.lock();
        if state.closed || state.entries.len() >= self.limit {
            drop(state);
            self.count_dropped(1);
            return;
        }
        let first = state.entries.is_empty();
        state.entries.push_back(entry);
        drop(state);
        if first {
            // Whoever takes takes all, so nobody waits while there are others.
            self.ready.notify_one();
        }
    }

    /// Waits for entries and hands them all over; none once the queue is closed and empty.
    pub(super) fn take(&self) -> Option<VecDeque<Entry>> {
        let wait = |state: &mut State| state.entries.is_empty() && !state.closed;
        let mut state = self.ready.wait_while(self.lock(), wait).unwrap_or_else(PoisonError::into_inner);
        (!state.entries.is_empty()).then(|| std::mem::take(&mut state.entries))
    }

    /// Waits for `time`, or less where the queue is closed; says whether it is.
    pub(super) fn pause(&self, time: Duration) -> bool {
        let paused = self.ready.wait_timeout_while(self.lock(), time, |state| !state.closed);
        paused.unwrap_or_else(PoisonError::into_inner).0.closed
    }

    /// Takes in nothing more; what is in the queue will still be taken.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_all();
    }

    pub(super) fn count_dropped(&self, lines: u64) {
        self.dropped.fetch_add(lines, Ordering::Relaxed);
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
