//! The threads on which the store is read and written.
//!
//! SQLite calls block, so they run apart from the tasks that serve sockets. Each thread owns one connection; jobs
//! come through one bounded queue. A job that panics rolls its transaction back and costs its caller the answer,
//! never the thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use rusqlite::Connection;

/// Something to do with a connection.
pub(super) type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// The threads and their queue.
pub(super) struct Workers {
    queue: Option<SyncSender<Job>>,
    bound: usize,
    waiting: Arc<AtomicUsize>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts one thread a connection, behind a queue of `bound` jobs.
    pub(super) fn start(connections: Vec<Connection>, bound: usize) -> Result<Self, std::io::Error> {
        let bound = bound.max(1);
        let (queue, jobs) = sync_channel::<Job>(bound);
        let (jobs, waiting) = (Arc::new(Mutex::new(jobs)), Arc::new(AtomicUsize::new(0)));
        let mut workers = Self { queue: Some(queue), bound, waiting, threads: Vec::new() };
        for (number, connection) in connections.into_iter().enumerate() {
            let (jobs, waiting) = (Arc::clone(&jobs), Arc::clone(&workers.waiting));
            let thread = Builder::new().name(format!("mailbox-{number}"));
            workers.threads.push(thread.spawn(move || work(connection, &jobs, &waiting))?);
        }
        Ok(workers)
    }

    /// Queues a job; gives it back where the queue is full.
    pub(super) fn submit(&self, job: Job) -> Result<(), Job> {
        let Some(queue) = &self.queue else { return Err(job) };
        self.waiting.fetch_add(1, Ordering::Relaxed);
        queue.try_send(job).map_err(|(TrySendError::Full(job) | TrySendError::Disconnected(job))| {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            job
        })
    }

    /// How many jobs wait, and how many may.
    pub(super) fn load(&self) -> (usize, usize) {
        (self.waiting.load(Ordering::Relaxed), self.bound)
    }
}

impl Drop for Workers {
    /// Lets the queued jobs run to their end, then closes the connections.
    fn drop(&mut self) {
        self.queue = None;
        let own = std::thread::current().id();
        for thread in self.threads.drain(..) {
            if thread.thread().id() != own {
                let _ = thread.join();
            }
        }
    }
}

fn work(mut connection: Connection, jobs: &Mutex<Receiver<Job>>, waiting: &AtomicUsize) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        waiting.fetch_sub(1, Ordering::Relaxed);
        if catch_unwind(AssertUnwindSafe(|| job(&mut connection))).is_err() {
            // The job may have left its time limit behind; the next must not inherit it.
            let _ = connection.progress_handler(0, None::<fn() -> bool>);
        }
    }
}
