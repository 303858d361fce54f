//! Messages in the last minute, in slices of five seconds.

use weir_units::{Micros, Tick};

const SLICES: usize = 12;
const SLICE: u64 = Micros::MINUTE.count() / 12;

/// How many things happened in the last minute, exact to one slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    slices: [u32; SLICES],
    /// The number of the latest slice since the process began.
    latest: u64,
}

impl Rate {
    /// Counts one.
    pub fn count(&mut self, now: Tick) {
        self.turn(now);
        if let Some(slice) = self.slices.get_mut(place(self.latest)) {
            *slice = slice.saturating_add(1);
        }
    }

    /// How many there were in the last minute.
    pub fn last_minute(&self, now: Tick) -> u64 {
        let mut turned = *self;
        turned.turn(now);
        turned.slices.iter().map(|slice| u64::from(*slice)).sum()
    }

    /// Empties the slices that are over a minute old.
    fn turn(&mut self, now: Tick) {
        let current = now.micros() / SLICE;
        let passed = current.saturating_sub(self.latest).min(12);
        for ago in 0..passed {
            if let Some(slice) = self.slices.get_mut(place(current - ago)) {
                *slice = 0;
            }
        }
        self.latest = self.latest.max(current);
    }
}

fn place(slice: u64) -> usize {
    usize::try_from(slice % 12).unwrap_or(0)
}

#[cfg(test)]
mod tests;
