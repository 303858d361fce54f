//! The thread that puts lines into files.
//!
//! It takes whatever has gathered in a few milliseconds and writes it with one call, so that a line is in the file within
//! a moment and a busy log costs few calls. A disk that fails is told once, and tried again every second until it works; meanwhile lines
//! wait in the bounded queue, and what does not fit there is dropped and counted.

use std::cell::RefCell;
use std::fmt::{self, Write};
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use weir_units::WallTime;

use super::files::Files;
use super::queue::{Batch, Queue};
use super::{Line, anonymised};

/// How soon a failed write is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// How long lines gather before they are written together: a thread that woke for each would cost more than its work.
const GATHER: Duration = Duration::from_millis(5);

/// The settings of the request log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// How long lines are kept; a file is deleted when its last line is older.
    pub keep: Duration,
    /// A file that is longer than so many bytes is followed by another one of the same day.
    pub file_bytes: u64,
    /// Whether files that are closed are gzipped.
    pub compress: bool,
    /// Lines that may wait for the disk.
    pub queue: usize,
    /// Whether clients' addresses are logged without the part that tells neighbours apart.
    pub anonymise_addresses: bool,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            keep: Duration::from_hours(30 * 24),
            file_bytes: 1 << 30,
            compress: true,
            queue: 10_000,
            anonymise_addresses: false,
        }
    }
}

/// Why the request log cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the request log in {directory}: {reason}; make the directory writable for this user")]
pub struct LogError {
    /// The log's directory.
    pub directory: PathBuf,
    /// What the system says.
    pub reason: io::Error,
}

thread_local! {
    /// Where a thread puts a line together, before the queue's lock is taken.
    static LINE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The request log. Dropping it writes what is waiting.
#[derive(Debug)]
pub struct RequestLog {
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
    anonymise_addresses: bool,
}

impl RequestLog {
    /// Opens the log in `directory`, which is made where it is missing, and begins the file of the day of `now`.
    ///
    /// # Errors
    /// Where the directory cannot be made or written, or no thread can be started.
    pub fn open(directory: &Path, settings: LogSettings, now: WallTime) -> Result<Self, LogError> {
        let failed = |reason| LogError { directory: directory.to_owned(), reason };
        let queue = Arc::new(Queue::new(settings.queue));
        let files = Files::open(directory, settings, now).map_err(failed)?;
        let writer = Writer {
            queue: Arc::clone(&queue),
            files,
            pending: Vec::new(),
            lines: 0,
            at: now,
            failing: false,
        };
        let thread = Builder::new().name("request-log".to_owned()).spawn(|| writer.run()).map_err(failed)?;
        let anonymise_addresses = settings.anonymise_addresses;
        Ok(Self { queue, thread: Mutex::new(Some(thread)), anonymise_addresses })
    }

    /// The line as it stands in the log: without what it shall not tell.
    pub fn as_logged<'a, S>(&self, mut line: Line<'a, S>) -> Line<'a, S> {
        line.client = self.logged(line.client);
        line
    }

    /// Hands a line to the writer. Never blocks on the disk; a line that does not fit is dropped and counted.
    pub fn write<S: fmt::Display>(&self, line: Line<'_, S>) {
        let line = self.as_logged(line);
        LINE.with_borrow_mut(|text| {
            text.clear();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line}");
            self.queue.push(line.at, text);
        });
    }

    /// The client's address as it may be written down, here or in any other log.
    pub(crate) fn logged(&self, client: IpAddr) -> IpAddr {
        if self.anonymise_addresses { anonymised(client) } else { client }
    }

    /// Lines that were dropped so far.
    pub fn dropped(&self) -> u64 {
        self.queue.dropped()
    }

    /// Writes everything that is waiting, and ends. Lines that come later are dropped. Blocks for as long as the disk
    /// takes; a disk that fails is tried once more, and no longer.
    pub fn close(&self) {
        self.queue.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the request log's thread has died; lines are missing");
        }
    }
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        self.close();
    }
}

struct Writer {
    queue: Arc<Queue>,
    files: Files,
    /// What is not in a file yet.
    pending: Vec<u8>,
    /// How many lines that is, at most.
    lines: u64,
    /// The time that the last of them tells of.
    at: WallTime,
    failing: bool,
}

impl Writer {
    fn run(mut self) {
        while let Some(batches) = self.queue.take() {
            for batch in batches {
                if self.files.is_another_day(batch.day) {
                    self.files.begin_day(batch.day);
                }
                let Batch { at, lines, text, .. } = batch;
                (self.at, self.lines, self.pending) = (at, lines, text);
                self.flush();
                self.queue.give_back(std::mem::take(&mut self.pending));
            }
            self.queue.pause(GATHER);
        }
    }

    /// Writes what is pending, as often as it takes; at the end of the log only twice.
    fn flush(&mut self) {
        let mut closed = false;
        while let Err(error) = self.files.write(&mut self.pending, self.at) {
            self.tell_once(&error);
            if closed {
                self.queue.count_dropped(self.lines);
                self.pending.clear();
                break;
            }
            closed = self.queue.pause(RETRY);
        }
        self.lines = 0;
        if self.pending.is_empty() && self.failing && !closed {
            self.failing = false;
            tracing::info!(path = %self.files.path().display(), "the request log is written again");
        }
    }

    fn tell_once(&mut self, error: &io::Error) {
        if !self.failing {
            self.failing = true;
            let path = self.files.path();
            tracing::error!(path = %path.display(), %error, "the request log cannot be written; trying again every second");
        }
    }
}

#[cfg(test)]
mod tests;
