//! What calls of one kind take at an origin, and whether that has changed since the limit was found (T23).

use crate::fair::sample::Sample;

/// A call counts for so many usual ones at most.
pub(super) const ODD: f64 = 8.0;
/// The share of the last call in what is usual, after the first few.
const LAST: f64 = 1.0 / 64.0;
/// How much longer or shorter calls take between trials before the limit is looked for again.
const CHANGED: f64 = 1.6;
/// Calls of which that is said: at least, and for a variance as large as the square of the mean.
const BLOCK: (f64, f64) = (64.0, 144.0);

/// What calls of a kind take, in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usual {
    count: f64,
    mean: f64,
    /// The mean of its square.
    square: f64,
    /// Calls between trials, and what they took after the limit was found.
    block: Sample,
    before: Option<f64>,
    /// Whether a block has ended: of those that started together, the shortest end first.
    is_under_way: bool,
}

impl Usual {
    pub(super) const fn mean(&self) -> f64 {
        self.mean
    }

    /// The variance of what a call takes, as a share of the square of its mean.
    pub(super) fn spread(&self) -> f64 {
        if self.mean > 0.0 { (self.square / (self.mean * self.mean) - 1.0).max(0.0) } else { 0.0 }
    }

    /// A call has taken so much: what counts of that, and whether it is odd.
    pub(super) fn note(&mut self, took: f64) -> (f64, bool) {
        let most = if self.count > 0.0 { self.mean * ODD } else { took };
        let counts = took.min(most);
        self.count += 1.0;
        let weight = self.count.recip().max(LAST);
        self.mean += (counts - self.mean) * weight;
        self.square += (counts * counts - self.square) * weight;
        (counts, took > most)
    }

    /// Whether calls between trials, of which one more counts for `time`, take longer or shorter than they did.
    pub(super) fn has_changed(&mut self, time: f64, places: u32) -> bool {
        self.block.add(time);
        let block = BLOCK.0.max(f64::from(places) * 2.0).max(self.spread() * BLOCK.1);
        if self.block.count < block {
            return false;
        }
        let mean = std::mem::take(&mut self.block).mean();
        let Some(mean) = mean.filter(|_| std::mem::replace(&mut self.is_under_way, true)) else {
            return false;
        };
        let before = *self.before.get_or_insert(mean);
        let unsure = 4.0 * (self.spread() * 2.0 / block).sqrt();
        (mean / before).ln().abs() > CHANGED.ln().max(unsure)
    }

    /// A trial lies between the calls that were looked at and those to come.
    pub(super) fn pause(&mut self) {
        (self.block, self.is_under_way) = (Sample::default(), false);
    }

    /// The limit has been found anew, and what calls take with it is not known yet.
    pub(super) fn begin(&mut self) {
        self.pause();
        self.before = None;
    }
}
