//! A place at the origin for the call that a permit is for (T23).

use std::sync::Arc;

use weir_throttle::Seen;
use weir_throttle::evidence::WAIT_LEAST;
use weir_throttle::fair::{Crowded, Weight};
use weir_units::{Component, Micros, Millis, Part, Refusal, Tick};

use super::Permit;
use crate::places::{Asked, InLine, Place, Places};

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
    /// Takes a place at the origin, waiting for one with the clock stopped (T4); none for whoever is only observed.
    ///
    /// Where the owner's time was used up meanwhile, the call waits for that first, as one that had not waited would.
    ///
    /// # Errors
    ///
    /// The refusal, once the request has waited as long as it may, or as many calls wait as may.
    pub(crate) async fn enter(
        &mut self,
        places: &Arc<Places>,
        rules: WaitRules,
    ) -> Result<Option<Place>, Refusal> {
        if self.spares() {
            return Ok(None);
        }
        let weight = Weight::new(self.policy.limits.fair_share_weight);
        loop {
            let line = match places.ask(&self.account.owner, weight) {
                Ok(Asked::Place(place)) => return Ok(Some(place)),
                Ok(Asked::Line(line)) => line,
                Err(crowded) if rules.may_refuse => {
                    return Err(too_crowded(self.account.component, crowded));
                }
                Err(_) => return Ok(Some(places.enter_anyway(&self.account.owner, weight))),
            };
            let (place, waited) = self.wait_for_place(line, places, rules).await;
            match place {
                Some(place) if waited < WAIT_LEAST || !rules.waits_for_time || self.has_time() => {
                    return Ok(Some(place));
                }
                Some(place) => place.unused(),
                None if rules.may_refuse => return Err(too_late(self.account.component, places)),
                None => return Ok(Some(places.enter_anyway(&self.account.owner, weight))),
            }
            self.turn(rules.may_refuse).await?;
        }
    }

    async fn wait_for_place(
        &mut self,
        line: InLine,
        places: &Places,
        rules: WaitRules,
    ) -> (Option<Place>, Micros) {
        let began = self.gateway.clock.tick();
        let until = self.patience.until(rules.until(began), began);
        self.pause();
        let place = line.wait(until).await;
        let waited = self.note_wait(Part::FairShare, began);
        let load = places.load();
        let running = match &place {
            Some(_) => load.running.min(load.places).saturating_sub(1),
            None => load.running.max(load.places),
        };
        let (places, may_refuse) = (load.places, rules.may_refuse);
        self.note_unless_passed(Seen::Place { running, places, may_refuse, waited });
        if place.is_some() || !may_refuse {
            self.resume();
        }
        (place, waited)
    }

    /// Whether something is left of each of the owner's time parts.
    fn has_time(&self) -> bool {
        self.account.budget.time_seen(&self.limits, self.gateway.clock.tick()).within()
    }
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
