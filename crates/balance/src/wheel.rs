//! The wheel: whose turn it is, as a sequence that goes round, read without a lock.
//!
//! A turn is one addition to a counter, whose upper bits are the wheel's number: a wheel is changed by taking the counter
//! away – from then on every turn fails and its taker goes the slow way –, writing the slots and putting a counter with
//! the next number down. So each turn belongs to one wheel, and the builder knows how many turns the wheel before
//! gave. A reader that was held up may read a slot of a later wheel: a target that is as good.
//!
//! Changing a wheel is for one thread at a time: the selector's lock sees to that.

use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

/// Bits of the counter that count turns; those above are the wheel's number.
const COUNT_BITS: u32 = 44;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
/// Wheels are numbered modulo this; the last number means that there is no wheel.
const NUMBERS: u64 = (1 << (64 - COUNT_BITS)) - 1;
const CLOSED: u64 = NUMBERS << COUNT_BITS;

const NUMBER_SHIFT: u32 = 32;
const FORCED: u64 = 1 << 31;
const LENGTH_MASK: u64 = FORCED - 1;

/// A counter alone on its cache lines: every pick of every thread writes it.
#[derive(Debug)]
#[repr(align(128))]
struct Counter(AtomicU64);

/// The slots, and whose turn it is.
#[derive(Debug)]
pub(crate) struct Wheel {
    counter: Counter,
    /// The number, whether its members are chosen whatever their health, and how many slots are in use.
    head: AtomicU64,
    slots: Box<[AtomicU16]>,
}

/// One turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) member: u16,
    /// Turns that this wheel gave before.
    pub(crate) count: u64,
    /// The member is chosen whatever its health.
    pub(crate) forced: bool,
}

impl Wheel {
    /// An empty wheel with room for `slots`.
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            counter: Counter(AtomicU64::new(CLOSED)),
            head: AtomicU64::new(0),
            slots: (0..slots).map(|_| AtomicU16::new(0)).collect(),
        }
    }

    /// The next turn; nothing while the wheel is empty or being changed.
    #[inline]
    pub(crate) fn next(&self) -> Option<Turn> {
        let length = self.head.load(Ordering::Acquire) & LENGTH_MASK;
        if length == 0 {
            return None;
        }
        let turn = self.counter.0.fetch_add(1, Ordering::AcqRel);
        let head = self.head.load(Ordering::Acquire);
        if turn >> COUNT_BITS != head >> NUMBER_SHIFT {
            return None;
        }
        let count = turn & COUNT_MASK;
        Some(Turn { member: self.member(count)?, count, forced: head & FORCED != 0 })
    }

    /// Who has the turn `count`, without taking it.
    #[inline]
    pub(crate) fn member(&self, count: u64) -> Option<u16> {
        let length = self.head.load(Ordering::Acquire) & LENGTH_MASK;
        let slot = usize::try_from(count.checked_rem(length)?).ok()?;
        self.slots.get(slot).map(|member| member.load(Ordering::Relaxed))
    }

    /// How many slots are in use: after so many turns everybody had his.
    pub(crate) fn length(&self) -> u64 {
        self.head.load(Ordering::Acquire) & LENGTH_MASK
    }

    /// How many turns this wheel gave; none while it is closed.
    pub(crate) fn count_if_open(&self) -> u64 {
        turns_of(self.counter.0.load(Ordering::Acquire))
    }

    /// Whether its members are chosen whatever their health.
    pub(crate) fn is_forced(&self) -> bool {
        self.head.load(Ordering::Acquire) & FORCED != 0
    }

    /// Whether its counter has run into the number after some ten thousand billion turns, or it was never started: it
    /// gives no turn until it is started again.
    pub(crate) fn is_worn(&self) -> bool {
        let head = self.head.load(Ordering::Acquire);
        self.counter.0.load(Ordering::Acquire) >> COUNT_BITS != head >> NUMBER_SHIFT
    }

    /// Stops the wheel, and answers how many turns it gave.
    pub(crate) fn close(&self) -> u64 {
        turns_of(self.counter.0.swap(CLOSED, Ordering::AcqRel))
    }

    /// Starts a wheel that was closed, with these slots; those beyond its room are left out.
    pub(crate) fn open(&self, members: impl Iterator<Item = u16>, forced: bool) {
        let mut length: u64 = 0;
        for (slot, member) in self.slots.iter().zip(members) {
            slot.store(member, Ordering::Relaxed);
            length += 1;
        }
        let number = ((self.head.load(Ordering::Relaxed) >> NUMBER_SHIFT) + 1) % NUMBERS;
        let forced = if forced { FORCED } else { 0 };
        self.head.store(number << NUMBER_SHIFT | forced | length, Ordering::Release);
        self.counter.0.store(number << COUNT_BITS, Ordering::Release);
    }
}

fn turns_of(counter: u64) -> u64 {
    if counter >> COUNT_BITS == NUMBERS { 0 } else { counter & COUNT_MASK }
}

#[cfg(test)]
mod tests;
