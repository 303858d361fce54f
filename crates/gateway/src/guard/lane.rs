//! The turns of one address.

use std::collections::VecDeque;

use weir_units::{Micros, Tick};

use super::{GuardSettings, LONGER_LINE};

/// How long after its tick a waiting caller may ask again before its place is lost.
const GRACE: Micros = Micros::SECOND;

/// How soon a waiting caller looks again whether the running verification has ended, if nobody wakes it.
const LOOK: Micros = Micros::new(50_000);

/// More failures than these make no pause longer; it is what a quiet address has to live down.
const MOST_FAILURES: u32 = 16;

/// One address: its failures, the verifications that run, and who waits.
#[derive(Debug)]
pub(super) struct Lane {
    failures: u32,
    /// Credentials that turned out good since the last failure.
    good: usize,
    /// When the count of failures last grew or was halved.
    counted_at: Tick,
    last_failure: Tick,
    next_try: Tick,
    running: Vec<Running>,
    line: VecDeque<Waiter>,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    ticket: u64,
    until: Tick,
}

#[derive(Clone, Copy, Debug)]
struct Waiter {
    ticket: u64,
    due: Tick,
}

/// What a caller in the line may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Verify,
    Wait(Tick),
    Full,
}

impl Lane {
    pub(super) fn new(now: Tick) -> Self {
        Self {
            failures: 0,
            good: 0,
            counted_at: now,
            last_failure: Tick::START,
            next_try: now,
            running: Vec::new(),
            line: VecDeque::new(),
        }
    }

    /// Joins the line with `ticket`, or asks again with it.
    pub(super) fn join(&mut self, ticket: u64, settings: &GuardSettings, now: Tick) -> Answer {
        self.forgive(settings, now);
        self.drop_the_gone(ticket, now);
        let place = self.line.iter().position(|waiter| waiter.ticket == ticket).unwrap_or(self.line.len());
        if place < self.free_turns(settings) && self.next_try <= now {
            self.line.retain(|waiter| waiter.ticket != ticket);
            self.running.push(Running { ticket, until: now.plus(settings.verification) });
            self.next_try = now.plus(self.pause(settings));
            return Answer::Verify;
        }
        if place >= self.longest_line(settings) {
            self.leave(ticket);
            return Answer::Full;
        }
        let due = self.due(place, settings, now);
        match self.line.get_mut(place) {
            Some(waiter) => waiter.due = due,
            None => self.line.push_back(Waiter { ticket, due }),
        }
        Answer::Wait(due)
    }

    pub(super) fn leave(&mut self, ticket: u64) {
        self.line.retain(|waiter| waiter.ticket != ticket);
    }

    /// Ends the verification of `ticket`, if it runs.
    pub(super) fn end(&mut self, ticket: u64) {
        self.running.retain(|running| running.ticket != ticket);
    }

    /// A credential has turned out good.
    pub(super) const fn succeed(&mut self) {
        self.good = self.good.saturating_add(1);
    }

    pub(super) fn fail(&mut self, settings: &GuardSettings, now: Tick) {
        self.forgive(settings, now);
        self.failures = (self.failures + 1).min(MOST_FAILURES);
        self.good = 0;
        self.counted_at = now;
        self.last_failure = now;
        self.next_try = self.next_try.max(now.plus(self.pause(settings)));
    }

    /// Whether nothing would be lost without this lane.
    pub(super) fn is_forgotten(&self, settings: &GuardSettings, now: Tick) -> bool {
        let left = halved(self.failures, self.quiet_whiles(settings, now));
        left == 0 && self.next_try <= now && self.is_idle(now)
    }

    /// Whether nobody verifies or waits.
    pub(super) fn is_idle(&self, now: Tick) -> bool {
        self.running.iter().all(|running| running.until <= now)
            && self.line.iter().all(|waiter| is_gone(waiter, now))
    }

    /// How many wait in the line.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.line.len()
    }

    pub(super) const fn last_failure(&self) -> Tick {
        self.last_failure
    }

    /// How many verifications may begin beside those that run. There is one turn, and another for each credential that
    /// was good since the last failure: whoever guesses has one, and an office behind one address soon has many.
    fn free_turns(&self, settings: &GuardSettings) -> usize {
        let turns = if self.failures == 0 { self.good.saturating_add(1).min(settings.at_once) } else { 1 };
        turns.saturating_sub(self.running.len())
    }

    /// Drops verifications that took too long and waiters that did not ask again, but never the one who asks.
    fn drop_the_gone(&mut self, asking: u64, now: Tick) {
        self.running.retain(|running| now < running.until);
        self.line.retain(|waiter| waiter.ticket == asking || !is_gone(waiter, now));
    }

    /// How many may wait. Those who came before the first failure and stand beyond the limit by then are refused, since
    /// a guesser would otherwise fill the line before his first guess is judged.
    const fn longest_line(&self, settings: &GuardSettings) -> usize {
        if self.failures == 0 { settings.waiting.saturating_mul(LONGER_LINE) } else { settings.waiting }
    }

    /// When the caller at `place` of the line, counted from 0, should look again.
    fn due(&self, place: usize, settings: &GuardSettings, now: Tick) -> Tick {
        let before = u64::try_from(place).unwrap_or(u64::MAX);
        let paced = self.next_try.max(now).plus(self.pause(settings).times(before));
        match self.running.iter().map(|running| running.until).min() {
            Some(until) => paced.max(now.plus(LOOK).min(until)),
            None if before > 0 => paced.max(now.plus(LOOK)),
            None => paced,
        }
    }

    /// The pause before the next try after so many failures: doubling, up to the longest.
    fn pause(&self, settings: &GuardSettings) -> Micros {
        match self.failures.checked_sub(1) {
            None => Micros::ZERO,
            Some(doublings) => {
                settings.first_pause.times(1 << doublings.min(MOST_FAILURES)).min(settings.longest_pause)
            }
        }
    }

    /// Halves the count of failures for each quiet while since it last changed.
    fn forgive(&mut self, settings: &GuardSettings, now: Tick) {
        let whiles = self.quiet_whiles(settings, now);
        if whiles > 0 {
            self.failures = halved(self.failures, whiles);
            self.counted_at = self.counted_at.plus(settings.quiet.times(whiles));
        }
    }

    fn quiet_whiles(&self, settings: &GuardSettings, now: Tick) -> u64 {
        now.since(self.counted_at).count() / settings.quiet.count().max(1)
    }
}

fn is_gone(waiter: &Waiter, now: Tick) -> bool {
    now > waiter.due.plus(GRACE)
}

fn halved(failures: u32, times: u64) -> u32 {
    u32::try_from(times).ok().and_then(|times| failures.checked_shr(times)).unwrap_or(0)
}
