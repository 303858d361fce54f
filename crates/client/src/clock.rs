//! The one reader of the clock in this crate: everything else is told the time.

use std::time::Duration;

use tokio::time::Instant;
use weir_units::{Micros, Tick};

/// Tells monotonic time, that of tokio's clock, so that a paused runtime pretends it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock whose [`Tick::START`] is this moment.
    pub(crate) fn start() -> Self {
        Self { start: instant() }
    }

    pub(crate) fn tick(self) -> Tick {
        Tick::START.plus(Micros::from(instant().saturating_duration_since(self.start)))
    }

    /// Waits until `tick` has come; for ever where that is later than any clock can say.
    pub(crate) async fn sleep_until(self, tick: Tick) {
        match self.start.checked_add(Duration::from_micros(tick.micros())) {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "the one reader of the clock")]
fn instant() -> Instant {
    Instant::now()
}
