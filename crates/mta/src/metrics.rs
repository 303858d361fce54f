//! The numbers of the transport, for Prometheus.
//!
//! Counting is an atomic behind a small table. A label never holds what a client can choose: connectors, next hops and
//! reasons come out of the configuration or of closed sets – but for the domains of next hops, which recipients decide.
//! Of those, as many have samples of their own as [`NEXT_HOPS`] says, those with most messages, and the rest is summed
//! as `other`.
//!
//! Queues, durable queue and back pressure keep count of themselves; whoever has them carries their figures over
//! before the numbers are read.

use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use weir_spool::Usage;
use weir_transport::pressure::{Level, Resource};
use weir_transport::routing::DeliveryType;
use weir_units::WallTime;

use crate::view::QueueView;

mod label;
mod queues;

use label::{
    AttemptLabels, ConnectorLabels, DeliveryLabels, OutcomeLabels, ReasonLabels, ReportLabels,
    ResourceLabels, Word,
};
pub use label::{Fate, Refused, Report};
pub use queues::NEXT_HOPS;
use queues::Queues;

/// The counters of one transport. Cloning shares them.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    received: Family<ConnectorLabels, Counter>,
    refused: Family<ReasonLabels, Counter>,
    recipients: Family<OutcomeLabels, Counter>,
    reports: Family<ReportLabels, Counter>,
    connections: Family<DeliveryLabels, Gauge>,
    attempts: Family<AttemptLabels, Counter>,
    shadows: Gauge,
    take_overs: Counter,
    duplicates: Counter,
    connectivity_lines_dropped: Counter,
    pressure: Family<ResourceLabels, Gauge>,
    spool: Spool,
    queues: Arc<Queues>,
}

/// How full the durable queue is.
#[derive(Clone, Debug, Default)]
struct Spool {
    messages: Gauge,
    messages_limit: Gauge,
    bytes: Gauge,
    bytes_limit: Gauge,
    disk_bytes: Gauge,
    disk_bytes_limit: Gauge,
    writable: Gauge,
}

impl Metrics {
    /// Makes all families and enters them into `registry`.
    pub fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        let registry = registry.sub_registry_with_prefix("mailweir");
        metrics.register_traffic(registry);
        metrics.register_shadows(registry);
        metrics.spool.register(registry);
        registry.register(
            "back_pressure",
            "How short a resource of the transport is: 0 not, 1 medium, 2 high",
            metrics.pressure.clone(),
        );
        registry.register_collector(Box::new(Arc::clone(&metrics.queues)));
        metrics
    }

    /// A message came in by `connector` and is on disk. Those that mailboxes of this server send come by `none`.
    pub fn received(&self, connector: Option<&str>) {
        let labels = ConnectorLabels { connector: connector.unwrap_or("none").into() };
        self.received.get_or_create(&labels).inc();
    }

    /// A connection, a command or a message was refused.
    pub fn refused(&self, reason: Refused) {
        self.refused.get_or_create(&ReasonLabels { reason: Word(reason.name()) }).inc();
    }

    /// An attempt to deliver came to this for so many recipients.
    pub fn recipients(&self, delivery: DeliveryType, fate: Fate, count: u64) {
        let labels = OutcomeLabels { delivery_type: Word(delivery.name()), outcome: Word(fate.name()) };
        self.recipients.get_or_create(&labels).inc_by(count);
    }

    /// A sender was told of his message.
    pub fn report(&self, report: Report) {
        self.reports.get_or_create(&ReportLabels { kind: Word(report.name()) }).inc();
    }

    /// A connection to a target was opened; it is closed when the returned value is dropped.
    pub fn connected(&self, delivery: DeliveryType) -> Outgoing {
        self.attempts.get_or_create(&AttemptLabels { outcome: Word("connected") }).inc();
        let labels = DeliveryLabels { delivery_type: Word(delivery.name()) };
        let gauge = self.connections.get_or_create_owned(&labels);
        gauge.inc();
        Outgoing(gauge)
    }

    /// A connection to a target could not be opened.
    pub fn not_connected(&self) {
        self.attempts.get_or_create(&AttemptLabels { outcome: Word("failed") }).inc();
    }

    /// How many shadows are held, and how many messages since the process began two servers may have delivered because
    /// of shadows (H12). To be called from one task only.
    pub fn shadows(&self, held: usize, duplicates: u64) {
        self.shadows.set(gauge(held));
        carry(&self.duplicates, duplicates);
    }

    /// So many messages of a silent partner are sent again from their shadows (H12).
    pub fn taken_over(&self, messages: u64) {
        self.take_overs.inc_by(messages);
    }

    /// The connectivity log's count of lines that it had to drop since the process began. To be called from one task
    /// only.
    pub fn connectivity_lines_dropped(&self, lines: u64) {
        carry(&self.connectivity_lines_dropped, lines);
    }

    /// How full the durable queue is.
    pub fn spool(&self, usage: &Usage) {
        let Spool { messages, messages_limit, bytes, bytes_limit, disk_bytes, disk_bytes_limit, writable } =
            &self.spool;
        messages.set(gauge(usage.messages));
        messages_limit.set(gauge(usage.messages_limit));
        bytes.set(gauge(usage.bytes));
        bytes_limit.set(gauge(usage.bytes_limit));
        disk_bytes.set(gauge(usage.disk_bytes));
        disk_bytes_limit.set(gauge(usage.disk_limit));
        writable.set(i64::from(usage.writable));
    }

    /// How short each resource is (H16).
    pub fn pressure(&self, levels: impl IntoIterator<Item = (Resource, Level)>) {
        for (resource, level) in levels {
            let value = match level {
                Level::Low => 0,
                Level::Medium => 1,
                Level::High => 2,
            };
            self.pressure.get_or_create(&ResourceLabels { resource: Word(label::of(resource)) }).set(value);
        }
    }

    /// How the queues are at `now`.
    pub fn queues(&self, queues: &[QueueView], now: WallTime) {
        self.queues.see(queues, now);
    }

    fn register_traffic(&self, registry: &mut Registry) {
        registry.register(
            "messages_received",
            "Messages that were taken, by receive connector",
            self.received.clone(),
        );
        registry.register(
            "smtp_refused",
            "Connections, commands and messages that were refused, by reason",
            self.refused.clone(),
        );
        registry.register(
            "recipients",
            "Recipients that an attempt to deliver was made for, by what it came to",
            self.recipients.clone(),
        );
        registry.register("delivery_reports", "Reports to senders, by what they say", self.reports.clone());
        registry.register(
            "outgoing_connections",
            "Open connections to targets, by delivery type",
            self.connections.clone(),
        );
        registry.register(
            "outgoing_attempts",
            "Attempts to connect to targets, by what they came to",
            self.attempts.clone(),
        );
        registry.register(
            "connectivity_lines_dropped",
            "Lines of the connectivity log that were dropped because the disk did not keep up",
            self.connectivity_lines_dropped.clone(),
        );
    }

    fn register_shadows(&self, registry: &mut Registry) {
        registry.register(
            "shadows",
            "Messages that are kept until a partner has sent them onward",
            self.shadows.clone(),
        );
        registry.register(
            "shadow_take_overs",
            "Messages sent again from their shadows because a partner was silent",
            self.take_overs.clone(),
        );
        registry.register(
            "shadow_duplicates",
            "Messages that two servers may have delivered because of shadows",
            self.duplicates.clone(),
        );
    }
}

impl Spool {
    fn register(&self, registry: &mut Registry) {
        registry.register("spool_messages", "Messages in the durable queue", self.messages.clone());
        registry.register(
            "spool_messages_limit",
            "The most messages in the durable queue",
            self.messages_limit.clone(),
        );
        registry.register("spool_bytes", "Bytes of messages in the durable queue", self.bytes.clone());
        registry.register(
            "spool_bytes_limit",
            "The most bytes of messages in the durable queue",
            self.bytes_limit.clone(),
        );
        registry.register(
            "spool_disk_bytes",
            "Bytes of the durable queue's files, garbage included",
            self.disk_bytes.clone(),
        );
        registry.register(
            "spool_disk_bytes_limit",
            "The most bytes of the durable queue's files",
            self.disk_bytes_limit.clone(),
        );
        registry.register(
            "spool_writable",
            "1 while the disk takes what the durable queue writes, else 0",
            self.writable.clone(),
        );
    }
}

/// An open connection to a target, counted as long as this lives.
#[derive(Debug)]
#[must_use = "the connection counts as closed when this is dropped"]
pub struct Outgoing(Gauge);

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Brings a counter to what somebody else counted.
fn carry(counter: &Counter, total: u64) {
    counter.inc_by(total.saturating_sub(counter.get()));
}

/// A count as a gauge has it.
fn gauge(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
