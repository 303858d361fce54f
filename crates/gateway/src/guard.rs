//! Slows down those who guess passwords, and nobody else (T8).
//!
//! Requests whose credential is not known to be good take a *turn* before it is verified. Turns are kept per
//! address – per /64 for IPv6 – in the order of arrival, one verification at a time. Each failure makes the pause
//! before the address's next turn longer, up to a bound; a quiet while makes it shorter. So a guesser gets a few
//! tries a second, however many connections he opens. An address without failures waits for nothing but its own running
//! verifications, and may have one more at a time for each credential of it that was good: before a remote origin a
//! verification takes as long as the call, and a whole office may come from one address.
//!
//! A success forgives nothing: who owns one good password could otherwise wipe his failures with it. Only time does.
//! Requests with an accepted credential never come here, so a guesser cannot slow his neighbours' work.
//!
//! The guard is a value that is asked again at the ticks it tells; it sleeps for nobody. A caller that goes away
//! while it waits loses its place a moment after its tick, one that goes away while it verifies loses its turn after
//! [`GuardSettings::verification`].

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use weir_units::{Micros, Tick};

mod lane;

use lane::{Answer, Lane};
pub use weir_units::Source;

/// How many times longer the line of an address without failures may be: it moves as fast as verifications do, and an
/// office behind one address, or a client that opens many connections at once, has done nothing wrong.
pub const LONGER_LINE: usize = 32;

/// The limits of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardSettings {
    /// The pause after the first failure; each further one doubles it.
    pub first_pause: Micros,
    /// The longest pause between two tries of one address.
    pub longest_pause: Micros,
    /// How long an address has to be without failure for its count of failures to halve.
    pub quiet: Micros,
    /// How long one verification may take before the next may begin without it.
    pub verification: Micros,
    /// Verifications of one address that may run at the same time while all of them succeed; after a failure it is one.
    pub at_once: usize,
    /// Requests of one address that may wait for their turn after a failure; more are refused unchecked. Times the
    /// longest pause, it is how long the last of them waits. Without failures it is [`LONGER_LINE`] times as many.
    pub waiting: usize,
    /// Addresses that are remembered at the same time.
    pub addresses: usize,
}

impl Default for GuardSettings {
    fn default() -> Self {
        Self {
            first_pause: Micros::new(125_000),
            longest_pause: Micros::new(500_000),
            quiet: Micros::MINUTE,
            verification: Micros::SECOND.times(10),
            at_once: 64,
            waiting: 32,
            addresses: 10_000,
        }
    }
}

/// What a request with an unverified credential may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Verify, then [`Guard::settle`].
    Verify(Pass),
    /// [`Guard::ask_again`] at [`Place::due`], or as soon as a verification of this address has settled.
    Wait(Place),
    /// Too many wait already: the answer is 401, and the credential stays unchecked.
    Refuse,
}

/// The right to one verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a pass that is not settled holds up its address until it expires"]
pub struct Pass {
    source: Source,
    ticket: u64,
}

/// A place in an address's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    source: Source,
    ticket: u64,
    due: Tick,
}

impl Place {
    /// When to ask again. Asking earlier does no harm, asking much later loses the place.
    pub const fn due(&self) -> Tick {
        self.due
    }
}

/// How a verification came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The credential is good.
    Accepted,
    /// The credential is complete and wrong: a 401.
    Failed,
    /// Nothing was proved: the directory or the origin could not say, or the client has gone.
    Unknown,
}

/// The failure guard of one process; shared by all its listeners.
#[derive(Debug)]
pub struct Guard {
    settings: GuardSettings,
    lanes: Mutex<Lanes>,
}

#[derive(Debug, Default)]
struct Lanes {
    by_source: HashMap<Source, Lane, foldhash::fast::RandomState>,
    next_ticket: u64,
}

impl Guard {
    /// A guard that has seen nothing yet.
    pub fn new(settings: GuardSettings) -> Self {
        Self { settings, lanes: Mutex::default() }
    }

    /// Asks at `now` for a turn to verify a credential that came from `address`.
    pub fn ask(&self, address: IpAddr, now: Tick) -> Turn {
        let mut lanes = self.lock();
        lanes.next_ticket += 1;
        let ticket = lanes.next_ticket;
        lanes.join(Source::of(address), ticket, &self.settings, now)
    }

    /// Asks again at `now` with a place in the line. A place that was lost meanwhile is one at the end of the line.
    pub fn ask_again(&self, place: Place, now: Tick) -> Turn {
        self.lock().join(place.source, place.ticket, &self.settings, now)
    }

    /// Gives up a place before its turn, for a caller that knows that it goes away.
    pub fn leave(&self, place: Place) {
        if let Some(lane) = self.lock().by_source.get_mut(&place.source) {
            lane.leave(place.ticket);
        }
    }

    /// Says at `now` how the verification came out and ends its turn. A pass that has expired still counts its
    /// failure, but does not end the turn of the one that verifies meanwhile.
    pub fn settle(&self, pass: Pass, outcome: Outcome, now: Tick) {
        let mut lanes = self.lock();
        match outcome {
            Outcome::Failed => lanes.fail(pass.source, &self.settings, now),
            Outcome::Accepted => lanes.succeed(pass.source),
            Outcome::Unknown => {}
        }
        lanes.end(pass, &self.settings, now);
    }

    /// Counts at `now` a failure from `address` that needed no turn, such as one of a credential that was good an
    /// hour ago.
    pub fn fail(&self, address: IpAddr, now: Tick) {
        self.lock().fail(Source::of(address), &self.settings, now);
    }

    /// Forgets every address that has been quiet long enough; to be called now and then.
    pub fn sweep(&self, now: Tick) {
        self.lock().by_source.retain(|_, lane| !lane.is_forgotten(&self.settings, now));
    }

    /// How many addresses are remembered.
    pub fn addresses(&self) -> usize {
        self.lock().by_source.len()
    }

    fn lock(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lanes {
    fn join(&mut self, source: Source, ticket: u64, settings: &GuardSettings, now: Tick) -> Turn {
        let Some(lane) = self.lane(source, settings, now) else {
            return Turn::Refuse;
        };
        match lane.join(ticket, settings, now) {
            Answer::Verify => Turn::Verify(Pass { source, ticket }),
            Answer::Wait(due) => Turn::Wait(Place { source, ticket, due }),
            Answer::Full => Turn::Refuse,
        }
    }

    /// The lane of `source`, made where it is missing; nothing where no more fit.
    fn lane(&mut self, source: Source, settings: &GuardSettings, now: Tick) -> Option<&mut Lane> {
        if !self.by_source.contains_key(&source) && !self.make_room(settings, now) {
            return None;
        }
        Some(self.by_source.entry(source).or_insert_with(|| Lane::new(now)))
    }

    fn fail(&mut self, source: Source, settings: &GuardSettings, now: Tick) {
        if let Some(lane) = self.lane(source, settings, now) {
            lane.fail(settings, now);
        }
    }

    fn succeed(&mut self, source: Source) {
        if let Some(lane) = self.by_source.get_mut(&source) {
            lane.succeed();
        }
    }

    fn end(&mut self, pass: Pass, settings: &GuardSettings, now: Tick) {
        if let Some(lane) = self.by_source.get_mut(&pass.source) {
            lane.end(pass.ticket);
            if lane.is_forgotten(settings, now) {
                self.by_source.remove(&pass.source);
            }
        }
    }

    /// Makes sure that one more address fits; false where every remembered one is in use.
    ///
    /// A full table gives up an eighth of its idle addresses at once, those that failed the longest ago, so that a
    /// flood of addresses pays for the search only now and then.
    fn make_room(&mut self, settings: &GuardSettings, now: Tick) -> bool {
        if self.by_source.len() < settings.addresses {
            return true;
        }
        self.by_source.retain(|_, lane| !lane.is_forgotten(settings, now));
        if self.by_source.len() >= settings.addresses {
            self.drop_longest_ago(settings, now);
        }
        self.by_source.len() < settings.addresses
    }

    fn drop_longest_ago(&mut self, settings: &GuardSettings, now: Tick) {
        let idle = self.by_source.iter().filter(|(_, lane)| lane.is_idle(now));
        let mut oldest: Vec<(Tick, Source)> =
            idle.map(|(source, lane)| (lane.last_failure(), *source)).collect();
        oldest.sort_unstable();
        let share = settings.addresses / 8 + 1;
        for (_, source) in oldest.into_iter().take(share) {
            self.by_source.remove(&source);
        }
    }
}

#[cfg(test)]
mod tests;
