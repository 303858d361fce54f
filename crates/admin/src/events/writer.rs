//! The thread that writes the event log.

use std::process;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use weir_units::{Event, Level, WallTime};

use super::Shared;
use super::storm::Overdue;
use crate::journal::{Journal, timestamp};
use crate::types::EventRecord;

/// How often the thread looks for storms that are over, when nothing else happens.
const STORM_LOOK: Duration = Duration::from_secs(5);
/// The process that events come from.
const PROCESS: &str = "mailweir";
/// The longest text of an event or of a field that is written, in letters.
const MAX_TEXT: usize = 4096;
/// How many fields of an event are written.
const MAX_FIELDS: usize = 32;

/// What the thread is told.
#[derive(Debug)]
pub(super) enum Message {
    /// Write this event.
    Write(Entry),
    /// Write what is left and end.
    Close,
}

/// An event on its way to the file.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) at: WallTime,
    pub(super) event: Event,
    pub(super) suppressed: u64,
}

/// The thread's state.
pub(super) struct Writer {
    journal: Journal,
    shared: Arc<Shared>,
    failing: bool,
}

impl Writer {
    pub(super) fn new(journal: Journal, shared: Arc<Shared>) -> Self {
        Self { journal, shared, failing: false }
    }

    /// Writes until told to close, or until nobody can send any more.
    pub(super) fn run(mut self, entries: &Receiver<Message>) {
        loop {
            match entries.recv_timeout(STORM_LOOK) {
                Ok(Message::Write(entry)) => self.write(&entry),
                Err(RecvTimeoutError::Timeout) => self.tell_storms(Some((self.shared.now)())),
                Ok(Message::Close) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.tell_storms(None);
    }

    /// Writes a line for each storm that is over – or for all, where `now` is nothing.
    fn tell_storms(&mut self, now: Option<WallTime>) {
        let overdue = self.shared.storm().overdue(now);
        for storm in overdue {
            self.write(&summary(&storm, (self.shared.now)()));
        }
    }

    fn write(&mut self, entry: &Entry) {
        trace(entry);
        let written = self.journal.append(&line(entry));
        match written {
            Ok(()) => self.failing = false,
            // Said once, not for every event: the disk that is full stays full for a while.
            Err(error) if !self.failing => {
                self.failing = true;
                tracing::error!(%error, "the event log cannot be written; events go on to this log only");
            }
            Err(_) => {}
        }
    }
}

/// The line that says how many events of a storm were left out.
fn summary(storm: &Overdue, at: WallTime) -> Entry {
    let text =
        format!("{} more events {} came within a minute and were left out", storm.suppressed, storm.id);
    let event = Event { id: storm.id, level: storm.level, text, fields: Vec::new() };
    Entry { at, event, suppressed: storm.suppressed }
}

fn line(entry: &Entry) -> EventRecord {
    let fields = entry.event.fields.iter().take(MAX_FIELDS);
    EventRecord {
        time: timestamp(entry.at),
        id: entry.event.id.0,
        level: entry.event.level.name().to_owned(),
        text: shortened(&entry.event.text).to_owned(),
        process: PROCESS.to_owned(),
        pid: process::id(),
        fields: fields.map(|(name, value)| ((*name).to_owned(), shortened(value).to_owned())).collect(),
        suppressed: entry.suppressed,
    }
}

/// At most [`MAX_TEXT`] letters of `text`.
fn shortened(text: &str) -> &str {
    text.char_indices().nth(MAX_TEXT).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

fn trace(entry: &Entry) {
    let (id, text, suppressed) = (entry.event.id.0, entry.event.text.as_str(), entry.suppressed);
    match entry.event.level {
        Level::Information => tracing::info!(id, suppressed, "{text}"),
        Level::Warning => tracing::warn!(id, suppressed, "{text}"),
        Level::Error => tracing::error!(id, suppressed, "{text}"),
    }
}
