//! The event log (T16): what an administrator should hear about, in `log/events.jsonl`.
//!
//! Anything in the process may emit an [`Event`] and never waits for the disk: events pass through a queue of
//! [`QUEUE`] places to a thread that writes one JSON document a line – time, id, level, text, process name
//! and id, and the event's own fields. A storm is throttled: at most
//! [`EventSettings::per_minute`] lines a minute of one id; how many were left out stands in the next line's
//! `suppressed` field. An [`EventCounter`] hears of them all, for `mailweir_event_total{id}`. Each written
//! line also goes to `tracing`. An [`EventQuery`] finds them again.

mod query;
mod storm;
#[cfg(test)]
mod tests;
mod writer;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use weir_units::{Event, EventId, EventSink, WallTime};

use crate::journal::{Journal, Keep};
pub use query::EventQuery;
use storm::Storm;
use writer::{Entry, Message, Writer};

/// The file of the event log, within the log directory.
pub const EVENTS_FILE: &str = "events.jsonl";
/// How many events may wait for the disk; further ones are counted as suppressed.
pub const QUEUE: usize = 1024;

/// What tells the world's time.
pub type WallClock = Arc<dyn Fn() -> WallTime + Send + Sync>;

/// What counts every event, the suppressed ones included; it must not block.
pub type EventCounter = Arc<dyn Fn(EventId) + Send + Sync>;

/// The limits of the event log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventSettings {
    /// How many lines of one id are written in a minute.
    pub per_minute: u32,
    /// How large the file grows, in bytes, before it becomes the one older generation, `events.1.jsonl`.
    pub max_bytes: u64,
}

impl Default for EventSettings {
    fn default() -> Self {
        Self { per_minute: 20, max_bytes: 64 * 1024 * 1024 }
    }
}

/// The event log, open for writing. Dropping it writes what still waits.
pub struct EventLog {
    shared: Arc<Shared>,
    queue: Option<SyncSender<Message>>,
    writer: Option<JoinHandle<()>>,
}

struct Shared {
    storm: Mutex<Storm>,
    count: EventCounter,
    now: WallClock,
}

impl EventLog {
    /// Opens [`EVENTS_FILE`] in `directory`, making both where they are missing, and starts the writing
    /// thread.
    ///
    /// # Errors
    /// The file cannot be opened, or the system gives no thread.
    pub fn open(
        directory: &Path,
        settings: EventSettings,
        now: WallClock,
        count: EventCounter,
    ) -> io::Result<Self> {
        let journal = Journal::open(directory.join(EVENTS_FILE), settings.max_bytes, Keep::One)?;
        let shared = Arc::new(Shared { storm: Mutex::new(Storm::new(settings.per_minute)), count, now });
        let (queue, entries) = sync_channel(QUEUE);
        let writer = Writer::new(journal, Arc::clone(&shared));
        let writer = thread::Builder::new().name("events".to_owned()).spawn(move || writer.run(&entries))?;
        Ok(Self { shared, queue: Some(queue), writer: Some(writer) })
    }

    /// Where events are put. The sink never blocks; after the log is closed it only counts.
    pub fn sink(&self) -> EventSink {
        let shared = Arc::clone(&self.shared);
        let Some(queue) = self.queue.clone() else {
            return EventSink::none();
        };
        EventSink::new(move |event| shared.take(&queue, event))
    }
}

impl Drop for EventLog {
    fn drop(&mut self) {
        if let Some(queue) = self.queue.take() {
            // The thread is there until it reads this, so sending fails only if it is gone already.
            let _ = queue.send(Message::Close);
        }
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the event log's thread failed; its last events are lost");
        }
    }
}

impl fmt::Debug for EventLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventLog")
    }
}

impl Shared {
    /// Counts `event` and queues it, unless its id storms or the queue is full.
    fn take(&self, queue: &SyncSender<Message>, event: Event) {
        let at = (self.now)();
        let (id, level) = (event.id, event.level);
        (self.count)(id);
        let Some(suppressed) = self.storm().admit(id, level, at) else {
            return;
        };
        match queue.try_send(Message::Write(Entry { at, event, suppressed })) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.storm().give_back(id, suppressed.saturating_add(1));
            }
        }
    }

    fn storm(&self) -> std::sync::MutexGuard<'_, Storm> {
        self.storm.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
