//! The back-off queue of a session (R7, R9, R10).
//!
//! A request that outran the origin owes an entry – when it was inserted, how long it lasts – for each of its
//! operations, back to back. While there is an entry, requests are refused with what is left of it; when the last one
//! is over, one passes. Entries are made only while there is none, all of one length, so that a queue of any number of
//! them is three words: where they begin, where they end, and how long each is. The last one may be shorter, where all
//! together would be longer than a debt may be.

use weir_units::{Micros, Tick};

/// The shortest entry.
pub const BACKOFF_MIN: Micros = Micros::new(1_000);
/// The longest entry, and so the longest wait that one answer asks for.
pub const BACKOFF_MAX: Micros = Micros::new(2_000_000);
/// The most that a request owes, whatever its operations. It is half of what an old client bears (R11).
pub const DEBT_MAX: Micros = Micros::new(30_000_000);

/// Entries back to back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackoffQueue {
    from: Tick,
    until: Tick,
    each: Micros,
}

impl BackoffQueue {
    /// A queue without an entry.
    pub(crate) const EMPTY: Self = Self { from: Tick::START, until: Tick::START, each: BACKOFF_MIN };

    /// `rops` entries of the length `each` from `now` on, which replace what is in the queue. Answers how long they
    /// are in all.
    #[inline]
    pub(crate) fn owe(&mut self, rops: u32, each: Micros, now: Tick) -> Micros {
        let each = each.clamp(BACKOFF_MIN, BACKOFF_MAX);
        let debt = each.times(u64::from(rops)).min(DEBT_MAX);
        *self = Self { from: now, until: now.plus(debt), each };
        debt
    }

    /// What is left at `now` of the entry that is under way; nothing where the queue is empty.
    #[inline]
    pub(crate) fn left(&self, now: Tick) -> Option<Micros> {
        let all = self.debt(now);
        let gone = now.since(self.from).count() % self.each.count();
        (all > Micros::ZERO).then(|| self.each.minus(Micros::new(gone)).min(all))
    }

    /// What is left at `now` of all entries together.
    #[inline]
    pub(crate) fn debt(&self, now: Tick) -> Micros {
        self.until.since(now.max(self.from))
    }

    /// When the last entry that there ever was ends or ended.
    pub(crate) fn until(&self) -> Option<Tick> {
        (self.until > self.from).then_some(self.until)
    }
}

#[cfg(test)]
mod tests;
