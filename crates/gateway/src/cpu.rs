//! How busy the processor is, kept for whoever asks (T9).

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use weir_throttle::{Busy, CpuWindow};
use weir_units::Tick;

use crate::cpu_source::{CpuSample, Cpus};
use weir_clock::Clock;

/// How often the processor is looked at. Ten samples make the window of ten seconds.
const INTERVAL: Duration = Duration::from_secs(1);

/// The mean load of about the last ten seconds; reading it is one atomic.
#[derive(Debug, Default)]
pub(crate) struct CpuMeter {
    hundredths: AtomicU32,
}

impl CpuMeter {
    /// The mean load over all processors.
    pub(crate) fn busy(&self) -> Busy {
        Busy::new(self.hundredths.load(Ordering::Relaxed))
    }

    /// Pretends a load, for tests.
    #[cfg(test)]
    pub(crate) fn pretend(&self, busy: Busy) {
        self.hundredths.store(busy.hundredths(), Ordering::Relaxed);
    }

    /// Asks `sample` once a second, for ever. Where the kernel does not tell, nobody is delayed.
    pub(crate) async fn keep_looking(&self, mut sample: impl FnMut() -> io::Result<CpuSample>, clock: Clock) {
        let mut look = Look::default();
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        loop {
            ticks.tick().await;
            let busy = look.at(sample(), clock.tick());
            self.hundredths.store(busy.hundredths(), Ordering::Relaxed);
        }
    }
}

/// What was seen lately.
struct Look {
    window: CpuWindow,
    cpus: Option<Cpus>,
    failing: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { window: CpuWindow::new(1), cpus: None, failing: false }
    }
}

impl Look {
    /// The mean load, with what was seen at `now`.
    fn at(&mut self, sample: io::Result<CpuSample>, now: Tick) -> Busy {
        match sample {
            Ok(sample) => {
                // Another number of processors makes means of before and after incomparable.
                if self.cpus.replace(sample.cpus) != Some(sample.cpus) {
                    self.window = CpuWindow::new(1);
                }
                self.window.record(sample.cpus.mean(sample.used), now);
                self.failing = false;
            }
            Err(error) => {
                if !self.failing {
                    tracing::warn!(%error, "CPUStartPercent has no effect: the processor's load cannot be read");
                }
                *self = Self { failing: true, ..Self::default() };
            }
        }
        self.window.busy()
    }
}

#[cfg(test)]
mod tests;
