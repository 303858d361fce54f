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
            Part::Time(_)
            | Part::FindCount
            | Part::FastSearchTimeout
            | Part::Cpu
            | Part::Backoff
            | Part::FairShare => {}
            Part::MaxConcurrency
            | Part::HangingConnections
            | Part::MaxSubscriptions
            | Part::Waiting
            | Part::MessageRate
            | Part::RecipientRate
            | Part::BlockList => self.note(Seen::refused(refusal)),
        }
    }

    /// What the gates on the call's way saw (T22).
    pub(crate) const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// What the call has been charged until now, by [`TimePart::index`]: as its budget, to the microsecond.
    pub(crate) fn cost(&self) -> [Micros; 4] {
        self.meter.cost(self.gateway.clock.tick())
    }

    /// How many items and folders its finds have brought, and whether the client pages.
    pub(crate) const fn findings(&self) -> Option<(u64, bool)> {
        self.meter.findings()
    }

    /// What would have become of a call that is only observed, and the part that would have decided it (T20).
    pub(crate) fn spared(&self) -> Option<(Verdict, Part)> {
        let (verdict, part) = self.evidence.verdict();
        let is_spared = matches!(verdict, Verdict::WouldRefuse | Verdict::WouldDelay);
        part.filter(|_| is_spared).map(|part| (verdict, part))
    }

    /// A call that is only observed has passed a gate that saw this. Where the gate would have refused it, or delayed it
    /// and none before would have, that is kept and counted (T20).
    pub(crate) fn spare(&mut self, seen: Seen) {
        if self.evidence.manner() != Manner::Observed {
            return;
        }
        let before = self.spared().map(|(verdict, _)| verdict);
        let tells_more = match seen.outcome() {
            Outcome::Pass => false,
            Outcome::Wait(_) | Outcome::Join(_) => before.is_none(),
            Outcome::Refuse(_) => before != Some(Verdict::WouldRefuse),
        };
        if tells_more {
            self.evidence.note(seen);
            self.count_spared();
        }
    }

    /// The rule of this number would have kept the call's program out, were it held to anything (R16); counted elsewhere.
    pub(crate) fn spare_block(&mut self, number: Option<u64>) {
        let observed = self.evidence.manner() == Manner::Observed;
        if let Some(number) = number.filter(|_| observed) {
            self.evidence.note(kept_out(number));
        }
    }

    /// Counts what would have become of a call that is only observed.
    pub(super) fn count_spared(&self) {
        let (metrics, component) = (&self.gateway.metrics, self.account.component);
        match self.spared() {
            Some((Verdict::WouldRefuse, part)) => metrics.would_refuse(component, part),
            Some((_, part)) => metrics.would_delay(component, part),
            None => {}
        }
    }

    /// What is left of the find count of an owner who is only observed.
    pub(crate) fn spared_find_left(&self) -> Option<u32> {
        let limits = self.policy.limits.component(self.account.component);
        let observed = self.evidence.manner() == Manner::Observed;
        self.account.budget.find_left(limits).filter(|_| observed)
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

/// What the block list saw whose rule of this number holds.
pub(crate) const fn kept_out(number: u64) -> Seen {
    Seen::Count { part: Part::BlockList, used: number, limit: 0, waited: Micros::ZERO }
}

/// On what it is decided whether one more call of this owner would run (T20).
pub(super) fn observe(
    account: &Account<Shell>,
    limits: &ComponentLimits,
    over_budget: OverBudget,
    now: Tick,
) -> Evidence {
    let budget = &account.budget;
    let (part, used, limit) = (Part::MaxConcurrency, budget.places().into(), limits.places().into());
    let time = budget.time_seen(limits, now);
    let mut evidence = Evidence::new(Manner::Observed);
    evidence.note(Seen::Count { part, used, limit, waited: Micros::ZERO });
    evidence.note(Seen::Turn { over_budget, waiting: 0, time });
    evidence
}

#[cfg(test)]
mod tests;
