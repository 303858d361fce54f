//! The largest cost of the last minute, which is what an owner may use up in one round (T23).
//!
//! With a quantum that no call exceeds, nobody is passed over for more than one round because of one call: so a round is
//! as short as it can be, and a decision takes a bounded number of steps. The minute is made of 5-s slices, of which only
//! the largest cost is kept; a cost counts for a minute and up to a slice more.

use weir_units::{Micros, Tick};

use crate::minute::SLICE;

/// A minute of slices, and the one that is being filled.
const SLICES: usize = 13;

/// The largest cost of each of the last slices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quantum {
    /// The number of the slice that is being filled.
    slice: u64,
    /// By slice number, modulo their count.
    largest: [Micros; SLICES],
    /// The largest of them all.
    of_all: Micros,
}

impl Quantum {
    /// A call cost so much.
    #[inline]
    pub(crate) fn record(&mut self, cost: Micros, now: Tick) {
        self.move_to(now);
        if let Some(largest) = self.largest.get_mut(place(self.slice)) {
            *largest = cost.max(*largest);
        }
        self.of_all = cost.max(self.of_all);
    }

    /// The largest cost of the last minute; zero where there was none.
    #[inline]
    pub(crate) fn largest(&mut self, now: Tick) -> Micros {
        self.move_to(now);
        self.of_all
    }

    /// The same, as far as it is known without looking at the clock.
    #[inline]
    pub(crate) const fn of_all(&self) -> Micros {
        self.of_all
    }

    #[inline]
    fn move_to(&mut self, now: Tick) {
        let slice = now.micros() / SLICE.count();
        if slice > self.slice {
            self.turn(slice);
        }
    }

    #[cold]
    fn turn(&mut self, slice: u64) {
        let gone = usize::try_from(slice - self.slice).unwrap_or(SLICES).min(SLICES);
        for number in (self.slice + 1..).take(gone) {
            if let Some(largest) = self.largest.get_mut(place(number)) {
                *largest = Micros::ZERO;
            }
        }
        self.slice = slice;
        self.of_all = self.largest.into_iter().max().unwrap_or_default();
    }
}

fn place(slice: u64) -> usize {
    let slices = u64::try_from(SLICES).unwrap_or(1);
    usize::try_from(slice % slices).unwrap_or(0)
}

#[cfg(test)]
mod tests;
