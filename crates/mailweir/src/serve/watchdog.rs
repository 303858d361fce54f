//! Signs of life for the service manager, as systemd's `WatchdogSec=` asks for them.
//!
//! The environment says how long the manager waits for a sign before it kills the server and starts it again; one is
//! given twice in that time. Each is earned: the tasks that accept connections run, every thread that serves them has taken
//! its turn, and a thread for blocking work has asked the directory. An answer that is an error is a sign of life, silence
//! is none. Load is no reason to be killed: nothing here waits for a place among connections or calls.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};
use weir_directory::{Directory, Store};
use weir_gateway::Threads;

use super::notify::{State, tell};

/// What has to be alive.
pub(super) struct Watchdog {
    /// The tasks that serve; they may be at their end only when the server stops.
    pub(super) serving: Vec<AbortHandle>,
    /// The threads that serve.
    pub(super) threads: Threads,
    /// Turns true when the server stops.
    pub(super) stopping: watch::Receiver<bool>,
    /// The directory.
    pub(super) store: Arc<Store>,
}

impl Watchdog {
    /// Begins to give signs, where the manager waits for any.
    pub(super) fn start(self) {
        if let Some(period) = period(|name| std::env::var(name).ok(), std::process::id()) {
            tokio::spawn(self.keep_telling(period));
        }
    }

    /// Gives a sign of life every `period`, as long as there is one to give.
    async fn keep_telling(self, period: Duration) {
        let mut ticks = interval(period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match self.look(period).await {
                Ok(()) => tell(State::Alive),
                Err(what) => tracing::error!("no sign of life for the service manager: {what}"),
            }
        }
    }

    /// Whether everything is alive, and no answer takes longer than `patience`.
    async fn look(&self, patience: Duration) -> Result<(), &'static str> {
        if !*self.stopping.borrow() && self.serving.iter().any(AbortHandle::is_finished) {
            return Err("a task that accepts connections has ended");
        }
        let turned = timeout(patience, self.threads.answer()).await;
        turned.map_err(|_| "a thread that serves connections hangs")?;
        let store = Arc::clone(&self.store);
        let asked = tokio::task::spawn_blocking(move || {
            // Whatever it answers: the fallback policy is for a directory that fails.
            let _ = store.version();
        });
        match timeout(patience, asked).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err("asking the directory has panicked"),
            Err(_) => Err("the directory has not answered in time"),
        }
    }
}

/// How often a sign is to be given, by `variable` of the environment and the process's own `id`; nothing where nobody
/// waits for any.
fn period(variable: impl Fn(&str) -> Option<String>, id: u32) -> Option<Duration> {
    let is_ours = variable("WATCHDOG_PID").is_none_or(|pid| pid.parse() == Ok(id));
    let allowed: u64 = variable("WATCHDOG_USEC")?.parse().ok()?;
    (is_ours && allowed > 1).then(|| Duration::from_micros(allowed / 2))
}

#[cfg(test)]
mod tests;
