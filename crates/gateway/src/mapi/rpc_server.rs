//! How fast one origin server is, and what is said about it: too slow for a minute, or many sessions backed off at once
//! (R2, R12, R13).

use std::sync::{Mutex, PoisonError};

use weir_throttle::rpc::{Crowd, CrowdWatch, LatencyWatch, RpcLatency};
use weir_units::{Event, Micros, Tick};

/// One server that carries out MAPI requests.
#[derive(Debug)]
pub(crate) struct RpcServer {
    name: String,
    latency: RpcLatency,
    watches: Mutex<(LatencyWatch, CrowdWatch)>,
}

impl RpcServer {
    /// A server that has answered nothing yet.
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), latency: RpcLatency::new(), watches: Mutex::default() }
    }

    /// What it is called, as the configuration has it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// It took `took` over one packet.
    pub(crate) fn took(&self, took: Micros) {
        self.latency.record(took);
    }

    /// The RPC average latency.
    pub(crate) fn latency(&self) -> Micros {
        self.latency.mean()
    }

    /// How many packets it has answered.
    pub(crate) fn packets(&self) -> u64 {
        self.latency.packets()
    }

    /// What is to be said about it at `now`, when its sessions add up to `crowd`.
    pub(crate) fn look(&self, crowd: &Crowd, now: Tick) -> impl Iterator<Item = Event> + use<> {
        let mean = self.latency();
        let (slow, crowded) = {
            let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
            let (latency, crowds) = &mut *watches;
            (latency.look(&self.name, mean, now), crowds.look(crowd, &self.name, mean, now))
        };
        slow.into_iter().chain(crowded)
    }
}
