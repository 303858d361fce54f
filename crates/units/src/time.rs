//! Durations and points in time.
//!
//! Decisions are made on [`Tick`], a monotonic count of microseconds since the process began; [`WallTime`] is for
//! what people read. Arithmetic saturates: a clock that misbehaves makes a budget wrong, never the process dead.

use std::fmt;
use std::time::Duration;

/// A duration in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(u64);

impl Micros {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// One second.
    pub const SECOND: Self = Self(1_000_000);
    /// One minute, the span over which time parts are judged (T5).
    pub const MINUTE: Self = Self(60_000_000);

    /// A duration of `count` microseconds.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// The count of microseconds.
    pub const fn count(self) -> u64 {
        self.0
    }

    /// Whole milliseconds, the rest dropped.
    pub const fn floor_millis(self) -> Millis {
        Millis(self.0 / 1000)
    }

    /// Whole milliseconds, a started one counted whole: what a caller must wait is never rounded down.
    pub const fn ceil_millis(self) -> Millis {
        Millis(self.0.div_ceil(1000))
    }

    /// The sum, at most the largest duration.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, at least zero.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The duration `count` times over, at most the largest duration.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }
}

impl From<Duration> for Micros {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
    }
}

impl From<Micros> for Duration {
    fn from(micros: Micros) -> Self {
        Self::from_micros(micros.0)
    }
}

/// A duration in milliseconds, the unit of policies and of protocol answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(u64);

impl Millis {
    /// A duration of `count` milliseconds.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// The count of milliseconds.
    pub const fn count(self) -> u64 {
        self.0
    }

    /// The same duration in microseconds, at most the largest.
    pub const fn micros(self) -> Micros {
        Micros(self.0.saturating_mul(1000))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// A point in monotonic time: microseconds since the process began.
///
/// ```
/// use weir_units::{Micros, Tick};
/// let start = Tick::new(1_000);
/// assert_eq!(start.plus(Micros::SECOND).since(start), Micros::SECOND);
/// assert_eq!(start.since(Tick::new(2_000)), Micros::ZERO, "never negative");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(u64);

impl Tick {
    /// The beginning of the process.
    pub const START: Self = Self(0);
    /// A point that never comes.
    pub const NEVER: Self = Self(u64::MAX);

    /// The point `micros` microseconds after the beginning.
    pub const fn new(micros: u64) -> Self {
        Self(micros)
    }

    /// Microseconds since the beginning.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// The time from `earlier` to this point; zero where `earlier` is later.
    pub const fn since(self, earlier: Self) -> Micros {
        Micros(self.0.saturating_sub(earlier.0))
    }

    /// The point `after` later.
    #[must_use]
    pub const fn plus(self, after: Micros) -> Self {
        Self(self.0.saturating_add(after.0))
    }
}

/// A point in the world's time: microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WallTime(i64);

impl WallTime {
    /// The point `micros` microseconds after the Unix epoch.
    pub const fn from_unix_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the Unix epoch.
    pub const fn unix_micros(self) -> i64 {
        self.0
    }

    /// Whole seconds since the Unix epoch, rounded down.
    pub const fn unix_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// The point `after` later.
    #[must_use]
    pub fn plus(self, after: Micros) -> Self {
        Self(self.0.saturating_add(i64::try_from(after.0).unwrap_or(i64::MAX)))
    }

    /// How long it is since `earlier`; nothing where that is later, as when the clock was set back.
    pub const fn since(self, earlier: Self) -> Micros {
        if self.0 > earlier.0 { Micros(self.0.abs_diff(earlier.0)) } else { Micros::ZERO }
    }
}

#[cfg(test)]
mod tests;
