//! The ROP rate of a session: operations passed to the origin in a sliding minute (R3).
//!
//! The minute is made of 20-s samples: the current one, two full ones, and of the oldest the share that has not expired
//! yet. A session younger than a minute has samples that are empty, so the time before it counts as idle. Samples lie
//! on the same borders for all sessions. Counts are kept exactly: a share of a sample is a fraction, and the comparison
//! with a latency multiplies and does not round.

use weir_units::{Micros, Tick};

/// The span of a sample, three of which make a minute.
pub const SAMPLE: Micros = Micros::new(20_000_000);

/// Operations passed, sample by sample.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RopRate {
    /// The number of the current sample.
    sample: u32,
    /// The current sample's operations first, those of the oldest last.
    counts: [u32; 4],
}

impl RopRate {
    /// `rops` more operations passed at `now`.
    #[inline]
    pub(crate) fn add(&mut self, rops: u32, now: Tick) {
        self.move_to(now);
        let [current, ..] = &mut self.counts;
        *current = current.saturating_add(rops);
    }

    /// The operations of the minute before `now`.
    #[inline]
    pub(crate) fn last_minute(mut self, now: Tick) -> RopsInMinute {
        self.move_to(now);
        let [current, last, before, oldest] = self.counts.map(u64::from);
        let gone = now.since(border(self.sample)).count().min(SAMPLE.count());
        RopsInMinute((current + last + before) * SAMPLE.count() + oldest * (SAMPLE.count() - gone))
    }

    /// A `now` before the current sample, read by a thread that was overtaken, is taken for its beginning.
    #[inline]
    fn move_to(&mut self, now: Tick) {
        let sample = u32::try_from(now.micros() / SAMPLE.count()).unwrap_or(u32::MAX);
        let [current, last, before, _] = self.counts;
        self.counts = match sample.saturating_sub(self.sample) {
            0 => return,
            1 => [0, current, last, before],
            2 => [0, 0, current, last],
            3 => [0, 0, 0, current],
            _ => [0; 4],
        };
        self.sample = sample;
    }
}

/// The moment at which a sample begins.
#[inline]
fn border(sample: u32) -> Tick {
    Tick::START.plus(SAMPLE.times(u64::from(sample)))
}

/// The operations of a session in a minute, to the twenty-millionth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RopsInMinute(u64);

impl RopsInMinute {
    /// The number of operations, to the nearest.
    pub const fn count(self) -> u64 {
        (self.0 + SAMPLE.count() / 2) / SAMPLE.count()
    }

    /// The mean gap between operations, rounded down; nothing where there was none.
    pub fn mean_gap(self) -> Option<Micros> {
        let gap = MINUTE_OF_SAMPLES.checked_div(u128::from(self.0))?;
        Some(Micros::new(u64::try_from(gap).unwrap_or(u64::MAX)))
    }

    /// Whether the mean gap is lower than `latency`, which is what backs a session off (R4).
    ///
    /// The documents differ: in one language they say higher. Their example, in which 40 operations a second pass at
    /// 25 ms and are too many at 100 ms, holds with lower alone.
    #[inline]
    pub fn outruns(self, latency: Micros) -> bool {
        u128::from(self.0) * u128::from(latency.count()) > MINUTE_OF_SAMPLES
    }
}

/// A minute divided by this many parts of an operation is a gap.
const MINUTE_OF_SAMPLES: u128 = 60_000_000 * 20_000_000;

#[cfg(test)]
mod tests;
