//! How busy the processor is, kept for whoever asks (T9).

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use weir_throttle::{Busy, CpuWindow};

use crate::clock::Clock;
use crate::cpu_source::sample;
use crate::settings::CpuSource;

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

    /// Looks at the processor once a second, for ever. Where the kernel does not tell, nobody is delayed.
    pub(crate) async fn keep_looking(&self, source: CpuSource, clock: Clock) {
        let mut window = CpuWindow::new(1);
        let mut cpus = None;
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        let mut reported = false;
        loop {
            ticks.tick().await;
            match sample(source) {
                Ok(sample) => {
                    // Another number of processors makes means of before and after incomparable.
                    if cpus.replace(sample.cpus) != Some(sample.cpus) {
                        window = CpuWindow::new(1);
                    }
                    window.record(sample.cpus.mean(sample.used), clock.tick());
                }
                Err(error) if !reported => {
                    tracing::warn!(%error, "CPUStartPercent has no effect: the processor's load cannot be read");
                    reported = true;
                }
                Err(_) => {}
            }
            self.hundredths.store(window.busy().hundredths(), Ordering::Relaxed);
        }
    }
}
