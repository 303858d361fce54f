//! What a request of a MAPI session holds of its owner's budget (R15, T25).

use std::sync::Arc;

use weir_units::{Component, Micros, Owner, Part, Refusal};

use super::Visit;
use crate::mapi::place::SessionPlace;
use crate::permit::Permit;

/// Another request of the session is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnderWay;

impl Visit {
    /// Takes the session's place for the time of this request.
    ///
    /// # Errors
    ///
    /// Another request has it.
    pub(crate) fn admit_for(&mut self, place: &Arc<SessionPlace>) -> Result<(), UnderWay> {
        let call = place.take().ok_or(UnderWay)?;
        let gateway = Arc::clone(&self.gateway);
        let (account, now) = (place.account(), gateway.clock.tick());
        let policy = gateway.policies.lookup(&account.owner, now);
        self.init = Some(account.snapshot(policy.limits.component(account.component), now));
        self.policy = Some(Arc::clone(&policy));
        let permit = Permit::of_session(place, call, gateway, policy, &self.settings.throttle);
        self.permit = Some(permit);
        Ok(())
    }

    /// The request waits for events: it holds no place (T25).
    ///
    /// # Errors
    ///
    /// The refusal where as many of the owner's requests wait as may.
    pub(crate) fn admit_hanging(&mut self) -> Result<(), Refusal> {
        let (Some(owner), Some(component)) = (self.owner().cloned(), self.component) else { return Ok(()) };
        let (budget, policy) = self.budget(&owner, component)?;
        let gateway = Arc::clone(&self.gateway);
        self.permit = Some(Permit::hanging(gateway, budget, policy, &self.settings.throttle)?);
        Ok(())
    }

    /// Why whoever asks, or only claims to, could open no further session, if he could not: as far as that can be said
    /// before he takes a place. Nothing is charged.
    pub(crate) fn no_room_for_session(&self) -> Option<Refusal> {
        let owner = self.owner_or_claimed()?;
        let policy = self.gateway.policies.lookup(owner, self.gateway.clock.tick());
        if policy.limits.observe_only || !self.is_enforced() {
            return None;
        }
        if let Err(full) = self.gateway.sessions.has_room(owner, &self.settings.mapi) {
            tracing::warn!(%full, "a MAPI session was refused");
            let bound = full.bound();
            return Some(no_place(bound, bound));
        }
        let account =
            self.claimed.as_ref().and_then(|owner| self.gateway.budgets.peek(owner, Component::Rca))?;
        let (used, limit) = (account.budget.places(), policy.limits.component(Component::Rca).places());
        (used >= limit).then(|| no_place(used.into(), limit.into()))
    }

    /// The session that is opened for this request has its place from here on, and keeps it.
    pub(crate) fn keep_place(&mut self) -> Option<Arc<SessionPlace>> {
        self.permit.as_mut().map(Permit::keep_place)
    }

    /// What the request holds is given back before its end.
    pub(crate) fn give_back(&mut self) {
        self.permit = None;
    }

    /// Who asks, or else claims to.
    pub(crate) fn owner_or_claimed(&self) -> Option<&Owner> {
        self.owner().or(self.claimed.as_ref())
    }

    /// Whether anybody is held to his budget as the request has it.
    pub(crate) fn is_enforced(&self) -> bool {
        self.gateway.enforces(&self.settings.throttle)
    }

    /// Whether this very request is held to its owner's budget.
    pub(crate) fn is_held(&self) -> bool {
        self.permit.as_ref().map_or_else(|| self.is_enforced(), |permit| !permit.spares())
    }

    /// An origin worked `took` on one packet of the session.
    pub(crate) fn packet_took(&mut self, took: Micros) {
        self.origin.count += 1;
        self.origin.took = self.origin.took.plus(took);
    }
}

/// The refusal of one more session.
const fn no_place(used: u64, limit: u64) -> Refusal {
    let (component, part) = (Component::Rca, Part::MaxConcurrency);
    Refusal { component, part, limit, used, retry_after: None }
}
