//! A call's place at its origin, which it takes after everything else and holds while the origin works (T23).

use std::sync::Arc;

use weir_throttle::fair::Weight;
use weir_units::{Component, Micros, Owner, Refusal};

use super::Visit;
use crate::permit::place::{WaitRules, entering, too_crowded, too_late};
use crate::places::{Place, Places, Turn};

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
        let (begin, place) = entering();
        self.begin_at_origin(rules, begin).await?;
        self.place = place.await.ok().flatten();
        Ok(())
    }

    /// Has `begin` begin the call at the origin, with its place there, as soon as it has one.
    ///
    /// # Errors
    ///
    /// As [`Visit::enter_origin`].
    pub(super) async fn begin_at_origin(
        &mut self,
        rules: WaitRules,
        begin: impl FnOnce(Option<Place>) + Send + 'static,
    ) -> Result<(), Refusal> {
        let Some(places) = self.places.clone().filter(|_| self.settings.throttle.fair_share.is_some()) else {
            begin(None);
            return Ok(());
        };
        let (waited, outcome) = if let Some(permit) = &mut self.permit {
            let before = permit.queued();
            let outcome = permit.begin(&places, rules, begin).await;
            (permit.queued().minus(before), outcome)
        } else if let Some(owner) = self.owner_in_line() {
            self.begin_without_permit(&places, owner, rules, begin).await
        } else {
            begin(None);
            return Ok(());
        };
        self.queued = self.queued.plus(waited);
        self.gateway.metrics.queued(places.kind(), waited);
        outcome
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

    /// In whose line a call waits that holds none of its owner's budget; none where it does not wait. Who only claims to be
    /// somebody waits in a line with everybody else who does so from his address, and takes nothing of whoever he claims to
    /// be (T8).
    fn owner_in_line(&self) -> Option<Owner> {
        if !self.is_enforced() {
            return None;
        }
        let by_address = || Owner::new(&format!("[{}]", self.client()));
        self.owner().cloned().or_else(|| self.claimed.as_ref().map(|_| by_address()))
    }

    /// Also says how long the call has waited.
    async fn begin_without_permit(
        &self,
        places: &Arc<Places>,
        owner: Owner,
        rules: WaitRules,
        begin: impl FnOnce(Option<Place>) + Send + 'static,
    ) -> (Micros, Result<(), Refusal>) {
        let (component, clock) = (self.component.unwrap_or(Component::Anonymous), self.gateway.clock);
        let begin = Box::new(|place| begin(Some(place)));
        let line = match places.ask(&owner, Weight::ONE, begin, || true) {
            Ok(None) => return (Micros::ZERO, Ok(())),
            Ok(Some(line)) => line,
            Err((crowded, _)) if rules.may_refuse => {
                return (Micros::ZERO, Err(too_crowded(component, crowded)));
            }
            Err((_, begin)) => {
                places.begin_anyway(&owner, Weight::ONE, begin);
                return (Micros::ZERO, Ok(()));
            }
        };
        let since = clock.tick();
        let until = rules.until(since).min(since.plus(self.settings.throttle.max_delay.into()));
        match line.wait(until).await {
            Turn::Begun(at) => (at.since(since), Ok(())),
            Turn::TooLate(_) | Turn::SentBack(_) if rules.may_refuse => {
                (clock.tick().since(since), Err(too_late(component, places)))
            }
            Turn::TooLate(begin) | Turn::SentBack(begin) => {
                places.begin_anyway(&owner, Weight::ONE, begin);
                (clock.tick().since(since), Ok(()))
            }
        }
    }
}
