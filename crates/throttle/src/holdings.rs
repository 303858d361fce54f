//! What all calls of one budget hold, counted in one word: places, waiting and hanging calls, items found.
//!
//! One exchange takes or gives several of them at once, so that each count is exact under races and a call that ends
//! gives back everything in one step (T7, T10, T25).
//!
//! ```text
//! 63         34  33  32      22 21     11 10      0
//! | found      |lone| hanging | waiting  | places  |
//! ```

use crate::sync::{AtomicU64, Ordering};

/// How many calls one budget can count. A policy without a limit, or with a higher one, stops here.
pub const PLACES_MAX: u32 = (1 << COUNT_BITS) - 1;

const COUNT_BITS: u32 = 11;
const WAITING_SHIFT: u32 = COUNT_BITS;
const HANGING_SHIFT: u32 = 2 * COUNT_BITS;
const LONE_SHIFT: u32 = 3 * COUNT_BITS;
const FOUND_SHIFT: u32 = LONE_SHIFT + 1;

/// A place.
pub(crate) const PLACE: Counts = Counts(1);
/// A waiting call.
pub(crate) const WAITING: Counts = Counts(1 << WAITING_SHIFT);
/// A hanging call.
pub(crate) const HANGING: Counts = Counts(1 << HANGING_SHIFT);
/// The right to the lone hand of the clocks ([`crate::clock::Hand`]).
pub(crate) const LONE: Counts = Counts(1 << LONE_SHIFT);

/// Several counts at one moment, or what changes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts(u64);

impl Counts {
    /// So many items found, as many as fit.
    #[inline]
    pub(crate) fn found_items(n: u32) -> Self {
        Self(u64::from(n.min(Self::FOUND_MAX)) << FOUND_SHIFT)
    }

    pub(crate) const FOUND_MAX: u32 = (1 << (64 - FOUND_SHIFT)) - 1;

    #[inline]
    pub(crate) fn places(self) -> u32 {
        self.count(0)
    }

    #[inline]
    pub(crate) fn waiting(self) -> u32 {
        self.count(WAITING_SHIFT)
    }

    #[inline]
    pub(crate) fn hanging(self) -> u32 {
        self.count(HANGING_SHIFT)
    }

    /// Whether a call has the lone hand.
    #[inline]
    pub(crate) fn is_lone_taken(self) -> bool {
        self.0 & LONE.0 != 0
    }

    #[inline]
    pub(crate) fn found(self) -> u32 {
        u32::try_from(self.0 >> FOUND_SHIFT).unwrap_or(u32::MAX)
    }

    /// How many more items can be counted.
    #[inline]
    pub(crate) fn found_room(self) -> u32 {
        Self::FOUND_MAX - self.found()
    }

    #[inline]
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    fn count(self, shift: u32) -> u32 {
        u32::try_from((self.0 >> shift) & u64::from(PLACES_MAX)).unwrap_or(PLACES_MAX)
    }
}

/// The counts of one budget.
#[derive(Debug)]
pub(crate) struct Holdings(AtomicU64);

impl Holdings {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    #[inline]
    pub(crate) fn read(&self) -> Counts {
        Counts(self.0.load(Ordering::Acquire))
    }

    /// Takes what `wanted` makes of the counts, or fails as it does.
    #[inline]
    pub(crate) fn take<E>(&self, wanted: impl Fn(Counts) -> Result<Counts, E>) -> Result<Counts, E> {
        let mut counts = self.read();
        loop {
            let taken = wanted(counts)?;
            let after = counts.plus(taken);
            match self.0.compare_exchange_weak(counts.0, after.0, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Ok(taken),
                Err(found) => counts = Counts(found),
            }
        }
    }

    /// Takes `taken`, whatever there is. For items found alone: they are the topmost count, so that even a thousand
    /// million of them could not run into the others.
    #[inline]
    pub(crate) fn add(&self, taken: Counts) {
        self.0.fetch_add(taken.0, Ordering::AcqRel);
    }

    /// Gives back what was taken, and answers what is left.
    #[inline]
    pub(crate) fn give(&self, taken: Counts) -> Counts {
        let before = Counts(self.0.fetch_sub(taken.0, Ordering::AcqRel));
        debug_assert!(before.covers(taken), "what is given back was taken: {taken:?} of {before:?}");
        Counts(before.0.wrapping_sub(taken.0))
    }
}

impl Counts {
    fn covers(self, other: Self) -> bool {
        self.places() >= other.places()
            && self.waiting() >= other.waiting()
            && self.hanging() >= other.hanging()
            && self.found() >= other.found()
            && (self.is_lone_taken() || !other.is_lone_taken())
    }
}

#[cfg(test)]
mod tests;
