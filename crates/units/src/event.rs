//! What an administrator should hear about (T16).

use std::fmt;
use std::sync::Arc;

/// How much an event matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing.
    Information,
    /// Worth a look.
    Warning,
    /// Something does not work.
    Error,
}

impl Level {
    /// The word for it, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Information => "information",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The number of a kind of event. Below 5001 the documents' own numbers, from there on ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u16);

impl EventId {
    /// An organisation's default policy is missing.
    pub const DEFAULT_POLICY_MISSING: Self = Self(2901);
    /// An organisation has more than one default policy.
    pub const SEVERAL_DEFAULT_POLICIES: Self = Self(2902);
    /// A mailbox points to a policy that was deleted (T15).
    pub const DELETED_POLICY_REFERENCED: Self = Self(2914);
    /// An owner was over budget many times within a minute.
    pub const OWNER_OVER_BUDGET: Self = Self(2915);
    /// Many owners were over budget within a minute.
    pub const MANY_OVER_BUDGET: Self = Self(2916);
    /// A charge was much longer than expected; nobody was throttled for it.
    pub const LONG_CHARGE: Self = Self(2917);
    /// An origin server's RPC average latency stays above the goal (R2).
    pub const RPC_LATENCY_ABOVE_GOAL: Self = Self(5001);
    /// RPC throttling was switched off (R8).
    pub const RPC_THROTTLING_OFF: Self = Self(5002);
    /// So many MAPI sessions are backed off that the server is the problem (R13).
    pub const MANY_SESSIONS_BACKED_OFF: Self = Self(5003);
    /// A stored policy cannot be read.
    pub const POLICY_UNREADABLE: Self = Self(5011);
    /// The directory cannot be reached.
    pub const DIRECTORY_UNREACHABLE: Self = Self(5012);
    /// A changed configuration was refused; the old one stays in force.
    pub const CONFIGURATION_REFUSED: Self = Self(5021);
    /// A change was made and cannot be written into the audit log.
    pub const AUDIT_UNWRITABLE: Self = Self(5022);
    /// A server stopped answering and gets no calls (H4).
    pub const TARGET_UNHEALTHY: Self = Self(5031);
    /// A server that had stopped answering does so again (H6).
    pub const TARGET_HEALTHY: Self = Self(5032);
    /// Everybody passes: nothing is refused, delayed or rewritten (T20).
    pub const BYPASS_ON: Self = Self(5041);
    /// Configuration and policies hold again after a bypass (T20).
    pub const BYPASS_OFF: Self = Self(5042);
    /// Queue, disk or memory became shorter: mail is slowed down or refused (H16).
    pub const BACK_PRESSURE_ROSE: Self = Self(5051);
    /// Queue, disk or memory became less short (H16).
    pub const BACK_PRESSURE_FELL: Self = Self(5052);
    /// A message was set aside, because the process failed over it time and again.
    pub const MESSAGE_SET_ASIDE: Self = Self(5061);
    /// A shadow partner was silent for too long: what it had is sent again (H12).
    pub const SHADOWS_TAKEN_OVER: Self = Self(5071);
    /// A shadow partner is silent, and nobody else could take what it has (H12).
    pub const SHADOWS_WITHOUT_WAY: Self = Self(5072);
    /// A shadow partner came back with another queue database: what it had is sent again (H12).
    pub const SHADOW_PARTNER_LOST: Self = Self(5073);
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One thing that happened, as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its kind.
    pub id: EventId,
    /// How much it matters.
    pub level: Level,
    /// What happened, why, and what to do, in a sentence.
    pub text: String,
    /// The facts, each with its name.
    pub fields: Vec<(&'static str, String)>,
}

/// Where events go. Cloning shares the sink.
#[derive(Clone)]
pub struct EventSink(Arc<dyn Fn(Event) + Send + Sync>);

impl EventSink {
    /// A sink that hands each event to `take`, which must not block.
    pub fn new(take: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    /// A sink that forgets everything.
    pub fn none() -> Self {
        Self::new(|_| {})
    }

    /// Hands `event` over.
    pub fn emit(&self, event: Event) {
        (self.0)(event);
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventSink")
    }
}
