//! One next hop: its queue, and its targets as far as they are known.

use std::sync::Arc;

use weir_balance::Attempt;
use weir_spool::MessageId;
use weir_transport::next_hop::{Choice, Level, Levels, Targets};
use weir_transport::queue::{NextHopQueue, QueueSettings};
use weir_units::{Micros, Tick};

/// A next hop's queue and its targets.
pub(super) struct Hop {
    pub(super) queue: NextHopQueue<MessageId>,
    levels: Option<Arc<Levels>>,
    /// How long the targets hold.
    until: Tick,
    resolving: bool,
    /// Look-ups, or all targets one after another, that failed without a word about any of them, one after another.
    soft_failures: u32,
    /// How many targets there are.
    targets: u32,
    /// When what waits here may be routed anew.
    reroute_at: Tick,
}

/// Where a connection goes, as the dispatcher decided.
pub(super) struct Chosen {
    pub(super) levels: Arc<Levels>,
    pub(super) level: usize,
    pub(super) attempt: Attempt,
}

impl Chosen {
    /// What the target is called.
    pub(super) fn name(&self) -> String {
        let selector = self.levels.selector(self.level);
        let target = selector.and_then(|selector| selector.target(&self.attempt));
        target.map_or_else(|| self.attempt.address().to_string(), |target| target.name.to_string())
    }
}

impl Hop {
    pub(super) fn new(settings: QueueSettings, now: Tick) -> Self {
        let queue = NextHopQueue::new(settings, now);
        let (levels, resolving, soft_failures, targets) = (None, false, 0, 0);
        Self { queue, levels, until: now, resolving, soft_failures, targets, reroute_at: now }
    }

    /// What waits here is to be routed anew every so often: whether it is now.
    pub(super) fn reroutes(&mut self, every: Micros, now: Tick) -> bool {
        let due = self.reroute_at <= now;
        if due {
            self.reroute_at = now.plus(every);
        }
        due
    }

    /// When what waits here may be routed anew.
    pub(super) const fn reroute_at(&self) -> Tick {
        self.reroute_at
    }

    /// Whether its targets have to be looked up before a connection is opened; they are being looked up from then on.
    pub(super) fn begin_to_resolve(&mut self, now: Tick) -> bool {
        let needed = !self.resolving && (self.levels.is_none() || self.until <= now);
        self.resolving |= needed;
        needed
    }

    /// Whether it is known where to connect to.
    pub(super) fn is_resolved(&self, now: Tick) -> bool {
        self.levels.is_some() && self.until > now
    }

    /// The look-up brought targets.
    pub(super) fn resolved(&mut self, levels: Arc<Levels>, targets: &Targets, now: Tick) {
        self.resolving = false;
        let count = targets.levels.iter().map(|level: &Level| level.targets.len()).sum::<usize>();
        self.targets = u32::try_from(count).unwrap_or(u32::MAX);
        // An answer that is not to be remembered serves the connections that asked for it.
        self.until = now.plus(targets.holds_for.max(Micros::SECOND));
        self.levels = Some(levels);
    }

    /// The look-up failed; the targets that were known before stay known as they were.
    pub(super) fn not_resolved(&mut self) -> u32 {
        self.resolving = false;
        self.soft_failures = self.soft_failures.saturating_add(1);
        self.soft_failures
    }

    /// The targets, whether or not they still hold.
    pub(super) fn levels(&self) -> Option<&Arc<Levels>> {
        self.levels.as_ref()
    }

    /// The targets are to be looked up again before the next connection.
    pub(super) const fn forget_targets(&mut self, now: Tick) {
        self.until = now;
    }

    /// Where the next connection goes, or when to ask again.
    pub(super) fn pick(&self, now: Tick) -> Result<Chosen, Tick> {
        let Some(levels) = &self.levels else { return Err(Tick::NEVER) };
        match levels.pick(now) {
            Choice::NoneUntil(until) => Err(until),
            Choice::Target { level, attempt } => Ok(Chosen { levels: Arc::clone(levels), level, attempt }),
        }
    }

    /// A connection carried something.
    pub(super) const fn went_well(&mut self) {
        self.soft_failures = 0;
    }

    /// A target took the connection and could not be used all the same; or, where `all` of them were tried, none took it.
    /// Answers how often all of them failed in turn.
    pub(super) const fn was_of_no_use(&mut self, all: bool) -> u32 {
        let targets = if self.targets == 0 { 1 } else { self.targets };
        self.soft_failures = self.soft_failures.saturating_add(if all { targets } else { 1 });
        self.soft_failures / targets
    }
}
