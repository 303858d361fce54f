//! The threads that serve connections, each with an event loop of its own.
//!
//! A connection stays on one thread from its first byte to its last, and with it everything that it starts: the tasks of
//! its requests, and the connections to the origin that they open. So nothing within a request has to wake another
//! processor, which costs more than the rest of a small request does. The price is that nobody takes work over from a
//! thread that is busy; no request computes for long on these threads – stores and password hashes have their own –, and
//! a new connection goes to the thread that has the fewest.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// Threads for connections. Dropping it ends them, and cuts off what still runs there.
#[derive(Debug, Default)]
pub(crate) struct Workers(Vec<Worker>);

#[derive(Debug)]
struct Worker {
    runtime: Handle,
    /// Connections that are served there.
    connections: Arc<AtomicUsize>,
    /// The thread ends when this is dropped.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Workers {
    /// Starts `count` threads, or one for each processor where that is 0.
    ///
    /// # Errors
    ///
    /// The system gives no thread, or no event loop for it.
    pub(crate) fn start(count: usize) -> io::Result<Self> {
        let count = if count == 0 { thread::available_parallelism()?.get() } else { count };
        (1..=count).map(Worker::start).collect::<io::Result<_>>().map(Self)
    }

    /// None: connections are served where they are accepted, by one clock that a test may pretend.
    #[cfg(test)]
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// What tells whether every thread goes round.
    pub(crate) fn threads(&self) -> Threads {
        Threads(self.0.iter().map(|worker| worker.runtime.clone()).collect())
    }

    /// Runs what `serve` makes as one of `connections`, on the thread that has the fewest. It is to hold the load that it is
    /// given for as long as it runs.
    pub(crate) fn spawn<F>(&self, connections: &mut JoinSet<()>, serve: impl FnOnce(Load) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        match self.0.iter().min_by_key(|worker| worker.connections.load(Ordering::Relaxed)) {
            Some(worker) => {
                connections.spawn_on(serve(Load::new(&worker.connections)), &worker.runtime);
            }
            None => {
                connections.spawn(serve(Load::default()));
            }
        }
    }
}

/// The threads that serve connections, for whoever watches over them.
#[derive(Clone, Debug, Default)]
pub struct Threads(Vec<Handle>);

impl Threads {
    /// Waits until every thread has taken a moment for this; for ever where one hangs. Threads that have ended are none.
    pub async fn answer(&self) {
        for runtime in &self.0 {
            // What was refused or cut off was so by a thread that ends.
            let _ = runtime.spawn(async {}).await;
        }
    }
}

impl Worker {
    fn start(number: usize) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let run = move || {
            runtime.block_on(async {
                // Nobody sends: the other end is dropped.
                let _ = stopped.await;
            });
        };
        let thread = thread::Builder::new().name(format!("worker-{number}")).spawn(run)?;
        Ok(Self { runtime: handle, connections: Arc::default(), stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.stop.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("a thread that served connections has died");
        }
    }
}

/// One connection of a worker, as long as it lives.
#[derive(Debug, Default)]
pub(crate) struct Load(Option<Arc<AtomicUsize>>);

impl Load {
    fn new(connections: &Arc<AtomicUsize>) -> Self {
        connections.fetch_add(1, Ordering::Relaxed);
        Self(Some(Arc::clone(connections)))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        if let Some(connections) = &self.0 {
            connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
