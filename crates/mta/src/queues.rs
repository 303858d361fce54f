//! All queues of a running transport: what was accepted, next hop by next hop (H1, H15).

use std::sync::Arc;

use bytes::Bytes;
use weir_spool::MessageId;
use weir_transport::routing::Lookup;

use crate::envelope::Envelope;

/// A message that is on disk.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    /// What the durable queue calls it.
    pub(crate) id: MessageId,
    /// Whom it is from and for.
    pub(crate) envelope: Arc<Envelope>,
    /// Where each recipient belongs, in their order.
    pub(crate) lookups: Vec<Lookup>,
    /// All of it, if it is small.
    pub(crate) content: Option<Bytes>,
}

/// The queues. Cloning shares them.
#[derive(Clone)]
pub(crate) struct Queues {
    shared: Arc<Shared>,
}

struct Shared {}

impl Queues {
    /// A message was accepted: it is routed, and its deliveries begin.
    pub(crate) fn accept(&self, message: Accepted) {
        let _ = (&self.shared, message);
    }
}
