//! What MAPI clients do: how many operations they put into a request, when they make the next, and what they do when
//! they are told to back off (R11).
//!
//! A client makes one call at a time and repeats the one that was refused until it passes.

use weir_units::{Micros, Millis, Tick};

/// How often in a row an old client is refused before it drops its session.
const PATIENCE: usize = 60;

/// What a client does that is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manners {
    /// It comes again as soon as it may.
    Obeys,
    /// It comes again after half of what it was told, a millisecond at least.
    Early,
    /// It knows no duration: it comes again after a second, and gives up after sixty.
    Old,
}

/// When a client wants its next request.
#[derive(Clone, Copy)]
pub(crate) enum Pace {
    /// As soon as it has the answer.
    AtOnce,
    /// So long after the last one passed, if it has the answer.
    Every(Millis),
}

pub(crate) struct Client {
    pub(crate) session: usize,
    pub(crate) batch: u32,
    manners: Manners,
    pace: Pace,
    /// The requests that it makes in all.
    requests: usize,
    random: Random,
    /// When requests passed.
    pub(crate) passes: Vec<Tick>,
    /// When requests were refused, and what the client was told.
    pub(crate) refusals: Vec<(Tick, Millis)>,
    in_a_row: usize,
    /// The most refusals of one request.
    pub(crate) most_in_a_row: usize,
    pub(crate) gave_up: bool,
}

impl Client {
    /// A client on the session that makes requests of `batch` operations.
    pub(crate) fn new(session: usize, batch: u32, pace: Pace, manners: Manners, seed: u64) -> Self {
        Self {
            session,
            batch,
            manners,
            pace,
            requests: usize::MAX,
            random: Random(seed),
            passes: Vec::new(),
            refusals: Vec::new(),
            in_a_row: 0,
            most_in_a_row: 0,
            gave_up: false,
        }
    }

    /// The same client, which has nothing to do after so many requests.
    pub(crate) fn of(self, requests: usize) -> Self {
        Self { requests, ..self }
    }

    /// Its request passed; answers when it makes the next one, if it does.
    pub(crate) fn passed(&mut self, latency: Micros, now: Tick) -> Option<Tick> {
        self.passes.push(now);
        self.in_a_row = 0;
        let answered = now.plus(latency);
        let next = match self.pace {
            Pace::AtOnce => answered.plus(self.random.way()),
            Pace::Every(gap) => answered.max(now.plus(gap.micros())),
        };
        (self.passes.len() < self.requests).then_some(next)
    }

    /// It was told to back off; answers when it comes again, unless it gives up.
    pub(crate) fn refused(&mut self, left: Millis, now: Tick) -> Option<Tick> {
        self.refusals.push((now, left));
        self.in_a_row += 1;
        self.most_in_a_row = self.most_in_a_row.max(self.in_a_row);
        let wait = match self.manners {
            Manners::Obeys => left,
            Manners::Early => Millis::new((left.count() / 2).max(1)),
            Manners::Old if self.in_a_row >= PATIENCE => {
                self.gave_up = true;
                return None;
            }
            Manners::Old => Millis::new(1000),
        };
        Some(now.plus(wait.micros()).plus(self.random.way()))
    }

    /// Operations that passed in the span.
    pub(crate) fn rops_in(&self, from: Tick, to: Tick) -> u64 {
        let passes = self.passes.iter().filter(|at| (from..to).contains(*at)).count();
        passes as u64 * u64::from(self.batch)
    }

    /// Refusals in the span.
    pub(crate) fn refusals_in(&self, from: Tick, to: Tick) -> usize {
        self.refusals.iter().filter(|(at, _)| (from..to).contains(at)).count()
    }
}

/// A small seeded generator. Seed 0 makes a network without any delay.
struct Random(u64);

impl Random {
    /// The way of an answer and of the request after it: less than half a millisecond.
    fn way(&mut self) -> Micros {
        if self.0 == 0 {
            return Micros::ZERO;
        }
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Micros::new(self.0 % 500)
    }
}
