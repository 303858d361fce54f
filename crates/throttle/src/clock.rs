//! The clock of one time part: how many calls run on it, since when, and what all calls ever used – in one word.
//!
//! The time used up to a moment `t` is a straight line between two changes: `running × t − starts`, where `starts` is
//! the sum of the moments at which calls started less the sum of those at which calls stopped. So a start adds one
//! constant to the word and a stop takes one away: no other thread can tear it, and no time is ever lost.
//!
//! A budget has two of these for each part. The *shared* one is for any number of calls, by atomic addition. The *lone*
//! one belongs to one call at a time – the first of those that run at once – which alone writes it, so that plain
//! stores do: most owners run one call at a time, and a store costs a tenth of an atomic addition.
//!
//! ```text
//! 63               12 11       0
//! | starts (µs)      | running  |
//! ```

use weir_units::Tick;

use crate::sync::{AtomicU64, Ordering};

/// Bits of the count of running calls.
const RUNNING_BITS: u32 = 12;
/// Totals are compared modulo this power of two of microseconds: twice what 2047 calls use in 65 seconds.
const TOTAL_BITS: u32 = 38;

/// Which of a part's two clocks a call runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hand {
    /// The one that only this call writes.
    Lone,
    /// The one that all other calls share.
    Shared,
}

/// The two clocks of one time part.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Clock {
    lone: AtomicU64,
    shared: AtomicU64,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { lone: AtomicU64::new(0), shared: AtomicU64::new(0) }
    }

    /// Both clocks as one: starts and counts add up, since the counts of all calls fit into one.
    #[inline]
    pub(crate) fn read(&self) -> Reading {
        Reading(self.lone.load(Ordering::Acquire).wrapping_add(self.shared.load(Ordering::Acquire)))
    }

    /// One more call runs, from `at` on.
    #[inline]
    pub(crate) fn start(&self, hand: Hand, at: Tick) {
        match hand {
            Hand::Lone => self.set_lone(|word| word.wrapping_add(running(at))),
            Hand::Shared => drop(self.shared.fetch_add(running(at), Ordering::AcqRel)),
        }
    }

    /// One call fewer runs, from `at` on.
    #[inline]
    pub(crate) fn stop(&self, hand: Hand, at: Tick) {
        match hand {
            Hand::Lone => self.set_lone(|word| word.wrapping_sub(running(at))),
            Hand::Shared => drop(self.shared.fetch_sub(running(at), Ordering::AcqRel)),
        }
    }

    /// Whoever has the lone hand got it by an exchange that the one before released, so it reads what that one wrote.
    #[inline]
    fn set_lone(&self, change: impl FnOnce(u64) -> u64) {
        let word = self.lone.load(Ordering::Relaxed);
        self.lone.store(change(word), Ordering::Release);
    }
}

/// What a clock said at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading(u64);

impl Reading {
    /// How many calls run.
    #[inline]
    pub(crate) fn running(self) -> u64 {
        self.0 & ((1 << RUNNING_BITS) - 1)
    }

    /// All time ever used up to `at`.
    #[inline]
    pub(crate) fn total(self, at: Tick) -> Total {
        Total(self.running().wrapping_mul(at.micros()).wrapping_sub(self.0 >> RUNNING_BITS))
    }
}

/// A sum of time in microseconds, modulo a power of two: bits beyond it mean nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Total(u64);

impl Total {
    /// The sample that stands for this total in a ring, rounded to the nearest.
    pub(crate) fn sample(self) -> Sample {
        let rounded = self.0.wrapping_add(Sample::UNIT / 2) & ((1 << TOTAL_BITS) - 1);
        Sample(u32::try_from(rounded / Sample::UNIT).unwrap_or(u32::MAX))
    }

    /// Microseconds from `earlier` to this total; a sample that is later counts as none, since threads read the
    /// clock a little before they act on it.
    #[inline]
    pub(crate) fn since(self, earlier: Sample) -> u64 {
        let difference = self.0.wrapping_sub(u64::from(earlier.0) * Sample::UNIT);
        let signed = (difference << (64 - TOTAL_BITS)).cast_signed() >> (64 - TOTAL_BITS);
        u64::try_from(signed).unwrap_or(0)
    }
}

/// A total in the 32 bits that a ring can afford.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample(pub(crate) u32);

impl Sample {
    /// Microseconds that one step of a sample stands for.
    pub(crate) const UNIT: u64 = 1 << (TOTAL_BITS - 32);

    /// Microseconds from `earlier` to this sample; none where it is the later one.
    pub(crate) fn since(self, earlier: Self) -> u64 {
        let steps = self.0.wrapping_sub(earlier.0);
        if steps < 1 << 31 { u64::from(steps) * Self::UNIT } else { 0 }
    }
}

/// The constant that one running call adds when it starts at `at` and takes away when it stops.
#[inline]
fn running(at: Tick) -> u64 {
    (at.micros() << RUNNING_BITS).wrapping_add(1)
}

#[cfg(test)]
mod tests;
