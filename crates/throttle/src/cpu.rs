//! How busy the processor is, and what delay that asks for (T9).
//!
//! Samples of processor time go into a [`CpuWindow`], which answers with the mean over about the last ten seconds and
//! all cores. [`cpu_delay`] is the rule itself: nothing below the policy's start, a mere yield at it, and from there on
//! linearly up to half a second at full load. The window reads no clock and no counter: whoever samples hands both in.

use std::collections::VecDeque;

use weir_units::{Micros, Millis, Percent, Tick};

/// The span that the mean is taken over.
pub const WINDOW: Micros = Micros::new(10_000_000);
/// The delay of one check at full load.
pub const DELAY_MAX: Millis = Millis::new(500);
/// Samples that a window keeps. Sampling faster than every 160 ms shortens the window.
pub const SAMPLES_MAX: usize = 64;

/// How busy the processor is over all cores, in hundredths of a percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Busy(u32);

impl Busy {
    /// Every core works all the time.
    pub const FULL: Self = Self(10_000);

    /// A share in hundredths of a percent, at most [`Busy::FULL`].
    pub const fn new(hundredths: u32) -> Self {
        if hundredths < Self::FULL.0 { Self(hundredths) } else { Self::FULL }
    }

    /// Hundredths of a percent.
    pub const fn hundredths(self) -> u32 {
        self.0
    }
}

impl From<Percent> for Busy {
    fn from(percent: Percent) -> Self {
        Self::new(percent.count().saturating_mul(100))
    }
}

/// The delay that one check owes when the processor is `busy` and the policy's delays begin at `start`.
///
/// Zero is a yield. Nothing is owed below the start, without a start, and with a start of 100 % or more.
///
/// ```
/// use weir_throttle::{Busy, cpu_delay};
/// use weir_units::{Millis, Percent};
/// let start = Some(Percent::new(75));
/// assert_eq!(cpu_delay(Busy::new(7499), start), None);
/// assert_eq!(cpu_delay(Busy::new(7500), start), Some(Millis::new(0)));
/// assert_eq!(cpu_delay(Busy::new(8750), start), Some(Millis::new(250)));
/// assert_eq!(cpu_delay(Busy::FULL, start), Some(Millis::new(500)));
/// assert_eq!(cpu_delay(Busy::FULL, Some(Percent::new(100))), None);
/// ```
pub fn cpu_delay(busy: Busy, start: Option<Percent>) -> Option<Millis> {
    let start = Busy::from(start?);
    if start == Busy::FULL || busy < start {
        return None;
    }
    let (over, room) = (u64::from(busy.0 - start.0), u64::from(Busy::FULL.0 - start.0));
    Some(Millis::new((DELAY_MAX.count() * over + room / 2) / room))
}

/// A rolling mean of how busy the processor is.
#[derive(Clone, Debug)]
pub struct CpuWindow {
    cores: u64,
    samples: VecDeque<(Micros, Tick)>,
}

impl CpuWindow {
    /// An empty window for a machine with `cores` cores.
    pub fn new(cores: u32) -> Self {
        Self { cores: u64::from(cores.max(1)), samples: VecDeque::with_capacity(SAMPLES_MAX) }
    }

    /// Takes the processor time that was used since the process – or the machine – began, over all cores.
    ///
    /// A sample that is not later than the last one is ignored, and a counter that goes back begins the window anew.
    pub fn record(&mut self, used: Micros, now: Tick) {
        if let Some((last_used, last)) = self.samples.back().copied() {
            if now <= last {
                return;
            }
            if used < last_used {
                self.samples.clear();
            }
        }
        // The sample before the window's beginning stays: the mean is taken from there.
        while self.samples.get(1).is_some_and(|(_, at)| now.since(*at) >= WINDOW)
            || self.samples.len() >= SAMPLES_MAX
        {
            self.samples.pop_front();
        }
        self.samples.push_back((used, now));
    }

    /// The mean over the window; idle while there are fewer than two samples.
    pub fn busy(&self) -> Busy {
        let ends = self.samples.front().zip(self.samples.back());
        let Some(((first_used, first), (last_used, last))) = ends else { return Busy::default() };
        let capacity = last.since(*first).times(self.cores);
        let share =
            last_used.minus(*first_used).times(Busy::FULL.0.into()).count().checked_div(capacity.count());
        Busy::new(share.and_then(|share| u32::try_from(share).ok()).unwrap_or(if share.is_none() {
            0
        } else {
            u32::MAX
        }))
    }
}

#[cfg(test)]
mod tests;
