//! What MAPI clients do: how many operations they put into a request, when they make the next, and what they do when
//! they are told to back off (R11).
//!
//! A client makes one call at a time and repeats the one that was refused until it passes.

use weir_units::{Micros, Millis, Tick};

use crate::random::Random;

/// How often in a row an old client is refused before it drops its session.
const PATIENCE: usize = 60;
/// The longest that the network takes.
const WAY: Micros = Micros::new(500);

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
    /// When its user has thought for so long in the mean.
    Thinks(Millis),
}

pub(crate) struct Client {
    pub(crate) session: usize,
    pub(crate) batch: u32,
    manners: Manners,
    pace: Pace,
    /// The requests that it makes in all.
    requests: usize,
    /// Chance in its pace, and in how long the way is; nothing where there is no way.
    random: Option<Random>,
    /// When it wanted the request that has not passed yet.
    wanted: Option<Tick>,
    /// When requests passed.
    pub(crate) passes: Vec<Tick>,
    /// How long each took from when it was wanted until it was answered.
    pub(crate) took: Vec<Micros>,
    /// When requests were refused, and what the client was told.
    pub(crate) refusals: Vec<(Tick, Millis)>,
    in_a_row: usize,
    /// The most refusals of one request.
    pub(crate) most_in_a_row: usize,
    pub(crate) gave_up: bool,
}

impl Client {
    /// A client on the session that makes requests of `batch` operations. With a seed of 0 nothing is left to chance.
    pub(crate) fn new(session: usize, batch: u32, pace: Pace, manners: Manners, seed: u64) -> Self {
        Self {
            session,
            batch,
            manners,
            pace,
            requests: usize::MAX,
            random: (seed > 0).then(|| Random::new(seed)),
            wanted: None,
            passes: Vec::new(),
            took: Vec::new(),
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

    /// Its request passed, and the origin takes so long over it; answers when it makes the next one, if it does.
    pub(crate) fn passed(&mut self, took: Micros, now: Tick) -> Option<Tick> {
        self.passes.push(now);
        self.in_a_row = 0;
        let answered = now.plus(took);
        self.took.push(answered.since(self.wanted.take().unwrap_or(now)));
        let next = match self.pace {
            Pace::AtOnce => answered.plus(self.way()),
            Pace::Every(gap) => answered.max(now.plus(gap.micros())),
            Pace::Thinks(mean) => answered.plus(self.thought(mean)),
        };
        (self.passes.len() < self.requests).then_some(next)
    }

    /// It was told to back off; answers when it comes again, unless it gives up.
    pub(crate) fn refused(&mut self, left: Millis, now: Tick) -> Option<Tick> {
        self.refusals.push((now, left));
        self.wanted.get_or_insert(now);
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
        Some(now.plus(wait.micros()).plus(self.way()))
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

    /// The way of an answer and of the request after it: less than half a millisecond.
    fn way(&mut self) -> Micros {
        self.random.as_mut().map(|random| random.below(WAY)).unwrap_or_default()
    }

    fn thought(&mut self, mean: Millis) -> Micros {
        self.random.as_mut().map_or(mean.micros(), |random| random.exponential(mean.micros()))
    }
}
