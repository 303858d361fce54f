//! The lines on their way from the requests to the writer.
//!
//! They gather in one buffer for each day, so that a line costs a copy and no allocation; a buffer that was written comes
//! back for the next lines.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use weir_units::WallTime;

use super::day::Day;

/// Lines of one day, each with a line feed at its end.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) day: Day,
    /// The time that the last of them tells of.
    pub(super) at: WallTime,
    pub(super) lines: u64,
    pub(super) text: Vec<u8>,
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
    batches: Vec<Batch>,
    /// Lines in all batches.
    lines: usize,
    /// A buffer for the next batch.
    spare: Vec<u8>,
    closed: bool,
}

/// The largest buffer that is kept for the next lines.
const SPARE_BYTES: usize = 1 << 20;

impl Queue {
    pub(super) fn new(limit: usize) -> Self {
        Self { state: Mutex::default(), ready: Condvar::new(), limit, dropped: AtomicU64::new(0) }
    }

    /// Takes a line in, or drops and counts it where the queue is full or closed.
    pub(super) fn push(&self, at: WallTime, line: &str) {
        let mut state = self.lock();
        if state.closed || state.lines >= self.limit {
            drop(state);
            self.count_dropped(1);
            return;
        }
        let first = state.lines == 0;
        state.add(at, line);
        drop(state);
        if first {
            // Whoever takes takes all, so nobody waits while there are others.
            self.ready.notify_one();
        }
    }

    /// Waits for lines and hands them all over; none once the queue is closed and empty.
    pub(super) fn take(&self) -> Option<Vec<Batch>> {
        let wait = |state: &mut State| state.lines == 0 && !state.closed;
        let mut state = self.ready.wait_while(self.lock(), wait).unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut state.lines) > 0).then(|| std::mem::take(&mut state.batches))
    }

    /// Takes back a buffer whose lines were written.
    pub(super) fn give_back(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        if buffer.capacity() <= SPARE_BYTES {
            self.lock().spare = buffer;
        }
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

impl State {
    fn add(&mut self, at: WallTime, line: &str) {
        let day = Day::of(at);
        if self.batches.last().is_none_or(|last| last.day != day) {
            let text = std::mem::take(&mut self.spare);
            self.batches.push(Batch { day, at, lines: 0, text });
        }
        if let Some(last) = self.batches.last_mut() {
            last.at = at;
            last.lines += 1;
            last.text.extend_from_slice(line.as_bytes());
            self.lines += 1;
        }
    }
}
