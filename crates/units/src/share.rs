//! Shares of one minute.

use crate::time::Micros;

/// A share of one minute, in whole percent. More than 100 % is allowed, since calls run in parallel (T2).
///
/// ```
/// use weir_units::{Millis, Percent};
/// assert_eq!(Percent::new(90).of_minute(), Millis::new(54_000).micros());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(u32);

impl Percent {
    /// A share of `percent` %.
    pub const fn new(percent: u32) -> Self {
        Self(percent)
    }

    /// The whole percents.
    pub const fn count(self) -> u32 {
        self.0
    }

    /// What this share of one minute allows.
    pub const fn of_minute(self) -> Micros {
        Micros::new(Micros::MINUTE.count() / 100).times(widen(self.0))
    }

    /// How much of one minute `used` is, rounded down: 17 093 ms are 28 % (T17).
    pub const fn of_minute_used(used: Micros) -> u64 {
        used.count().saturating_mul(100) / Micros::MINUTE.count()
    }
}

#[allow(clippy::as_conversions, reason = "lossless; `From` is not const")]
const fn widen(value: u32) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests;
