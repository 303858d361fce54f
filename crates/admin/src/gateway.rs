//! What the API sees of the gateway: a few handles, no sockets.
//!
//! Whoever assembles the process fills a [`GatewayView`]. Each handle answers from memory, except
//! [`GatewayView::reload`], which may read files and is called where blocking is allowed.

use std::fmt;
use std::sync::Arc;

use weir_throttle::submissions::Submitted;
use weir_throttle::{ComponentLimits, Snapshot};
use weir_units::{Component, Micros, Owner, Part, Tick, WallTime};

use crate::types::{
    MapiOrigin, MapiSession, Overview, OwnerCalls, OwnerHistory, OwnerLog, Reloaded, TargetView,
};

/// The budget of this owner in this component under these limits at this moment; nothing, where he was not
/// seen lately.
pub type SnapshotOf = Arc<dyn Fn(&Owner, &ComponentLimits, Tick) -> Option<Snapshot> + Send + Sync>;

/// What an owner has sent, as it counts at this moment.
pub type SubmittedBy = Arc<dyn Fn(&Owner, Tick) -> Submitted + Send + Sync>;

/// What of an owner's calls runs and waits at each origin.
pub type AtOriginsOf = Arc<dyn Fn(&Owner) -> Vec<OwnerCalls> + Send + Sync>;

/// What the request log says of an owner between two points in time.
pub type OwnerLogOf = Arc<dyn Fn(&Owner, WallTime, WallTime) -> Result<OwnerLog, String> + Send + Sync>;

/// Carries out a change of the target at this address – one out of [`GatewayView::targets`] –, and shows it
/// afterwards; or says in a sentence why not, and what to do.
pub type ChangeTarget = Arc<dyn Fn(&str, TargetChange) -> Result<TargetView, String> + Send + Sync>;

/// The MAPI sessions of an owner, or all of them.
pub type SessionsOf = Arc<dyn Fn(Option<&Owner>) -> Vec<MapiSession> + Send + Sync>;

/// A budget in use.
#[derive(Clone, Debug)]
pub struct Spender {
    /// Whose it is.
    pub owner: Owner,
    /// The policy that holds; nothing where no call has asked for it lately.
    pub policy: Option<String>,
    /// Whether it only watches (T20).
    pub observe_only: bool,
    /// Its limits.
    pub limits: ComponentLimits,
    /// How it stands.
    pub snapshot: Snapshot,
    /// The part of which the largest share is used, and that share in percent.
    pub fullest: Option<(Part, u64)>,
}

/// What an administrator can say about a server (H10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetChange {
    /// Nothing goes there.
    Disable,
    /// No further connection goes there; those it has go on.
    Drain,
    /// It is used again.
    Enable,
    /// The next retry is due at once.
    Retry,
}

impl TargetChange {
    /// The action's name in the audit log.
    pub const fn action(self) -> &'static str {
        match self {
            Self::Disable => "target.disable",
            Self::Drain => "target.drain",
            Self::Enable => "target.enable",
            Self::Retry => "target.retry",
        }
    }
}

/// What the API sees of the gateway.
#[derive(Clone)]
pub struct GatewayView {
    /// The components that this process serves; budgets are shown for these.
    pub served: Vec<Component>,
    /// One owner's budget in the component of the limits.
    pub snapshot: SnapshotOf,
    /// What of one owner's calls runs and waits at each origin (T23).
    pub at_origins: AtOriginsOf,
    /// What one owner has sent, as it counts at this moment.
    pub submitted: SubmittedBy,
    /// What is remembered of an owner.
    pub history: Arc<dyn Fn(&Owner) -> OwnerHistory + Send + Sync>,
    /// What the request log says of an owner between two points in time, to the second; or why it cannot be read. Reads
    /// files.
    pub owner_log: OwnerLogOf,
    /// So many of the budgets of which most is used, the fullest first. Looks at every budget in use: not for callers
    /// that must not block.
    pub spenders: Arc<dyn Fn(usize) -> Vec<Spender> + Send + Sync>,
    /// How it goes.
    pub overview: Arc<dyn Fn() -> Overview + Send + Sync>,
    /// Forgets the accepted credentials of an owner, because his password or mailbox changed (T8).
    pub forget_credentials: Arc<dyn Fn(&Owner) + Send + Sync>,
    /// Whether every listener is bound; if not, what is missing.
    pub ready: Arc<dyn Fn() -> Result<(), String> + Send + Sync>,
    /// Brings the gauges up to date, before a scrape.
    pub before_scrape: Arc<dyn Fn() + Send + Sync>,
    /// Reads the configuration again: what changed, or why it was refused. A refusal is an event, which this
    /// handle emits.
    pub reload: Arc<dyn Fn() -> Result<Reloaded, String> + Send + Sync>,
    /// The servers of remote origins, by address; none for the embedded origin.
    pub targets: Arc<dyn Fn() -> Vec<TargetView> + Send + Sync>,
    /// What the administrator says about one of them.
    pub change_target: ChangeTarget,
    /// The MAPI sessions. Looks at every one: not for callers that must not block.
    pub sessions: SessionsOf,
    /// The servers that MAPI sessions are at.
    pub mapi_origins: Arc<dyn Fn() -> Vec<MapiOrigin> + Send + Sync>,
    /// Ends the MAPI session of that number, so that its client opens another one; says whether there was one.
    pub close_session: Arc<dyn Fn(u64) -> bool + Send + Sync>,
    /// Whether everybody passes (T20).
    pub bypass: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Lets everybody pass from the next request on, or no longer.
    pub set_bypass: Arc<dyn Fn(bool) + Send + Sync>,
    /// How long all waits of one request may last together (T6).
    pub max_delay: Arc<dyn Fn() -> Micros + Send + Sync>,
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
