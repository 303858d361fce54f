//! The thread that puts lines into files.
//!
//! It takes whatever has gathered and writes it together, so that a line is in its file when nothing else comes. A disk
//! that fails is told once; what was to be written then is dropped and counted, and the next try, a second later, begins
//! another file, so that no line follows half of one.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::files::Files;
use super::queue::{Batch, Queue};

/// How soon a disk that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Writer {
    queue: Arc<Queue>,
    files: Files,
    /// Lines that are missing and of which no line tells yet.
    missing: u64,
    failing: bool,
}

impl Writer {
    pub(super) const fn new(queue: Arc<Queue>, files: Files) -> Self {
        Self { queue, files, missing: 0, failing: false }
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self) {
        while let Some(batch) = self.queue.take() {
            if !self.put(&batch) {
                self.queue.pause(RETRY);
            }
        }
    }

    /// Writes a batch; says whether the disk took it.
    pub(super) fn put(&mut self, batch: &Batch) -> bool {
        let count = u64::try_from(batch.lines.len()).unwrap_or(u64::MAX);
        let written = self.write(batch).and_then(|()| self.files.flush());
        match written {
            Ok(()) => {
                self.missing = batch.dropped;
                if std::mem::take(&mut self.failing) {
                    tracing::info!(directory = %self.files.directory().display(), "the connectivity log is written again");
                }
                true
            }
            Err(error) => {
                self.files.abandon();
                self.queue.count_dropped(count);
                self.missing = self.missing.saturating_add(count).saturating_add(batch.dropped);
                if !std::mem::replace(&mut self.failing, true) {
                    let directory = self.files.directory().display();
                    tracing::error!(%directory, %error, "the connectivity log cannot be written; trying again every second");
                }
                false
            }
        }
    }

    /// The lines, behind one that says how many are missing before them.
    fn write(&mut self, batch: &Batch) -> io::Result<()> {
        if let Some((at, _)) = batch.lines.first().filter(|_| self.missing > 0) {
            let missing = self.missing;
            self.files.write(&format!("#Missing: {missing} lines that the disk did not take\r\n"), *at)?;
        }
        batch.lines.iter().try_for_each(|(at, line)| self.files.write(line, *at))
    }
}
