//! The numbers of MAPI sessions (R2, R12, R13).
//!
//! Operations and back-offs are counted as they happen. An origin's latency and its sessions are levels: somebody who
//! knows the time reads them off and sets them here. The label `origin` is a server out of the configuration.

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use weir_units::{Micros, Millis};

use super::label::ServerLabels;
use super::{Metrics, seconds};

/// The families that speak of MAPI sessions alone.
#[derive(Clone, Debug, Default)]
pub(super) struct RpcFamilies {
    operations: Counter,
    backoffs: Counter,
    backoff_millis: Counter,
    would_back_off: Counter,
    latency: Family<ServerLabels, Gauge<f64, AtomicU64>>,
    sessions: Family<ServerLabels, Gauge>,
}

impl Metrics {
    /// A request with `count` ROPs went to the origin.
    pub fn rpc_operations(&self, count: u32) {
        self.rpc.operations.inc_by(u64::from(count));
    }

    /// A request was told to back off for `wait`.
    pub fn rpc_backoff(&self, wait: Millis) {
        self.rpc.backoffs.inc();
        self.rpc.backoff_millis.inc_by(wait.count());
    }

    /// A request would have been told to back off, had anybody been (T20).
    pub fn rpc_would_back_off(&self) {
        self.rpc.would_back_off.inc();
    }

    /// The RPC average latency of the server `origin` is `mean`.
    pub fn rpc_latency(&self, origin: &str, mean: Micros) {
        self.rpc.latency.get_or_create(&ServerLabels::new(origin)).set(seconds(mean));
    }

    /// There are so many MAPI sessions at the server `origin`.
    pub fn rpc_sessions(&self, origin: &str, count: usize) {
        let gauge = self.rpc.sessions.get_or_create_owned(&ServerLabels::new(origin));
        gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
    }
}

impl RpcFamilies {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("rpc_operations", "ROPs passed to origins", self.operations.clone());
        registry.register(
            "rpc_client_backoffs",
            "MAPI requests that were told to back off",
            self.backoffs.clone(),
        );
        registry.register(
            "rpc_backoff_milliseconds",
            "Milliseconds that MAPI clients were told to back off",
            self.backoff_millis.clone(),
        );
        registry.register(
            "rpc_would_back_off",
            "MAPI requests that would have been told to back off if budgets were enforced",
            self.would_back_off.clone(),
        );
        registry.register(
            "rpc_average_latency_seconds",
            "Mean time that a server took over its last 1024 RPC packets",
            self.latency.clone(),
        );
        registry.register(
            "rpc_sessions",
            "MAPI sessions, by the server that they are at",
            self.sessions.clone(),
        );
    }
}
