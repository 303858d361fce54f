//! What the whole gateway did in each second of the last ten minutes, for the overview (T21).
//!
//! A settled request adds to two counters. Once a second somebody who knows the time takes the [`Pulse`]: what the
//! counters have gained is that second's, together with the connections and the processor's load at its end. Pure: the
//! moment is handed in, and a beat that comes late stands for the seconds before it too.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use weir_throttle::Busy;
use weir_units::WallTime;

use crate::request_log::Verdict;

/// How many beats are remembered: ten minutes.
pub const BEATS: usize = 600;

/// How many requests came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Requests that were settled.
    pub requests: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Those that were delayed.
    pub delayed: u64,
    /// Those that would have been refused, had anybody been held to his budget (T20).
    pub would_refuse: u64,
    /// Those that would have been delayed.
    pub would_delay: u64,
}

/// What happened since the beat before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// When it was taken.
    pub at: WallTime,
    /// The requests since the beat before.
    pub traffic: Traffic,
    /// Connections at this moment.
    pub connections: u64,
    /// The processor's load, over all processors and about the last ten seconds.
    pub cpu: Busy,
}

/// Counts requests, and remembers the last beats.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    requests: AtomicU64,
    refused: AtomicU64,
    delayed: AtomicU64,
    would_refuse: AtomicU64,
    would_delay: AtomicU64,
    beats: Mutex<Beats>,
}

#[derive(Debug, Default)]
struct Beats {
    counted: Traffic,
    beats: VecDeque<Beat>,
}

impl Pulse {
    /// Counts a request that came to `verdict`.
    pub(crate) fn note(&self, verdict: Verdict) {
        let counter = match verdict {
            Verdict::Refuse => Some(&self.refused),
            Verdict::Delay => Some(&self.delayed),
            Verdict::WouldRefuse => Some(&self.would_refuse),
            Verdict::WouldDelay => Some(&self.would_delay),
            Verdict::Run | Verdict::Unjudged => None,
        };
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes a beat at `now`, with so many connections and so busy a processor.
    pub(crate) fn beat(&self, connections: u64, cpu: Busy, now: WallTime) {
        let mut state = self.lock();
        let counted = self.counted();
        let traffic = counted.minus(state.counted);
        state.counted = counted;
        if state.beats.len() >= BEATS {
            state.beats.pop_front();
        }
        state.beats.push_back(Beat { at: now, traffic, connections, cpu });
    }

    /// The last beats, the oldest first.
    pub(crate) fn beats(&self) -> Vec<Beat> {
        self.lock().beats.iter().copied().collect()
    }

    fn counted(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic {
            requests: read(&self.requests),
            refused: read(&self.refused),
            delayed: read(&self.delayed),
            would_refuse: read(&self.would_refuse),
            would_delay: read(&self.would_delay),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Beats> {
        self.beats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Traffic {
    fn minus(self, before: Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(before.requests),
            refused: self.refused.saturating_sub(before.refused),
            delayed: self.delayed.saturating_sub(before.delayed),
            would_refuse: self.would_refuse.saturating_sub(before.would_refuse),
            would_delay: self.would_delay.saturating_sub(before.would_delay),
        }
    }
}

#[cfg(test)]
mod tests;
