//! A call's place at its origin, which it takes after everything else and holds while the origin works (T23).

use std::sync::Arc;

use weir_throttle::fair::Weight;
use weir_units::{Component, Owner, Refusal};

use super::Visit;
use crate::permit::place::{WaitRules, too_crowded, too_late};
use crate::places::{Asked, Place, Places};

impl Visit {
    /// The call goes to the origin that has these places.
    pub(crate) fn goes_to(&mut self, places: &Arc<Places>) {
        self.places = Some(Arc::clone(places));
    }

    /// Takes a place at the origin, and waits for one where none is free. What nobody is charged for needs none, nor does
    /// a call that is only observed: neither is ever held up.
    ///
    /// # Errors
    ///
    /// The refusal; nothing was sent.
    pub(crate) async fn enter_origin(&mut self, rules: WaitRules) -> Result<(), Refusal> {
        let Some(places) = self.places.clone().filter(|_| self.settings.throttle.fair_share.is_some()) else {
            return Ok(());
        };
        let began = self.gateway.clock.tick();
        let entered = if let Some(permit) = &mut self.permit {
            permit.enter(&places, rules).await
        } else if self.is_enforced() {
            self.enter_without_permit(&places, rules).await
        } else {
            return Ok(());
        };
        let waited = self.gateway.clock.tick().since(began);
        self.queued = self.queued.plus(waited);
        self.gateway.metrics.queued(places.kind(), waited);
        self.place = entered?;
        Ok(())
    }

    /// The place, for whoever sees when the origin has done with the call.
    pub(crate) fn take_place(&mut self) -> Option<Place> {
        self.place.take()
    }

    /// The origin answers the call, or fails on it.
    pub(crate) fn origin_answers(&mut self, answered: bool) {
        self.answered = answered;
    }

    /// The origin has done with the call.
    pub(crate) fn leave_origin(&mut self) {
        if let Some(place) = self.place.take() {
            place.done(self.answered);
        }
    }

    /// A place for a call that holds none of its owner's budget. Who only claims to be somebody waits in a line with
    /// everybody else who does so from his address, and takes nothing of whoever he claims to be (T8).
    async fn enter_without_permit(
        &self,
        places: &Arc<Places>,
        rules: WaitRules,
    ) -> Result<Option<Place>, Refusal> {
        let owner = match (self.owner(), &self.claimed) {
            (Some(owner), _) => owner.clone(),
            (None, Some(_)) => Owner::new(&format!("[{}]", self.client())),
            (None, None) => return Ok(None),
        };
        let component = self.component.unwrap_or(Component::Anonymous);
        let line = match places.ask(&owner, Weight::ONE) {
            Ok(Asked::Place(place)) => return Ok(Some(place)),
            Ok(Asked::Line(line)) => line,
            Err(crowded) if rules.may_refuse => return Err(too_crowded(component, crowded)),
            Err(_) => return Ok(Some(places.enter_anyway(&owner, Weight::ONE))),
        };
        let now = self.gateway.clock.tick();
        let until = rules.until(now).min(now.plus(self.settings.throttle.max_delay.into()));
        match line.wait(until).await {
            Some(place) => Ok(Some(place)),
            None if rules.may_refuse => Err(too_late(component, places)),
            None => Ok(Some(places.enter_anyway(&owner, Weight::ONE))),
        }
    }
}
