//! The places at one origin, of which each owner gets his share (T23).
//!
//! At most so many calls run at an origin at once, found from the time that it takes over them, and the rest wait here, in
//! a line for each owner. The decisions are those of [`weir_throttle::fair`]; here calls sleep until their turn comes, and
//! a place is given back on whatever way out. It is the last gate before the origin, and the same for every front.

use std::sync::Arc;

use tokio::runtime::Handle;
use weir_clock::Clock;
use weir_throttle::fair::{
    Arrival, Crowded, FairBounds, FairGate, Holding, LimitRules, Load, Ticket, Weight,
};
use weir_throttle::rpc::RpcLatency;
use weir_units::{Owner, Tick};

use crate::settings::ThrottleSettings;

mod line;

use line::{Go, go};
pub(crate) use line::{InLine, Turn};

/// The places at one origin, and whoever waits for one.
pub(crate) struct Places {
    /// What the origin is called, and of which kind it is, for whoever looks on.
    origin: Box<str>,
    kind: &'static str,
    gate: FairGate<Go>,
    /// How many calls the origin works on at once, where that is known: more would only queue there, out of our order.
    threads: u32,
    clock: Clock,
    /// What a call takes that the origin answers.
    usual: RpcLatency,
}

/// A call's place at its origin, given back when this is dropped, whatever came of the call.
#[must_use = "the place is given back when this is dropped"]
pub(crate) struct Place {
    places: Arc<Places>,
    /// None once it was given back.
    ticket: Option<Ticket>,
    since: Tick,
}

/// Begins a call at the origin, with its place, on whatever thread.
pub(crate) type Begin = Box<dyn FnOnce(Place) + Send>;

impl Places {
    /// The places at the embedded origin, which has so many threads.
    pub(crate) fn embedded(threads: u32, settings: &ThrottleSettings, clock: Clock) -> Self {
        Self::new("embedded", "embedded", threads, settings, clock)
    }

    /// The places at a remote origin of this name.
    pub(crate) fn remote(origin: &str, settings: &ThrottleSettings, clock: Clock) -> Self {
        Self::new("remote", origin, u32::MAX, settings, clock)
    }

    fn new(
        kind: &'static str,
        origin: &str,
        threads: u32,
        settings: &ThrottleSettings,
        clock: Clock,
    ) -> Self {
        let bounds = FairBounds {
            per_owner: settings.waiting_per_owner,
            in_all: settings.waiting,
            ..FairBounds::default()
        };
        let limit = settings.fair_share.unwrap_or_default().at_most(threads);
        Self {
            origin: origin.into(),
            kind,
            gate: FairGate::new(limit, bounds),
            threads,
            clock,
            usual: RpcLatency::new(),
        }
    }

    /// One more call of the owner asks for a place: it begins at once, or waits in line, where it begins when its turn
    /// comes and it `may_begin` then.
    ///
    /// # Errors
    ///
    /// As many calls wait as may.
    pub(crate) fn ask(
        self: &Arc<Self>,
        owner: &Owner,
        weight: Weight,
        begin: Begin,
        may_begin: impl Fn() -> bool + Send + 'static,
    ) -> Result<Option<InLine>, (Crowded, Begin)> {
        match self.gate.arrive(owner, weight, go, self.clock.tick()) {
            Arrival::Run(ticket) => {
                begin(self.place(ticket));
                Ok(None)
            }
            Arrival::Wait(ticket) => Ok(Some(self.line_up(ticket, begin, may_begin))),
            Arrival::Refuse(crowded) => Err((crowded, begin)),
        }
    }

    /// Begins beyond the limit a call that may not be refused and has waited as long as it may (T26).
    pub(crate) fn begin_anyway(self: &Arc<Self>, owner: &Owner, weight: Weight, begin: Begin) {
        begin(self.place(self.gate.run_anyway(owner, weight)));
    }

    /// What the origin is called.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// The kind of origin: embedded or remote.
    pub(crate) const fn kind(&self) -> &'static str {
        self.kind
    }

    /// How many calls run, how many may, and how many wait.
    pub(crate) fn load(&self) -> Load {
        self.gate.load()
    }

    /// What the owner has here.
    pub(crate) fn of(&self, owner: &Owner) -> Holding {
        self.gate.of(owner)
    }

    /// These settings hold from now on. Where fair share is off, all who wait go on at once.
    pub(crate) fn reload(&self, before: &ThrottleSettings, settings: &ThrottleSettings) {
        self.gate.set_waiting(settings.waiting_per_owner, settings.waiting);
        if before.fair_share == settings.fair_share {
            return;
        }
        let unlimited = || LimitRules::fixed(u32::MAX).unwrap_or_default();
        let limit = settings.fair_share.map_or_else(unlimited, |limit| limit.at_most(self.threads));
        self.gate.set_limit(limit, go, self.clock.tick());
    }

    fn place(self: &Arc<Self>, ticket: Ticket) -> Place {
        Place { places: Arc::clone(self), ticket: Some(ticket), since: self.clock.tick() }
    }
}

impl Place {
    /// The origin has done with the call, and answered it or failed.
    pub(crate) fn done(mut self, answered: bool) {
        self.end(answered);
    }

    /// The call does not go to the origin after all, or not yet.
    pub(crate) fn unused(mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.places.gate.leave(ticket, go, self.places.clock.tick());
        }
    }

    /// Whoever made the call has gone, and the origin works on: it is not seen until when, so the place is held for as long as
    /// a call usually takes. Else somebody who hangs up at once could have any number of calls carried out.
    pub(crate) fn abandoned(self) {
        let until = self.since.plus(self.places.usual.mean());
        let clock = self.places.clock;
        if let Ok(runtime) = Handle::try_current()
            && clock.tick() < until
        {
            runtime.spawn(async move {
                clock.sleep_until(until).await;
                drop(self);
            });
        }
    }

    fn end(&mut self, answered: bool) {
        let Some(ticket) = self.ticket.take() else { return };
        let now = self.places.clock.tick();
        let cost = now.since(self.since);
        if answered {
            self.places.usual.record(cost);
        }
        self.places.gate.done(ticket, cost, answered, go, now);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.end(false);
    }
}

#[cfg(test)]
mod tests;
