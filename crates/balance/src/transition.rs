//! What a report changed, as values: callers make events and log lines of them (H4, H11), and send deferred mail (H6).

use std::net::SocketAddr;

use weir_units::{Micros, Tick};

use crate::failure::Failure;
use crate::schedule::Schedule;

/// One line of the list of unhealthy targets (H4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Which target.
    pub address: SocketAddr,
    /// How the last attempt failed that speaks about the target.
    pub failure: Failure,
    /// Attempts that failed, the one that marked it included: the connectivity log's current failure count.
    pub failures: u32,
    /// When it was marked.
    pub since: Tick,
    /// When the last attempt ended.
    pub last_attempt: Tick,
    /// When the next attempt is due.
    pub next_retry: Tick,
}

impl Mark {
    /// Retries made in vain since it was marked.
    pub const fn retries(&self) -> u32 {
        self.failures.saturating_sub(1)
    }

    pub(crate) fn first(address: SocketAddr, failure: Failure, schedule: &Schedule, now: Tick) -> Self {
        let next_retry = now.plus(schedule.interval(0));
        Self { address, failure, failures: 1, since: now, last_attempt: now, next_retry }
    }

    /// A retry failed at `now`.
    pub(crate) fn again(&mut self, failure: Failure, schedule: &Schedule, now: Tick) {
        self.failure = failure;
        self.failures = self.failures.saturating_add(1);
        self.postpone(schedule, now);
    }

    /// A retry ended at `now` without a word about the target: the next one comes at the same interval.
    pub(crate) fn postpone(&mut self, schedule: &Schedule, now: Tick) {
        self.last_attempt = now;
        self.next_retry = now.plus(schedule.interval(self.retries()));
    }
}

/// What a report changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// The target was put on the list.
    BecameUnhealthy(Mark),
    /// A retry failed; the next one is set.
    StillUnhealthy(Mark),
    /// The target is off the list: what waits for it is sent at once (H6).
    HealthyAgain {
        /// The line that was removed.
        mark: Mark,
        /// How long it stood there.
        after: Micros,
    },
    /// A target that had not proved itself did (H9): it is in the rotation, and what waits for it is sent at once.
    Proved(SocketAddr),
}

impl Transition {
    /// Which target.
    pub const fn address(&self) -> SocketAddr {
        match self {
            Self::BecameUnhealthy(mark) | Self::StillUnhealthy(mark) | Self::HealthyAgain { mark, .. } => {
                mark.address
            }
            Self::Proved(address) => *address,
        }
    }
}
