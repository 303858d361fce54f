//! What back pressure looks at, every other second (H16).

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use weir_clock::Clock;
use weir_spool::Spool;
use weir_transport::pressure::{Observation, Pressures};
use weir_units::{EventSink, Micros};

use crate::queues::Queues;

/// How often everything is measured.
const EVERY: Micros = Micros::SECOND.times(2);

/// What is measured, and who hears of it.
pub(crate) struct Watched {
    pub(crate) pressures: Arc<Mutex<Pressures>>,
    pub(crate) queues: Queues,
    pub(crate) spool: Arc<Spool>,
    pub(crate) events: EventSink,
    pub(crate) clock: Clock,
}

impl Watched {
    /// Measures until `stop` turns true.
    pub(crate) async fn watch(self, mut stop: watch::Receiver<bool>) {
        loop {
            self.look();
            let again = self.clock.tick().plus(EVERY);
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return,
                () = self.clock.sleep_until(again) => {}
            }
        }
    }

    fn look(&self) {
        let usage = self.spool.usage();
        let observation = Observation {
            queue_length: u64::try_from(self.queues.waiting()).ok(),
            disk: percent(usage.bytes, usage.bytes_limit),
            memory: resident_share(),
        };
        let now = self.clock.tick();
        let events = self.pressures.lock().unwrap_or_else(PoisonError::into_inner).observe(&observation, now);
        for event in events {
            self.events.emit(event);
        }
    }
}

/// `part` in percent of `whole`; nothing where that is nothing.
fn percent(part: u64, whole: u64) -> Option<u64> {
    part.saturating_mul(100).checked_div(whole)
}

/// The process's share of the machine's memory, in percent; nothing where the system does not say.
fn resident_share() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
    percent(kilobytes(&status, "VmRSS:")?, kilobytes(&memory, "MemTotal:")?)
}

/// The number of kilobytes that stands behind `name`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{kilobytes, percent, resident_share};

    #[test]
    fn a_share_of_nothing_is_no_share() {
        assert_eq!(
            (percent(1, 0), percent(1, 4), percent(u64::MAX, 2)),
            (None, Some(25), Some(u64::MAX / 2))
        );
    }

    #[test]
    fn a_number_is_found_by_its_name() {
        assert_eq!(kilobytes("VmPeak:\t 10 kB\nVmRSS:\t  7 kB\n", "VmRSS:"), Some(7));
        assert_eq!(kilobytes("VmPeak:\t 10 kB\n", "VmRSS:"), None);
    }

    #[test]
    fn this_process_has_some_of_the_memory_and_not_all() {
        assert!(resident_share().is_none_or(|share| share < 100));
    }
}
