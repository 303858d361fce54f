//! Idle connections to one server, the last one used first.
//!
//! The last one used is the least likely to be closed just now, and the others grow old and are dropped. One that is
//! closed is never handed out, nor one whose last answer has not been read to its end. One that the asking thread has
//! opened itself goes before all others, since its bytes arrive where they are waited for.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use weir_units::{Micros, Tick};

use super::upstream::Upstream;

/// The idle connections of one server.
pub(crate) struct Pool {
    idle: Mutex<Vec<Idle>>,
    bound: usize,
    idle_time: Micros,
}

struct Idle {
    upstream: Upstream,
    until: Tick,
}

impl Pool {
    /// Room for `bound` connections, each kept for `idle_time`.
    pub(super) const fn new(bound: usize, idle_time: Micros) -> Self {
        Self { idle: Mutex::new(Vec::new()), bound, idle_time }
    }

    /// The connection of this thread that was used last, or else another thread's.
    pub(super) fn take(&self, now: Tick) -> Option<Upstream> {
        let home = Handle::current().id();
        let mut idle = self.lock();
        drop_stale(&mut idle, now);
        let place = idle.iter().rposition(|idle| idle.upstream.home() == home && idle.upstream.is_ready());
        let place = place.or_else(|| idle.iter().rposition(|idle| idle.upstream.is_ready()))?;
        Some(idle.remove(place).upstream)
    }

    /// Keeps a connection for later; where there is no room, the one that was used longest ago makes it.
    pub(super) fn put(&self, upstream: Upstream, now: Tick) {
        if upstream.is_closed() || self.bound == 0 {
            return;
        }
        let mut idle = self.lock();
        drop_stale(&mut idle, now);
        if idle.len() >= self.bound {
            idle.remove(0);
        }
        idle.push(Idle { upstream, until: now.plus(self.idle_time) });
    }

    /// Closes those that were idle for too long, and forgets those that the server closed.
    pub(super) fn sweep(&self, now: Tick) {
        drop_stale(&mut self.lock(), now);
    }

    /// Closes all of them.
    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn drop_stale(idle: &mut Vec<Idle>, now: Tick) {
    idle.retain(|idle| now < idle.until && !idle.upstream.is_closed());
}
