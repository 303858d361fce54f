//! What the API sees of the gateway: a few handles, no sockets.
//!
//! Whoever assembles the process fills a [`GatewayView`]. Each handle answers from memory, except
//! [`GatewayView::reload`], which may read files and is called where blocking is allowed.

use std::fmt;
use std::sync::Arc;

use weir_throttle::{ComponentLimits, Snapshot};
use weir_units::{Component, Owner, Tick, WallTime};

/// The budget of this owner in this component under these limits at this moment; nothing, where he was not
/// seen lately.
pub type SnapshotOf = Arc<dyn Fn(&Owner, &ComponentLimits, Tick) -> Option<Snapshot> + Send + Sync>;

/// What the API sees of the gateway.
#[derive(Clone)]
pub struct GatewayView {
    /// The components that this process serves; budgets are shown for these.
    pub served: Vec<Component>,
    /// One owner's budget in the component of the limits.
    pub snapshot: SnapshotOf,
    /// Forgets the accepted credentials of an owner, because his password or mailbox changed (T8).
    pub forget_credentials: Arc<dyn Fn(&Owner) + Send + Sync>,
    /// Whether every listener is bound; if not, what is missing.
    pub ready: Arc<dyn Fn() -> Result<(), String> + Send + Sync>,
    /// Brings the gauges up to date, before a scrape.
    pub before_scrape: Arc<dyn Fn() + Send + Sync>,
    /// Reads the configuration again: notes on what needs a restart, or why it was refused. A refusal is an
    /// event, which this handle emits, since a signal asks for the same.
    pub reload: Arc<dyn Fn() -> Result<Vec<String>, String> + Send + Sync>,
    /// Monotonic time.
    pub tick: Arc<dyn Fn() -> Tick + Send + Sync>,
    /// The world's time.
    pub wall: Arc<dyn Fn() -> WallTime + Send + Sync>,
}

impl fmt::Debug for GatewayView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewayView").field("served", &self.served).finish_non_exhaustive()
    }
}
