//! Operations that come faster than the origin carries them out (R4, and the same beyond MAPI).
//!
//! A MAPI session has a queue of its own. Anybody else is held to one for all of his calls in a component, where an
//! administrator asks for that: his operations may come as fast as the origin would carry them out if he made as many calls
//! at a time as he may. What that comes to follows the origin's latency, so that nobody is refused while it is quick.

use weir_throttle::rpc::{RpcDecision, RpcRules, RpcSession};
use weir_throttle::{Manner, Seen};
use weir_units::{Component, Micros, Millis, Part, Refusal};

use super::Permit;

impl Permit {
    /// Judges a call of so many operations at an origin whose operations take `mean`.
    ///
    /// # Errors
    ///
    /// The refusal, which says how long to back off. Nothing was sent to the origin.
    pub(crate) fn keep_pace(
        &mut self,
        operations: u32,
        mean: Micros,
        rules: &RpcRules,
    ) -> Result<(), Refusal> {
        if rules.factor.is_off() {
            return Ok(());
        }
        let component = self.account.component;
        // Whoever may make any number of calls at a time is as fast as he likes.
        let places = self.policy.limits.component(component).max_concurrency.filter(|places| *places > 0);
        let latency = places.map_or(Micros::ZERO, |places| Micros::new(mean.count() / u64::from(places)));
        let account = std::sync::Arc::clone(&self.account);
        match self.judge_pace(account.shell.pace(), operations, latency, rules) {
            Some(wait) => Err(too_fast(component, wait)),
            None => Ok(()),
        }
    }

    /// Judges a call of so many operations by the queue of `paced`; counts it where it passes. Answers how long it is to
    /// back off instead.
    pub(crate) fn judge_pace(
        &mut self,
        paced: &RpcSession,
        operations: u32,
        latency: Micros,
        rules: &RpcRules,
    ) -> Option<Millis> {
        let now = self.gateway.clock.tick();
        let decision = paced.decide(operations, latency, rules, now);
        let wait = match decision {
            RpcDecision::Pass | RpcDecision::PassOwing { .. } => None,
            RpcDecision::BackOff(wait) => Some(wait),
        };
        let seen = Seen::Pace { operations, left: wait.map_or(Micros::ZERO, Millis::micros), latency };
        match self.evidence.manner() {
            Manner::Held => {
                self.note(seen);
                wait
            }
            // Who is only observed is not held up.
            Manner::Observed | Manner::Unjudged => {
                self.spare(seen);
                if wait.is_some() {
                    paced.pass_anyway(operations, now);
                }
                None
            }
        }
    }
}

/// The refusal of a call that may come again after `wait`.
pub(crate) fn too_fast(component: Component, wait: Millis) -> Refusal {
    Refusal { component, part: Part::Backoff, limit: 0, used: wait.count(), retry_after: Some(wait) }
}

#[cfg(test)]
mod tests;
