//! What the administrator asks of a running transport.

use std::net::SocketAddr;

use weir_balance::{Health, UnknownTarget};
use weir_spool::MessageId;
use weir_transport::routing::NextHopKey;

use crate::queues::NotRemoved;
use crate::server::Mta;
use crate::view::{MessageView, QueueView};

impl Mta {
    /// All queues, by next hop.
    pub fn queues(&self) -> Vec<QueueView> {
        self.queues.list()
    }

    /// At most `most` messages of the queue of `next_hop`, in the order of their numbers, those after `after`.
    pub async fn queue_messages(
        &self,
        next_hop: &NextHopKey,
        after: Option<MessageId>,
        most: usize,
    ) -> Vec<MessageView> {
        self.queues.messages(next_hop, after, most).await
    }

    /// A message, as it stands in the durable queue.
    pub async fn message(&self, id: MessageId) -> Option<MessageView> {
        self.queues.message(id).await
    }

    /// Tries a next hop at once, with messages that were deferred, too; what has no way is routed anew. Whether there is
    /// such a queue.
    pub fn retry(&self, next_hop: &NextHopKey) -> bool {
        self.queues.retry(next_hop)
    }

    /// Stops a queue or lets it go on; what is being sent is not touched. Whether there is such a queue.
    pub fn suspend(&self, next_hop: &NextHopKey, suspended: bool) -> bool {
        self.queues.suspend(next_hop, suspended)
    }

    /// Removes a message, whose sender hears of it if `report` says so. Whether there was one.
    ///
    /// # Errors
    /// The durable queue fails; the message may be there still.
    pub async fn remove(&self, id: MessageId, report: bool) -> Result<bool, NotRemoved> {
        self.queues.remove(id, report).await
    }

    /// All targets, whatever queues they belong to.
    pub const fn health(&self) -> &Health {
        &self.health
    }

    /// Makes the next retry of an unhealthy target due at once.
    ///
    /// # Errors
    /// No queue ever had such a target.
    pub fn retry_target(&self, address: SocketAddr) -> Result<(), UnknownTarget> {
        self.queues.retry_target(address)
    }

    /// Puts a target back into service.
    ///
    /// # Errors
    /// No queue ever had such a target.
    pub fn enable_target(&self, address: SocketAddr) -> Result<(), UnknownTarget> {
        self.queues.enable_target(address)
    }

    /// Brings the metrics that are no counts up to date: to be called before they are read.
    pub fn refresh_metrics(&self) {
        let levels = self.pressures().levels();
        self.metrics.pressure(levels.map(|(resource, level, _)| (resource, level)));
        self.metrics.connectivity_lines_dropped(self.queues.lines_dropped());
        self.metrics.spool(&self.spool.usage());
        self.metrics.queues(&self.queues(), self.clock.wall());
        let (held, duplicates) = self.queues.shadows();
        self.metrics.shadows(held, duplicates);
    }
}
