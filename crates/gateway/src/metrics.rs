//! The numbers of the gateway, for Prometheus (T18).
//!
//! One family a thing, its labels typed, its name exactly as the documentation has it: `mailweir_` and then the words
//! here; counters get their `_total` from the exporter. Counting costs a look into a small table and an atomic. A
//! label never holds what a client can choose, so that the number of series is bounded.
//!
//! What T18 asks for beyond the plain counters: the average sleep is sum ÷ count of `throttle_sleep_seconds`; the
//! users delayed, at `MaxConcurrency` and over budget, and all budgets, are the states of `budgets`.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use weir_balance::State;
use weir_throttle::Busy;
use weir_throttle::fair::Load;
use weir_units::{Component, EventId, Micros, Part, Refusal, WallTime};

use crate::block::Protocol;

mod label;
mod rpc;

use label::{
    BudgetLabels, CallLabels, CheckLabels, EventLabels, FrontLabels, OriginLabels, PartLabels,
    ProtocolLabels, ServerLabels, TargetLabels, Word,
};
pub use label::{BudgetState, Check, Front};
use rpc::RpcFamilies;

/// Upper bounds of the buckets of a request's time and an origin's, in seconds: a millisecond to beyond `max_delay`.
const TIMES: [f64; 15] =
    [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 90.0];

/// Upper bounds of the buckets of one sleep for the processor's sake, in seconds: half a second is the longest (T9).
const SLEEPS: [f64; 7] = [0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5];

type Times = Family<FrontLabels, Histogram, fn() -> Histogram>;

/// The counters of one gateway. Cloning shares them.
#[derive(Clone, Debug)]
pub struct Metrics {
    refused: Family<PartLabels, Counter>,
    delayed: Family<PartLabels, Counter>,
    would_refuse: Family<PartLabels, Counter>,
    would_delay: Family<PartLabels, Counter>,
    slept: Histogram,
    requests: Times,
    origins: Family<OriginLabels, Histogram, fn() -> Histogram>,
    queues: Family<OriginLabels, Histogram, fn() -> Histogram>,
    concurrency_limit: Family<ServerLabels, Gauge>,
    origin_calls: Family<CallLabels, Gauge>,
    connections: Family<FrontLabels, Gauge>,
    budgets: Family<BudgetLabels, Gauge>,
    targets: Family<TargetLabels, Gauge>,
    policy_hits: Counter,
    policy_misses: Counter,
    policy_entries: Gauge,
    events: Family<EventLabels, Counter>,
    checks: Family<CheckLabels, Counter>,
    log_lines_dropped: Counter,
    certificate_expiry: Gauge,
    cpu_load: Gauge<f64, AtomicU64>,
    bypass: Gauge,
    rpc: RpcFamilies,
    blocked: Family<ProtocolLabels, Counter>,
    would_block: Family<ProtocolLabels, Counter>,
}

impl Metrics {
    /// Makes all families and enters them into `registry`, together with the build's version.
    pub fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        let registry = registry.sub_registry_with_prefix("mailweir");
        registry.register(
            "build",
            "The version that runs",
            Info::new([("version", env!("CARGO_PKG_VERSION"))]),
        );
        metrics.register_throttle(registry);
        metrics.register_traffic(registry);
        metrics.register_state(registry);
        metrics.rpc.register(registry);
        metrics
    }

    /// A call was refused.
    pub fn refused(&self, refusal: &Refusal) {
        self.refused.get_or_create(&PartLabels::new(refusal.component, refusal.part)).inc();
    }

    /// A call would have been refused, had anybody been held to his budget (T20).
    pub fn would_refuse(&self, component: Component, part: Part) {
        self.would_refuse.get_or_create(&PartLabels::new(component, part)).inc();
    }

    /// A call would have had to wait, had anybody been held to his budget.
    pub fn would_delay(&self, component: Component, part: Part) {
        self.would_delay.get_or_create(&PartLabels::new(component, part)).inc();
    }

    /// A client program was kept out (R16).
    pub fn blocked(&self, protocol: Protocol) {
        self.blocked.get_or_create(&ProtocolLabels::new(protocol)).inc();
    }

    /// A client program would have been kept out, had anything been enforced (T20).
    pub fn would_block(&self, protocol: Protocol) {
        self.would_block.get_or_create(&ProtocolLabels::new(protocol)).inc();
    }

    /// A call waited for `waited` because of `part`; a wait for the processor also counts as a sleep.
    pub fn delayed(&self, component: Component, part: Part, waited: Micros) {
        self.delayed.get_or_create(&PartLabels::new(component, part)).inc();
        if part == Part::Cpu {
            self.slept.observe(seconds(waited));
        }
    }

    /// A request was answered, `took` after its first byte.
    pub fn request(&self, front: Front, took: Micros) {
        self.requests.get_or_create(&FrontLabels { front: Word(front.name()) }).observe(seconds(took));
    }

    /// An origin worked for `took` on one operation. `origin` comes out of the configuration, never from a client.
    pub fn origin(&self, origin: &'static str, took: Micros) {
        self.origins.get_or_create(&OriginLabels { origin: Word(origin) }).observe(seconds(took));
    }

    /// A call waited so long for a place at the origin, which it has got or not (T23).
    pub fn queued(&self, origin: &'static str, waited: Micros) {
        self.queues.get_or_create(&OriginLabels { origin: Word(origin) }).observe(seconds(waited));
    }

    /// How many calls run at the origin, how many may, where that `is_limited`, and how many wait.
    pub fn origin_load(&self, origin: &str, load: Load, is_limited: bool) {
        let server = ServerLabels::new(origin);
        if is_limited {
            self.concurrency_limit.get_or_create_owned(&server).set(load.places.into());
        } else {
            self.concurrency_limit.remove(&server);
        }
        for (state, count) in [("running", load.running), ("waiting", load.waiting)] {
            self.origin_calls.get_or_create_owned(&CallLabels::new(origin, state)).set(count.into());
        }
    }

    /// A connection was opened; it is closed when the returned value is dropped.
    pub fn connected(&self, front: Front) -> Connected {
        let gauge = self.connections.get_or_create_owned(&FrontLabels { front: Word(front.name()) });
        gauge.inc();
        Connected(gauge)
    }

    /// Connections that are open, of every front.
    pub fn connections(&self) -> u64 {
        let open = |front: Front| {
            let labels = FrontLabels { front: Word(front.name()) };
            self.connections.get(&labels).map_or(0, |gauge| gauge.get())
        };
        Front::ALL.into_iter().map(open).map(|open| u64::try_from(open).unwrap_or(0)).sum()
    }

    /// How many budgets of a component are in a state, as the last sweep saw it.
    pub fn budgets(&self, component: Component, state: BudgetState, count: usize) {
        let labels = BudgetLabels { component: Word(component.name()), state: Word(state.name()) };
        self.budgets.get_or_create(&labels).set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// How many servers that calls or mail go to are in each state. A state that stands there twice counts for the sum.
    pub fn targets(&self, counts: impl IntoIterator<Item = (State, usize)>) {
        let counts: Vec<(State, usize)> = counts.into_iter().collect();
        for state in State::ALL {
            let of_state = counts.iter().filter(|(other, _)| *other == state).map(|(_, count)| *count);
            if let Some(count) = of_state.reduce(usize::saturating_add) {
                let labels = TargetLabels { state: Word(state.name()) };
                self.targets.get_or_create(&labels).set(i64::try_from(count).unwrap_or(i64::MAX));
            }
        }
    }

    /// The policy cache's counts since the process began, and how many policies it holds.
    ///
    /// The cache counts for itself; this carries its counts over. To be called from one task only.
    pub fn policy_cache(&self, hits: u64, misses: u64, entries: usize) {
        self.policy_hits.inc_by(hits.saturating_sub(self.policy_hits.get()));
        self.policy_misses.inc_by(misses.saturating_sub(self.policy_misses.get()));
        self.policy_entries.set(i64::try_from(entries).unwrap_or(i64::MAX));
    }

    /// An event was emitted.
    pub fn event(&self, id: EventId) {
        self.events.get_or_create(&EventLabels { id: id.0 }).inc();
    }

    /// A credential without a place in the cache was checked, or refused unchecked (T8).
    pub fn checked(&self, check: Check) {
        self.checks.get_or_create(&CheckLabels { outcome: Word(check.name()) }).inc();
    }

    /// The request log's count of lines that it had to drop since the process began. To be called from one task only.
    pub fn log_lines_dropped(&self, lines: u64) {
        self.log_lines_dropped.inc_by(lines.saturating_sub(self.log_lines_dropped.get()));
    }

    /// When the certificate ends.
    pub fn certificate_expires(&self, at: WallTime) {
        self.certificate_expiry.set(at.unix_seconds());
    }

    /// How busy the processor is, as `CPUStartPercent` sees it (T9).
    pub fn cpu_load(&self, busy: Busy) {
        self.cpu_load.set(f64::from(busy.hundredths()) / f64::from(Busy::FULL.hundredths()));
    }

    /// Whether everybody passes, whatever his budget says (T20).
    pub fn bypass(&self, on: bool) {
        self.bypass.set(i64::from(on));
    }

    fn register_throttle(&self, registry: &mut Registry) {
        registry.register(
            "throttle_refused",
            "Calls refused, by the part that was used up",
            self.refused.clone(),
        );
        registry.register(
            "throttle_delayed",
            "Waits of calls, by the part that was used up",
            self.delayed.clone(),
        );
        registry.register(
            "throttle_would_refuse",
            "Calls that would have been refused if budgets were enforced",
            self.would_refuse.clone(),
        );
        registry.register(
            "throttle_would_delay",
            "Calls that would have been delayed if budgets were enforced",
            self.would_delay.clone(),
        );
        registry.register(
            "throttle_sleep_seconds",
            "Sleeps for the sake of the processor",
            self.slept.clone(),
        );
        registry.register(
            "cpu_load_ratio",
            "Load of the processor over about ten seconds, 1 being all that there is",
            self.cpu_load.clone(),
        );
        registry.register("bypass", "1 while everybody passes, else 0", self.bypass.clone());
        registry.register("budgets", "Budgets, by their state at the last sweep", self.budgets.clone());
    }

    fn register_traffic(&self, registry: &mut Registry) {
        registry.register(
            "request_seconds",
            "Time from a request's first byte to its answer",
            self.requests.clone(),
        );
        registry.register(
            "origin_seconds",
            "Time that an origin took for one operation",
            self.origins.clone(),
        );
        registry.register(
            "queue_seconds",
            "Time that a call waited for a place at the origin",
            self.queues.clone(),
        );
        registry.register(
            "concurrency_limit",
            "Calls that may run at an origin at once, as found from its latency",
            self.concurrency_limit.clone(),
        );
        registry.register(
            "origin_calls",
            "Calls that run at an origin, and that wait for a place there",
            self.origin_calls.clone(),
        );
        registry.register(
            "blocked",
            "Requests of client programs on the block list, refused",
            self.blocked.clone(),
        );
        registry.register(
            "would_block",
            "Requests of client programs on the block list that would have been refused if it were enforced",
            self.would_block.clone(),
        );
        registry.register("connections", "Open connections", self.connections.clone());
        registry.register("credential_checks", "Credentials without a cached verdict", self.checks.clone());
    }

    fn register_state(&self, registry: &mut Registry) {
        registry.register("policy_cache_hits", "Policies found in the cache", self.policy_hits.clone());
        registry.register(
            "policy_cache_misses",
            "Policies loaded from the directory",
            self.policy_misses.clone(),
        );
        registry.register("policy_cache_entries", "Policies in the cache", self.policy_entries.clone());
        registry.register("targets", "Servers that calls or mail go to, by state", self.targets.clone());
        registry.register("event", "Events for the administrator, by their id", self.events.clone());
        registry.register(
            "request_log_dropped",
            "Lines of the request log that were dropped because the disk did not keep up",
            self.log_lines_dropped.clone(),
        );
        registry.register(
            "certificate_expiry_seconds",
            "When the TLS certificate ends, in seconds since 1970",
            self.certificate_expiry.clone(),
        );
    }
}

impl Default for Metrics {
    /// Counters that belong to no registry yet, for tests.
    fn default() -> Self {
        Self {
            refused: Family::default(),
            delayed: Family::default(),
            would_refuse: Family::default(),
            would_delay: Family::default(),
            slept: Histogram::new(SLEEPS),
            requests: Family::new_with_constructor(times),
            origins: Family::new_with_constructor(times),
            queues: Family::new_with_constructor(times),
            concurrency_limit: Family::default(),
            origin_calls: Family::default(),
            connections: Family::default(),
            budgets: Family::default(),
            targets: Family::default(),
            policy_hits: Counter::default(),
            policy_misses: Counter::default(),
            policy_entries: Gauge::default(),
            events: Family::default(),
            checks: Family::default(),
            log_lines_dropped: Counter::default(),
            certificate_expiry: Gauge::default(),
            cpu_load: Gauge::default(),
            bypass: Gauge::default(),
            rpc: RpcFamilies::default(),
            blocked: Family::default(),
            would_block: Family::default(),
        }
    }
}

/// An open connection, counted as long as this lives.
#[derive(Debug)]
#[must_use = "the connection counts as closed when this is dropped"]
pub struct Connected(Gauge);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.dec();
    }
}

fn times() -> Histogram {
    Histogram::new(TIMES)
}

fn seconds(duration: Micros) -> f64 {
    Duration::from(duration).as_secs_f64()
}

#[cfg(test)]
mod tests;
