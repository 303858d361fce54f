//! The queues in numbers: exactly those there were when somebody last looked, whoever reads them meanwhile.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use weir_transport::queue::QueueState;
use weir_units::{Micros, WallTime};

use crate::view::QueueView;

/// How many next hops have samples of their own.
pub const NEXT_HOPS: usize = 100;

/// The next hop that the rest is summed under.
const OTHER: &str = "other";

/// The queues, as they were last seen.
#[derive(Debug, Default)]
pub(super) struct Queues(ArcSwap<Seen>);

#[derive(Debug, Default)]
struct Seen {
    /// Queues in each state, in the order of [`STATES`].
    states: [u64; 4],
    hops: Vec<Hop>,
}

/// One next hop, or the rest of them.
#[derive(Debug)]
struct Hop {
    name: Arc<str>,
    ready: usize,
    sending: usize,
    deferred: usize,
    /// For how long it has answered nobody.
    silent: Micros,
}

/// Every state of a queue, and how metrics spell it.
const STATES: [(QueueState, &str); 4] = [
    (QueueState::Active, "active"),
    (QueueState::Ready, "ready"),
    (QueueState::Retry, "retry"),
    (QueueState::Suspended, "suspended"),
];

impl Queues {
    /// Sees `queues` as they are at `now`.
    pub(super) fn see(&self, queues: &[QueueView], now: WallTime) {
        let states = STATES.map(|(state, _)| {
            let count = queues.iter().filter(|queue| queue.state == state).count();
            u64::try_from(count).unwrap_or(u64::MAX)
        });
        self.0.store(Arc::new(Seen { states, hops: hops(queues, now) }));
    }
}

/// The next hops with most messages, by name, and behind them the sum of the others where there are any.
fn hops(queues: &[QueueView], now: WallTime) -> Vec<Hop> {
    let mut fullest: Vec<&QueueView> = queues.iter().collect();
    fullest.sort_by_key(|queue| (Reverse(queue.messages()), &queue.next_hop));
    let (own, rest) = fullest.split_at(fullest.len().min(NEXT_HOPS));
    let mut hops: Vec<Hop> = own.iter().map(|queue| Hop::of(queue, now)).collect();
    hops.sort_by(|one, other| one.name.cmp(&other.name));
    let rest = rest.iter().map(|queue| Hop::of(queue, now));
    hops.extend(rest.reduce(|sum, hop| sum.with(&hop)).map(|rest| Hop { name: OTHER.into(), ..rest }));
    hops
}

impl Hop {
    fn of(queue: &QueueView, now: WallTime) -> Self {
        let since = queue.first_retry.filter(|_| queue.messages() > 0);
        let silent = since.map_or(Micros::ZERO, |since| now.since(since));
        Self {
            name: queue.next_hop.to_string().into(),
            ready: queue.ready,
            sending: queue.sending,
            deferred: queue.deferred,
            silent,
        }
    }

    /// Messages in each state.
    const fn messages(&self) -> [(&'static str, usize); 3] {
        [("ready", self.ready), ("sending", self.sending), ("deferred", self.deferred)]
    }

    fn with(self, other: &Self) -> Self {
        Self {
            name: self.name,
            ready: self.ready + other.ready,
            sending: self.sending + other.sending,
            deferred: self.deferred + other.deferred,
            silent: self.silent.max(other.silent),
        }
    }
}

impl Collector for Queues {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let seen = self.0.load();
        let mut family =
            encoder.encode_descriptor("queues", "Queues of next hops, by state", None, MetricType::Gauge)?;
        for ((_, state), count) in STATES.iter().zip(seen.states) {
            ConstGauge::new(count).encode(family.encode_family(&[("state", *state)])?)?;
        }
        let mut family = encoder.encode_descriptor(
            "queue_messages",
            "Messages that wait for a next hop, by whether they could go at once",
            None,
            MetricType::Gauge,
        )?;
        for hop in &seen.hops {
            for (state, count) in hop.messages() {
                let labels = [("next_hop", &*hop.name), ("state", state)];
                ConstGauge::new(count).encode(family.encode_family(&labels)?)?;
            }
        }
        let mut family = encoder.encode_descriptor(
            "queue_silent_seconds",
            "For how long a next hop that messages wait for has answered nobody",
            None,
            MetricType::Gauge,
        )?;
        for hop in &seen.hops {
            let seconds = hop.silent.count() / Micros::SECOND.count();
            ConstGauge::new(seconds).encode(family.encode_family(&[("next_hop", &*hop.name)])?)?;
        }
        Ok(())
    }
}
