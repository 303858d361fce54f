//! The one reader of clocks.
//!
//! Every decision takes `now` as an argument; the I/O crates get it here. [`Tick`] is monotonic and counts from the
//! beginning of the process, [`WallTime`] is what people read. Monotonic time comes from tokio's clock, so that a
//! paused runtime pretends it; a clock that is told its wall time pretends that too. Nothing else in the workspace
//! may ask for the time: `clippy.toml` forbids it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;
use weir_units::{Micros, Tick, WallTime};

/// Tells the time. Cloning is cheap, and clones agree.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    wall: Wall,
}

/// Where wall time comes from.
#[derive(Clone, Copy, Debug)]
enum Wall {
    /// The system's clock, with every correction that it gets.
    System,
    /// This point, and as much later as monotonic time has gone on.
    Pretended(WallTime),
}

impl Clock {
    /// A clock whose [`Tick::START`] is this moment. One process has one, made first of all.
    pub fn start() -> Self {
        Self { start: instant(), wall: Wall::System }
    }

    /// A clock whose wall time is `wall` at this moment and goes on with monotonic time, for tests.
    pub fn pretended(wall: WallTime) -> Self {
        Self { start: instant(), wall: Wall::Pretended(wall) }
    }

    /// Monotonic time since the start.
    pub fn tick(&self) -> Tick {
        Tick::START.plus(Micros::from(instant().saturating_duration_since(self.start)))
    }

    /// The time of day.
    pub fn wall(&self) -> WallTime {
        match self.wall {
            Wall::System => system_time(),
            Wall::Pretended(start) => start.plus(self.tick().since(Tick::START)),
        }
    }

    /// Waits until `tick` has come; at once where it has, for ever where it is [`Tick::NEVER`]. Safe to drop at any
    /// time.
    pub async fn sleep_until(&self, tick: Tick) {
        let after_start = Duration::from_micros(tick.micros());
        match self.start.checked_add(after_start) {
            Some(due) if tick != Tick::NEVER => tokio::time::sleep_until(due).await,
            Some(_) | None => std::future::pending().await,
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "the one reader of the clock")]
fn instant() -> Instant {
    Instant::now()
}

/// The system's time of day; a clock set before 1970 reads as 1970.
#[allow(clippy::disallowed_methods, reason = "the one reader of the clock")]
fn system_time() -> WallTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    WallTime::from_unix_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
