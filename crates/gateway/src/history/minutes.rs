//! One owner's last hour, minute by minute.
//!
//! A request counts in the minute in which it is settled; the time that it used is spread evenly over the minutes that
//! it lasted, so that a call of ten minutes is no peak in its last one. Minutes without anything take no room.

use std::collections::VecDeque;

use weir_units::{Micros, WallTime};

use super::Note;
use crate::request_log::Verdict;

/// How many minutes are remembered, the one that is not over among them.
pub const MINUTES: u32 = 60;

const MINUTE: i64 = 60_000_000;

/// What one owner did in one minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Minute {
    /// When it began.
    pub at: WallTime,
    /// Requests that were settled in it.
    pub requests: u32,
    /// Those that were refused.
    pub refused: u32,
    /// Those that were delayed.
    pub delayed: u32,
    /// Those that would have been refused, had anybody been held to his budget (T20).
    pub would_refuse: u32,
    /// Those that would have been delayed.
    pub would_delay: u32,
    /// The gateway's time that was used in it (CAS).
    pub worked: Micros,
    /// The origin's time that was used in it (RPC).
    pub origin: Micros,
}

/// The minutes in which something happened, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Minutes(VecDeque<Minute>);

impl Minutes {
    /// Counts a request that is settled at `now`.
    pub(super) fn note(&mut self, note: &Note<'_>, now: WallTime) {
        self.at(beginning(now)).count(note.verdict);
        self.spread(note, now);
        self.forget_old(now);
    }

    /// Adds the time that the request used to the minutes that it lasted; none of them is older than an hour.
    fn spread(&mut self, note: &Note<'_>, now: WallTime) {
        let lasted =
            i64::try_from(note.taken.count()).unwrap_or(i64::MAX).clamp(1, MINUTE * i64::from(MINUTES));
        let began = now.unix_micros().saturating_sub(lasted);
        let mut minute = beginning(WallTime::from_unix_micros(began));
        let end = now.unix_micros();
        let mut from = began;
        while from < end || from == began {
            let to = minute.unix_micros().saturating_add(MINUTE).min(end);
            let of = self.at(minute);
            of.worked = of.worked.plus(share(note.worked, to - from, lasted));
            of.origin = of.origin.plus(share(note.origin, to - from, lasted));
            (from, minute) = (to, WallTime::from_unix_micros(minute.unix_micros().saturating_add(MINUTE)));
        }
    }

    /// The minute that begins at `at`. One before all that are known, as when the clock was set back, is the first.
    fn at(&mut self, at: WallTime) -> &mut Minute {
        let place = match self.0.iter().rposition(|minute| minute.at <= at) {
            Some(place) if self.0.get(place).is_some_and(|minute| minute.at == at) => place,
            before => {
                let place = before.map_or(0, |before| before + 1);
                self.0.insert(place, Minute { at, ..Minute::default() });
                place
            }
        };
        self.0.get_mut(place).expect("it was found or put there")
    }

    /// Forgets what is older than the last hour, or so much later than `now` that the clock must have been set back.
    pub(super) fn forget_old(&mut self, now: WallTime) {
        let (first, last) = (first(now), beginning(now));
        while self.0.front().is_some_and(|minute| minute.at < first) {
            self.0.pop_front();
        }
        while self.0.back().is_some_and(|minute| minute.at > last) {
            self.0.pop_back();
        }
        if self.0.len() < self.0.capacity() / 4 {
            self.0.shrink_to_fit();
        }
    }

    /// All minutes of the last hour at `now`, the oldest first, those without anything too.
    pub(super) fn last_hour(&self, now: WallTime) -> Vec<Minute> {
        let known = |at: WallTime| self.0.iter().find(|minute| minute.at == at).copied();
        (0..MINUTES)
            .map(|number| first(now).plus(Micros::MINUTE.times(number.into())))
            .map(|at| known(at).unwrap_or(Minute { at, ..Minute::default() }))
            .collect()
    }
}

impl Minute {
    fn count(&mut self, verdict: Verdict) {
        let counter = match verdict {
            Verdict::Refuse => Some(&mut self.refused),
            Verdict::Delay => Some(&mut self.delayed),
            Verdict::WouldRefuse => Some(&mut self.would_refuse),
            Verdict::WouldDelay => Some(&mut self.would_delay),
            Verdict::Run | Verdict::Unjudged => None,
        };
        if let Some(counter) = counter {
            *counter = counter.saturating_add(1);
        }
        self.requests = self.requests.saturating_add(1);
    }
}

/// When the minute of `at` began.
fn beginning(at: WallTime) -> WallTime {
    WallTime::from_unix_micros(at.unix_micros().div_euclid(MINUTE).saturating_mul(MINUTE))
}

/// When the first minute began that is remembered at `now`.
fn first(now: WallTime) -> WallTime {
    let back = MINUTE.saturating_mul(i64::from(MINUTES) - 1);
    WallTime::from_unix_micros(beginning(now).unix_micros().saturating_sub(back))
}

/// As much of `used` as `part` is of `whole`.
fn share(used: Micros, part: i64, whole: i64) -> Micros {
    let (part, whole) = (part.unsigned_abs(), whole.unsigned_abs().max(1));
    if part == whole { used } else { Micros::new(used.count().saturating_mul(part) / whole) }
}
