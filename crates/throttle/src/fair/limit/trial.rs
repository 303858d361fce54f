//! One trial: some calls with fewer places and some with more, and what their times say (T23).
//!
//! An origin does the work of so many calls in the time of a side as it can work on at once. The work of those on the side
//! with more places is what they would have taken on the other side, where fewer queue; the time of the side is what
//! they took together, divided by its places. So each kind of call counts as often as it ran with more places, on either
//! side, and what is left is a ratio of totals, whatever the kinds cost and however they are mixed.

use super::kind::{ByKind, Kind};
use super::usual::{ODD, Usual};
use crate::fair::sample::{Sample, Weighted};

/// Calls of one part of a trial at least; as many as there are places otherwise, and twice that where the limit is sure.
pub(super) const PART: u32 = 16;

/// The calls of a trial.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trial {
    /// Which of all it is; none has zero.
    pub(super) number: u32,
    /// The places of its sides.
    pub(super) few: u32,
    pub(super) many: u32,
    /// What they took.
    took_few: ByKind<Sample>,
    took_many: ByKind<Sample>,
    /// Calls that have not ended, that failed, and that took much longer than usual.
    pub(super) open: u32,
    failed: f64,
    odd: f64,
    /// The side of which the next part begins.
    pub(super) many_first: bool,
}

/// The side of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// With fewer places.
    Few,
    /// With more.
    Many,
}

/// What a trial has shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// How many calls the origin works on.
    pub(super) places: f64,
    /// The variance of its logarithm.
    pub(super) variance: f64,
    /// How much shorter calls are with few than with many, as a logarithm, and the most that it may be.
    pub(super) ratio: f64,
    pub(super) span: f64,
    /// Where between the sides it lies: 0 at the one with fewer places, 1 at the one with more.
    pub(super) position: f64,
    /// What a call takes with many.
    pub(super) took: f64,
}

impl Trial {
    /// The next one, with so many places on either side.
    pub(super) fn after(&self, few: u32, many: u32) -> Self {
        let (number, many_first) = (self.number % u32::MAX + 1, self.many_first);
        Self { number, few, many, many_first, ..Self::default() }
    }

    /// A call of that side has ended: what counts of its time, and whether that is odd; nothing where it failed.
    pub(super) fn end(&mut self, side: Side, kind: Kind, time: Option<(f64, bool)>) {
        self.open = self.open.saturating_sub(1);
        let Some((time, is_odd)) = time else {
            self.failed += 1.0;
            return;
        };
        self.odd += f64::from(u8::from(is_odd));
        let took = match side {
            Side::Few => &mut self.took_few,
            Side::Many => &mut self.took_many,
        };
        took.of_mut(kind).add(time);
    }

    pub(super) fn calls_with_few(&self) -> f64 {
        self.took_few.both().map(|sample| sample.count).iter().sum()
    }

    /// What its ratio is, as a logarithm, where the origin works on so many calls.
    pub(super) fn expects(&self, estimate: f64) -> f64 {
        let (few, many) = (f64::from(self.few), f64::from(self.many));
        (estimate.clamp(few, many) / many).ln()
    }

    /// What can be told of it; nothing where too many failed or took longer than anything usual.
    pub(super) fn seen(&self, usual: &ByKind<Usual>) -> Option<Seen> {
        let sides = [self.took_few.both(), self.took_many.both()];
        let count: f64 = sides.as_flattened().iter().map(|sample| sample.count).sum();
        if self.failed > count || self.odd * ODD > count {
            return None;
        }
        let (few, many) = (f64::from(self.few), f64::from(self.many));
        let (mut took_few, mut took) = (Weighted::default(), Weighted::default());
        let [with_few, with_many] = sides;
        for ((one, other), usual) in with_few.into_iter().zip(with_many).zip(usual.both()) {
            if one.count > 0.0 && other.count > 0.0 {
                took_few.add(one, other.count, usual.spread());
                took.add(other, other.count, usual.spread());
            }
        }
        let (ratio, span) = ((took_few.mean()? / took.mean()?).ln(), (many / few).ln());
        let places = (many * ratio.exp()).clamp(few / 2.0, many * 2.0);
        Some(Seen {
            places,
            variance: took_few.error_squared() * alike(few, places)
                + took.error_squared() * alike(many, places),
            ratio,
            span,
            position: 1.0 + ratio / span,
            took: took.mean()?,
        })
    }
}

impl Seen {
    /// The error of its ratio, as a share of what it can be.
    pub(super) fn error(&self) -> f64 {
        self.variance.sqrt() / self.span
    }
}

/// How many calls of a side say no more than one, since they waited at the origin for one another.
///
/// Where many more run than are worked on, each waits for as many others, and the next one for almost the same: the times
/// differ little and seem to be sure, while all of them are long or short together.
fn alike(places: f64, worked_on: f64) -> f64 {
    let waiting = (places - worked_on).clamp(0.0, places - 1.0);
    let part = f64::from(PART).max(places);
    (1.0 + waiting) / (1.0 + waiting / part)
}

#[cfg(test)]
mod tests;
