//! What a permit remembers of the gates that its call met, for the log (T20, T22).
//!
//! Each gate hands in the very inputs that it decided on, so that the verdict in the log can be found again from its line
//! alone. A debug build holds both against each other when a visit is settled.

use weir_throttle::evidence::Outcome;
use weir_throttle::{Account, ComponentLimits, Evidence, Manner, OverBudget, Seen, Verdict};
use weir_units::{Micros, Part, Refusal, Tick};

use super::Permit;
use crate::gateway::Shell;

impl Permit {
    /// The call, or a step of it, was refused. Where something counted was full, the refusal says what its gate saw; the
    /// other gates have said so themselves.
    pub(crate) fn refused(&mut self, refusal: &Refusal) {
        match refusal.part {
            Part::Time(_) | Part::FindCount | Part::FastSearchTimeout | Part::Cpu => {}
            Part::MaxConcurrency
            | Part::HangingConnections
            | Part::MaxSubscriptions
            | Part::Waiting
            | Part::MessageRate
            | Part::RecipientRate => self.note(Seen::refused(refusal)),
        }
    }

    /// What the gates on the call's way saw (T22).
    pub(crate) const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// What the call has been charged until now, by [`TimePart::index`].
    pub(crate) fn cost(&self) -> [Micros; 4] {
        self.meter.cost(self.gateway.clock.tick())
    }

    /// How many items and folders its finds have brought, and whether the client pages.
    pub(crate) const fn findings(&self) -> Option<(u64, bool)> {
        self.meter.findings()
    }

    /// Notes a find of `came` items over the `left` ones, which would have been refused; what would have held the call
    /// before stays (T20).
    pub(crate) fn spare_find(&mut self, refusal: Refusal, came: u64, left: u64) {
        if self.spared.is_some() {
            return;
        }
        self.spared = Some(refusal);
        self.evidence = Evidence::new(Manner::Observed);
        self.evidence.note(Seen::Whole { came, left });
    }

    /// A find that wants all at once brings `came`, and only `left` are left (T12).
    pub(crate) fn saw_too_many(&mut self, came: u64, left: u64) {
        self.meter.found_whole(came);
        self.note(Seen::Whole { came, left });
    }

    /// Keeps what a gate saw. A call that is only observed met no gate, unless it was held up all the same because
    /// observing began while others waited before it.
    pub(super) fn note(&mut self, seen: Seen) {
        match self.evidence.manner() {
            Manner::Held => self.evidence.note(seen),
            Manner::Observed if self.evidence.verdict().0 == Verdict::Run => self.hold_up(seen),
            Manner::Observed | Manner::Unjudged => {}
        }
    }

    fn hold_up(&mut self, seen: Seen) {
        if matches!(seen.outcome(), Outcome::Wait(_) | Outcome::Refuse(_)) {
            self.evidence = Evidence::new(Manner::Held);
            self.evidence.note(seen);
        }
    }

    pub(super) fn note_unless_passed(&mut self, seen: Seen) {
        if seen.outcome() != Outcome::Pass {
            self.note(seen);
        }
    }
}

/// What would keep one more call of this owner from running, and on what that is decided (T20).
pub(super) fn observe(
    account: &Account<Shell>,
    limits: &ComponentLimits,
    now: Tick,
) -> (Evidence, Option<Refusal>) {
    let (component, budget) = (limits.component, &account.budget);
    let (part, used, limit) = (Part::MaxConcurrency, budget.places().into(), limits.places().into());
    let time = budget.time_seen(limits, now);
    let mut evidence = Evidence::new(Manner::Observed);
    evidence.note(Seen::Count { part, used, limit, waited: Micros::ZERO });
    evidence.note(Seen::Turn { over_budget: OverBudget::Delay, waiting: 0, time });
    let full = Refusal { component, part, limit, used, retry_after: None };
    let spared = if used >= limit { Some(full) } else { (!time.within()).then(|| time.refusal(component)) };
    (evidence, spared)
}

#[cfg(test)]
mod tests;
