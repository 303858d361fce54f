//! A place at the origin for the call that a permit is for (T23).

use std::sync::Arc;

use tokio::sync::oneshot;
use weir_throttle::Seen;
use weir_throttle::evidence::WAIT_LEAST;
use weir_throttle::fair::{Crowded, Weight};
use weir_units::{Component, Micros, Millis, Part, Refusal, Tick};

use super::Permit;
use crate::places::{Begin, InLine, Place, Places, Turn};

/// How a call may be made to wait for its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WaitRules {
    /// Whether it may be refused; else it runs beyond the limit in the end (T26).
    pub(crate) may_refuse: bool,
    /// How long it may wait for this alone, where that is less than all waits together may last.
    pub(crate) most: Option<Micros>,
    /// Whether it also waits for its owner's time, should that be used up meanwhile.
    pub(crate) waits_for_time: bool,
}

impl WaitRules {
    /// A call, or a step of one that has had no effect yet where it `may_refuse`.
    pub(crate) const fn call(may_refuse: bool) -> Self {
        Self { may_refuse, most: None, waits_for_time: true }
    }

    /// A request of a MAPI session: its client waits no longer than ten seconds, and never for time (R11).
    pub(crate) const fn of_session(may_refuse: bool) -> Self {
        Self { may_refuse, most: Some(MAPI_MOST), waits_for_time: false }
    }

    /// Until when a wait that begins at `now` may last.
    pub(crate) fn until(self, now: Tick) -> Tick {
        self.most.map_or(Tick::NEVER, |most| now.plus(most))
    }
}

/// How long a MAPI request waits for a place.
const MAPI_MOST: Micros = Micros::new(10_000_000);

impl Permit {
    /// Has `begin` begin a call at the origin with its place, as soon as one is free and the clock stopped until then (T4);
    /// whoever is only observed begins at once, without any.
    ///
    /// Where the owner's time was used up meanwhile, the call waits for that first, as one that had not waited would.
    ///
    /// # Errors
    ///
    /// The refusal, once the request has waited as long as it may, or as many calls wait as may.
    pub(crate) async fn begin(
        &mut self,
        places: &Arc<Places>,
        rules: WaitRules,
        begin: impl FnOnce(Option<Place>) + Send + 'static,
    ) -> Result<(), Refusal> {
        if self.spares() {
            begin(None);
            return Ok(());
        }
        let (owner, weight) = (self.account.owner.clone(), Weight::new(self.policy.limits.fair_share_weight));
        let mut begin: Begin = Box::new(|place| begin(Some(place)));
        loop {
            let since = self.gateway.clock.tick();
            let line = match places.ask(&owner, weight, begin, self.may_begin(rules, since)) {
                Ok(None) => return Ok(()),
                Ok(Some(line)) => line,
                Err((crowded, _)) if rules.may_refuse => {
                    return Err(too_crowded(self.account.component, crowded));
                }
                Err((_, begin)) => {
                    places.begin_anyway(&owner, weight, begin);
                    return Ok(());
                }
            };
            match self.wait_for_turn(line, places, rules, since).await {
                Turn::Begun(at) => {
                    self.resume_at(at);
                    return Ok(());
                }
                Turn::SentBack(again) => begin = again,
                Turn::TooLate(_) if rules.may_refuse => {
                    return Err(too_late(self.account.component, places));
                }
                Turn::TooLate(begin) => {
                    places.begin_anyway(&owner, weight, begin);
                    self.resume();
                    return Ok(());
                }
            }
            self.turn(rules.may_refuse).await?;
        }
    }

    /// How long the call has waited for places so far.
    pub(crate) const fn queued(&self) -> Micros {
        self.queued
    }

    async fn wait_for_turn(&mut self, line: InLine, places: &Places, rules: WaitRules, began: Tick) -> Turn {
        let until = self.patience.until(rules.until(began), began);
        self.pause();
        let turn = line.wait(until).await;
        let ended = match turn {
            Turn::Begun(at) => at,
            Turn::SentBack(_) | Turn::TooLate(_) => self.gateway.clock.tick(),
        };
        let waited = self.note_wait_until(Part::FairShare, began, ended);
        self.queued = self.queued.plus(waited);
        let load = places.load();
        let running = match turn {
            Turn::TooLate(_) => load.running.max(load.places),
            Turn::Begun(_) | Turn::SentBack(_) => load.running.min(load.places).saturating_sub(1),
        };
        let (places, may_refuse) = (load.places, rules.may_refuse);
        self.note_unless_passed(Seen::Place { running, places, may_refuse, waited });
        turn
    }

    /// Whether the call, which has waited since `began`, may begin at the origin when its turn comes there: one that waits
    /// for its owner's time too does not once that is used up.
    fn may_begin(&self, rules: WaitRules, began: Tick) -> impl Fn() -> bool + Send + use<> {
        let (account, limits, clock) = (Arc::clone(&self.account), self.limits, self.gateway.clock);
        move || {
            let now = clock.tick();
            !rules.waits_for_time
                || now.since(began) < WAIT_LEAST
                || account.budget.time_seen(&limits, now).within()
        }
    }
}

/// What hands a place to whoever awaits it; one that nobody awaits any more is not used.
pub(crate) fn entering() -> (impl FnOnce(Option<Place>) + Send + 'static, oneshot::Receiver<Option<Place>>) {
    let (tell, told) = oneshot::channel();
    let begin = move |place| {
        if let Err(Some(place)) = tell.send(place) {
            Place::unused(place);
        }
    };
    (begin, told)
}

/// The refusal of a call whose turn has not come in time.
pub(crate) fn too_late(component: Component, places: &Places) -> Refusal {
    let load = places.load();
    let (limit, used) = (load.places.into(), load.running.max(load.places).into());
    Refusal { component, part: Part::FairShare, limit, used, retry_after: Some(BACK_OFF) }
}

/// The refusal of a call where as many wait as may.
pub(crate) fn too_crowded(component: Component, crowded: Crowded) -> Refusal {
    tracing::debug!(%crowded, "a call may not wait for a place at the origin");
    let bound = u64::from(crowded.limit());
    Refusal { component, part: Part::Waiting, limit: bound, used: bound, retry_after: Some(BACK_OFF) }
}

/// How long a call is asked to stay away that found no place.
const BACK_OFF: Millis = Millis::new(1000);

#[cfg(test)]
mod tests;
