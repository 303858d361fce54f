//! When an unhealthy target is tried again (H5).
//!
//! A schedule is data: a glitch stage and a transient stage, each an interval and how many retries it makes, then one
//! interval for ever. Every interval counts from the end of the attempt before, so a slow connect timeout delays what
//! follows and never makes two attempts overlap.
//!
//! | schedule | glitch | transient | then |
//! |---|---|---|---|
//! | [`Schedule::hub`] | 4 × 1 min | 6 × 5 min | 10 min |
//! | [`Schedule::edge`] | 4 × 1 min | 6 × 10 min | 30 min |
//! | [`Schedule::origin`] | 4 × 5 s | 6 × 15 s | 60 s |

use weir_units::Micros;

/// The most retries that one stage may make.
pub const COUNT_MAX: u32 = 15;

/// The shortest interval between retries.
pub const INTERVAL_MIN: Micros = Micros::SECOND;

/// The longest interval between retries: a day.
pub const INTERVAL_MAX: Micros = Micros::MINUTE.times(24 * 60);

/// Some retries at one interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    interval: Micros,
    count: u32,
}

/// A retry schedule that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// A stage makes too many retries.
    #[error(
        "a stage of a retry schedule makes 0 to {COUNT_MAX} retries, and {given} is not; 0 skips the stage"
    )]
    Count {
        /// What was asked for.
        given: u32,
    },
    /// An interval is too short or too long.
    #[error("an interval of a retry schedule is 1 s to 24 h, and {} is not", .given.floor_millis())]
    Interval {
        /// What was asked for.
        given: Micros,
    },
}

impl Stage {
    /// `count` retries, each `interval` after the attempt before. A count of 0 skips the stage.
    ///
    /// # Errors
    /// [`ScheduleError`] unless the count is within 0–15 and the interval within 1 s–24 h.
    pub fn new(interval: Micros, count: u32) -> Result<Self, ScheduleError> {
        if count > COUNT_MAX {
            return Err(ScheduleError::Count { given: count });
        }
        Ok(Self { interval: checked(interval)?, count })
    }
}

/// When an unhealthy target is tried again: two stages, then one interval for ever.
///
/// ```
/// use weir_balance::Schedule;
/// use weir_units::Micros;
/// let hub = Schedule::hub();
/// assert_eq!(hub.interval(0), Micros::MINUTE, "the first retry comes a minute after the failure");
/// assert_eq!(hub.interval(4), Micros::MINUTE.times(5));
/// assert_eq!(hub.interval(1_000), Micros::MINUTE.times(10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    glitch: Stage,
    transient: Stage,
    steady: Micros,
}

impl Schedule {
    /// A schedule of `glitch`, then `transient`, then one retry every `steady` for ever.
    ///
    /// # Errors
    /// [`ScheduleError`] unless `steady` is within 1 s–24 h.
    pub fn new(glitch: Stage, transient: Stage, steady: Micros) -> Result<Self, ScheduleError> {
        Ok(Self { glitch, transient, steady: checked(steady)? })
    }

    /// The documents' values for a server inside the organisation.
    pub const fn hub() -> Self {
        Self::of_seconds(60, 300, 600)
    }

    /// The documents' values for a server at the edge.
    pub const fn edge() -> Self {
        Self::of_seconds(60, 600, 1800)
    }

    /// The shorter schedule for origins, whose users wait (H10).
    pub const fn origin() -> Self {
        Self::of_seconds(5, 15, 60)
    }

    /// How long after an attempt the next one comes, when `retries` were made in vain since the target was marked.
    pub fn interval(&self, retries: u32) -> Micros {
        if retries < self.glitch.count {
            return self.glitch.interval;
        }
        if retries - self.glitch.count < self.transient.count {
            return self.transient.interval;
        }
        self.steady
    }

    const fn of_seconds(glitch: u64, transient: u64, steady: u64) -> Self {
        Self {
            glitch: Stage { interval: Micros::SECOND.times(glitch), count: 4 },
            transient: Stage { interval: Micros::SECOND.times(transient), count: 6 },
            steady: Micros::SECOND.times(steady),
        }
    }
}

fn checked(interval: Micros) -> Result<Micros, ScheduleError> {
    if (INTERVAL_MIN..=INTERVAL_MAX).contains(&interval) {
        return Ok(interval);
    }
    Err(ScheduleError::Interval { given: interval })
}

#[cfg(test)]
mod tests;
