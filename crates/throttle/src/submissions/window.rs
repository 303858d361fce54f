//! A count over a sliding window of slices.

use weir_units::{Micros, Tick};

/// What was counted in the last `SLICES` slices, the current one among them.
#[derive(Debug)]
pub(super) struct Window<const SLICES: usize> {
    slice: Micros,
    /// The counts, each at its slice's number modulo their number.
    counts: [u32; SLICES],
    /// The number of the latest slice in which anything was counted.
    latest: u64,
}

impl<const SLICES: usize> Window<SLICES> {
    /// Nothing was counted.
    pub(super) const fn new(slice: Micros) -> Self {
        Self { slice, counts: [0; SLICES], latest: 0 }
    }

    /// Counts `more` at `now`. A slice holds no more than a `u32`.
    pub(super) fn add(&mut self, more: u32, now: Tick) {
        if more == 0 {
            return;
        }
        let current = self.current(now);
        let expired = (current - self.latest).min(Self::length());
        for number in current + 1 - expired..=current {
            *self.count_mut(number) = 0;
        }
        self.latest = current;
        let count = self.count_mut(current);
        *count = count.saturating_add(more);
    }

    /// What counts at `now`.
    pub(super) fn used(&self, now: Tick) -> u64 {
        self.numbers(self.current(now)).map(|number| u64::from(self.count(number))).sum()
    }

    /// What counts at `now`, and from when on `more` fit under `limit` if nothing else is counted; nothing where there is no
    /// limit, or where they never fit.
    pub(super) fn look(&self, limit: Option<u32>, more: u32, now: Tick) -> (u64, Option<Tick>) {
        let used = self.used(now);
        let Some(room) = limit.and_then(|limit| limit.checked_sub(more)) else { return (used, None) };
        let mut left = used;
        for number in self.numbers(self.current(now)) {
            if left <= u64::from(room) {
                break;
            }
            left -= u64::from(self.count(number));
            if left <= u64::from(room) {
                return (used, Some(self.border(number + Self::length())));
            }
        }
        (used, Some(now))
    }

    /// The numbers of the slices that count while `current` is the current one and of which something may be known, the
    /// oldest first.
    fn numbers(&self, current: u64) -> std::ops::RangeInclusive<u64> {
        (current + 1).saturating_sub(Self::length())..=self.latest
    }

    /// The number of the slice that `now` is in; never an earlier one than something was counted in, though callers may come
    /// with moments that are not quite in their order.
    fn current(&self, now: Tick) -> u64 {
        (now.micros() / self.slice.count()).max(self.latest)
    }

    fn border(&self, number: u64) -> Tick {
        Tick::new(number.saturating_mul(self.slice.count()))
    }

    fn count(&self, number: u64) -> u32 {
        self.counts.get(Self::place(number)).copied().unwrap_or_default()
    }

    fn count_mut(&mut self, number: u64) -> &mut u32 {
        self.counts.get_mut(Self::place(number)).expect("a remainder is smaller than the window is long")
    }

    fn place(number: u64) -> usize {
        usize::try_from(number % Self::length()).unwrap_or(0)
    }

    const fn length() -> u64 {
        #[allow(clippy::as_conversions, reason = "a number of slices is small, and `try_from` is not const")]
        {
            SLICES as u64
        }
    }
}
