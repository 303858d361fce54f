//! The connectivity log on disk: when and why connections were made, and targets marked (H11).
//!
//! What a line says, what its file is called and which files go is decided in [`weir_transport::connectivity`]; here a
//! thread of its own writes. A delivery never waits for the disk: lines wait in a bounded queue, and those that do not
//! fit, or that a disk did not take, are dropped and counted; a line of the log says so where they are missing. A log
//! that is off costs nothing: its lines are not even put together.

mod files;
mod queue;
mod writer;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use weir_clock::Clock;
use weir_transport::connectivity::{self, Line, RotationSettings};

use self::files::Files;
use self::queue::Queue;
use self::writer::Writer;

/// The connectivity log. Dropping it writes what waits.
#[derive(Debug)]
pub(crate) struct ConnectivityLog {
    clock: Clock,
    /// The next session.
    sessions: AtomicU64,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl ConnectivityLog {
    /// Opens the log in a directory, which is made where it is missing; without one the log is off.
    ///
    /// # Errors
    /// The directory cannot be made or written to, or no thread can be started.
    pub(crate) fn open(log: Option<(PathBuf, RotationSettings)>, clock: Clock) -> io::Result<Self> {
        let running =
            log.map(|(directory, settings)| Running::open(directory, settings, clock)).transpose()?;
        // Sessions of one process after another have different numbers, as long as none has a million a second.
        let first = u64::try_from(clock.wall().unix_micros()).unwrap_or(0);
        Ok(Self { clock, sessions: AtomicU64::new(first), running })
    }

    /// The number of one more session.
    pub(crate) fn session(&self) -> u64 {
        self.sessions.fetch_add(1, Ordering::Relaxed)
    }

    /// Writes a line, which is put together only where the log is on. It never waits for the disk.
    pub(crate) fn write<'a>(&self, line: impl FnOnce(connectivity::Clock) -> Line<'a>) {
        let Some(running) = &self.running else { return };
        let now = connectivity::Clock { tick: self.clock.tick(), wall: self.clock.wall() };
        let line = line(now);
        running.queue.push(line.at, line.to_string());
    }

    /// Lines that are missing in the log.
    pub(crate) fn dropped(&self) -> u64 {
        self.running.as_ref().map_or(0, |running| running.queue.dropped())
    }

    /// Writes what waits, and ends; lines that come later are dropped. Blocks for as long as the disk takes.
    pub(crate) fn close(&self) {
        if let Some(running) = &self.running {
            running.close();
        }
    }
}

impl Running {
    fn open(directory: PathBuf, settings: RotationSettings, clock: Clock) -> io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let files = Files::open(directory, settings, clock.wall())?;
        let writer = Writer::new(Arc::clone(&queue), files);
        let thread = Builder::new().name("connectivity-log".to_owned()).spawn(|| writer.run())?;
        Ok(Self { queue, thread: Mutex::new(Some(thread)) })
    }

    fn close(&self) {
        self.queue.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the connectivity log's thread has died; lines are missing");
        }
    }
}

impl Drop for ConnectivityLog {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests;
