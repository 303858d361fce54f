//! How many calls may run at an origin at once, found from the time it takes over them (T23).
//!
//! An origin that works on `k` calls at a time takes over each what the call needs, and longer in proportion when more
//! run. So the ratio of its times in two short trials with few and with many calls says what `k` is: with `few` running it
//! takes `a`, with `many` it takes `b`, and `k = many × a ÷ b` wherever `k` lies between the two. That is the product of
//! the throughput with many and of the time that a call needs without a queue.
//!
//! Trials follow one another at once and are repeated until their means are sure enough, so that what calls cost in the
//! mean, and that it changes over the day, cancels out, and microseconds of noise are averaged away like any others. Far
//! from the limit the next trial is nearer to it as soon as it is clear on which side that lies. Where a limit is sure, a
//! short trial now and then confirms it. Several that do not, or a change of the time that calls take in between, begin the
//! search again.
//!
//! **Why neither a gradient nor Vegas.** Both compare the present time with one that they remember: the least (Vegas, and
//! whoever probes for a minimum) or a long mean (the gradient). The least of times that differ is no time of anything and
//! takes the cheapest calls for the norm, so that the limit collapses under mixed calls and under noise. A long mean learns
//! an overload that stays, and the limit grows with it. A minimum that is probed for by letting next to nothing run starves
//! those who wait. Here nothing old is compared, both sides of a trial are near the limit in force, and trials are few. The
//! simulation in `tests/fair_world` runs them side by side, and docs/benchmarks.md has the figures.
//!
//! Only answers count, so that errors do not read as speed; only calls that had to wait, and started when all places were
//! taken, so that an origin with little to do teaches nothing; and none counts for more than eight usual ones, so that an
//! origin that stood still and goes on does not either. Calls are compared with calls of their own [`Kind`]: `trial` says
//! how. The goal, an absolute time, says how much may queue at the origin: more while calls take less than that.
//!
//! What trials cost: a side with fewer places than the origin works on wastes some of it, half where one of two is taken
//! away. So most trials of a sure limit compare it with more places alone, which shows that there is room for more, and
//! only one in [`COSTLY`] with fewer. That the origin has become smaller shows between trials, in calls that get longer.
//!
//! What it cannot do: an origin that is asked a few calls a second and gets more workers is found wider after minutes,
//! since that many calls are needed to tell; one that gets fewer is found within seconds, since all its calls get longer.

use weir_units::{Micros, Tick};

use self::kind::ByKind;
use self::trial::{PART, Seen, Side, Trial};
use self::usual::{ODD, Usual};
use super::rules::LimitRules;
use super::sample::{time, whole};

mod kind;
mod trial;
mod usual;

pub use self::kind::Kind;

/// Calls of each side of a trial at most.
const ENOUGH: f64 = 512.0;
/// How sure a trial must be: the error of its ratio, as a share of what it can be.
const SURE: f64 = 0.15;
/// The same of a trial that confirms the limit, and its calls of each side at most.
const CONFIRMS: (f64, f64) = (0.5, 64.0);
/// How many errors from the middle its ratio must be to go on towards one side before it is sure.
const CLEAR: f64 = 2.0;
/// How near its ratio must be to what a limit beyond either side gives, as a share of what it can be, to be taken for that.
const AT_THE_EDGE: f64 = 0.15;
/// How much farther the limit is then looked for.
const BEYOND: f64 = 1.414;
/// The side of a trial with fewer places, as a share of the estimate: where it may cost, and where it should not.
const FEW: (f64, f64) = (0.707, 0.85);
/// One in so many trials of a sure limit may cost, and so may each that follows soon.
const COSTLY: u32 = 4;
/// The side with more.
const MANY: f64 = 1.414;
/// How many errors beyond what is expected trials may be: each is forgiven the first, and the rest added up; beyond the
/// second the next trial comes soon, and beyond the third the limit is looked for again.
const DOUBT: (f64, f64, f64) = (0.5, 1.0, 3.5);
/// Parts between trials that confirm the limit: after the first, and after many.
const REST: (u32, u32) = (4, 64);
/// How long a part may last before it is given up for want of calls.
const PART_TIME: Micros = Micros::new(5_000_000);
/// How many places more than calls that are worked on: while calls take less than the goal, and while they take longer.
const HEADROOM: (f64, f64) = (0.15, 0.05);
/// Where nothing is known of an estimate.
const UNKNOWN: (f64, f64) = (0.0, f64::MAX);
/// An estimate is never surer than that, since origins change.
const VARIANCE_MIN: f64 = 0.0009;

/// The limit of one origin.
#[derive(Clone, Debug)]
pub struct AdaptiveLimit {
    rules: LimitRules,
    /// How many calls the origin works on, and the variance of its logarithm.
    estimate: f64,
    variance: f64,
    /// Whether a trial has found it.
    is_sure: bool,
    /// By how much trials have said, one after the other, that the estimate is too low, and too high.
    too_low: f64,
    too_high: f64,
    /// What sure trials of this search have said: at least, and at most.
    range: (f64, f64),
    /// The side towards which this search has gone before it was sure how far.
    way: Option<Side>,
    /// The places between trials.
    places: u32,
    phase: Phase,
    trial: Trial,
    /// Parts until the next trial.
    rest: u32,
    /// Calls started in this phase.
    started: u32,
    since: Tick,
    /// What calls take.
    usual: ByKind<Usual>,
}

/// What calls are started for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// The side of a trial with fewer places.
    Few,
    /// The side with more.
    Many,
    /// Until those of the trial have ended.
    Settle,
    /// Work, until the next trial.
    #[default]
    Rest,
}

impl Phase {
    /// The side of a trial that it is.
    const fn side(self) -> Option<Side> {
        match self {
            Self::Few => Some(Side::Few),
            Self::Many => Some(Side::Many),
            Self::Settle | Self::Rest => None,
        }
    }
}

/// What a call that runs tells the limit when it ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    /// The number of the trial; none has zero.
    trial: u32,
    phase: Phase,
    kind: Kind,
}

impl AdaptiveLimit {
    /// A limit that begins where the rules say.
    pub fn new(rules: LimitRules) -> Self {
        let mut limit = Self {
            rules,
            estimate: f64::from(rules.initial),
            variance: 1.0,
            is_sure: false,
            too_low: 0.0,
            too_high: 0.0,
            range: UNKNOWN,
            way: None,
            places: rules.initial,
            phase: Phase::Rest,
            trial: Trial::default(),
            rest: REST.0,
            started: 0,
            since: Tick::START,
            usual: ByKind::default(),
        };
        if rules.min < rules.max {
            limit.search();
        }
        limit
    }

    /// How many calls may run at once.
    #[inline]
    pub const fn places(&self) -> u32 {
        match self.phase {
            Phase::Few => self.trial.few,
            Phase::Many => self.trial.many,
            Phase::Settle | Phase::Rest => self.places,
        }
    }

    /// A call that had to wait starts, with which so many run.
    pub fn start(&mut self, running: u32, kind: Kind, now: Tick) -> Mark {
        if self.rules.min == self.rules.max || running != self.places() {
            return Mark::default();
        }
        if self.started == 0 {
            self.since = now;
        }
        let mark = Mark { trial: self.trial.number, phase: self.phase, kind };
        self.started += 1;
        let part = PART.max(self.places()).saturating_mul(if self.is_sure { 2 } else { 1 });
        match self.phase {
            Phase::Few | Phase::Many => {
                self.trial.open += 1;
                if self.started >= part {
                    self.end_part();
                }
            }
            Phase::Settle if self.has_waited_for_all(now) => self.judge(),
            Phase::Rest if self.started >= part.saturating_mul(self.rest) => self.begin_trial(),
            Phase::Settle | Phase::Rest => {}
        }
        mark
    }

    /// A call with that mark has ended, and was answered or failed.
    pub fn end(&mut self, mark: Mark, took: Micros, answered: bool, now: Tick) {
        let counts = answered.then(|| self.usual.of_mut(mark.kind).note(time(took)));
        let is_of_trial = mark.trial == self.trial.number && mark.trial > 0;
        match (mark.phase.side(), counts) {
            (Some(side), counts) if is_of_trial => {
                self.trial.end(side, mark.kind, counts);
                if self.phase == Phase::Settle && self.trial.open == 0 {
                    self.judge();
                }
            }
            (None, Some((time, _))) if is_of_trial && self.phase == Phase::Rest => {
                if self.usual.of_mut(mark.kind).has_changed(time, self.places) {
                    self.search();
                }
            }
            (Some(_) | None, _) => {}
        }
        let is_in_part = matches!(self.phase, Phase::Few | Phase::Many) && self.started > 0;
        if is_in_part && now.since(self.since) > PART_TIME.plus(took.times(8)) {
            self.rest_for(self.rest);
        }
    }

    /// A call with that mark did not use its place.
    pub fn give_up(&mut self, mark: Mark) {
        let is_of_trial = mark.trial == self.trial.number && matches!(mark.phase, Phase::Few | Phase::Many);
        self.trial.open -= u32::from(is_of_trial && mark.trial > 0 && self.trial.open > 0);
    }

    /// Whether calls of the trial that have not ended are the odd ones.
    fn has_waited_for_all(&self, now: Tick) -> bool {
        let usual = self.usual.light.mean().max(self.usual.heavy.mean());
        time(now.since(self.since)) > usual * ODD * 2.0
    }

    fn end_part(&mut self) {
        let is_second = (self.phase == Phase::Many) != self.trial.many_first;
        self.started = 0;
        self.phase = match self.phase {
            _ if is_second => Phase::Settle,
            Phase::Few => Phase::Many,
            Phase::Many | Phase::Settle | Phase::Rest => Phase::Few,
        };
    }

    /// One more part for each side, in the other order.
    fn go_on(&mut self) {
        self.trial.many_first = !self.trial.many_first;
        self.started = 0;
        self.phase = if self.trial.many_first { Phase::Many } else { Phase::Few };
    }

    /// All calls of the trial have ended, or all but those that may take for ever.
    fn judge(&mut self) {
        let Some(seen) = self.trial.seen(&self.usual) else { return self.rest_for(REST.0) };
        let (error, calls) = (seen.error(), self.trial.calls_with_few());
        if self.is_sure {
            return if error > CONFIRMS.0 && calls < CONFIRMS.1 { self.go_on() } else { self.confirm(seen) };
        }
        if error > SURE && calls < ENOUGH {
            let Some(way) = self.way(&seen) else { return self.go_on() };
            let (few, many) = (f64::from(self.trial.few), f64::from(self.trial.many));
            self.way = Some(way);
            self.estimate = match way {
                Side::Few => few / BEYOND,
                Side::Many => many * BEYOND,
            };
            self.settle_at(seen.took);
            return self.begin_trial();
        }
        self.found(seen);
        if self.is_sure { self.rest_for(REST.0) } else { self.begin_trial() }
    }

    /// The side on which the limit clearly is, though how far is not sure; nothing where that is not the one of before, or
    /// not within the bounds or what sure trials have said.
    fn way(&self, seen: &Seen) -> Option<Side> {
        let (few, many) = (self.trial.few, self.trial.many);
        let (at_least, at_most) = self.range;
        let way = if seen.position + CLEAR * seen.error() < 0.5 {
            (few > self.rules.min && f64::from(few) > at_least).then_some(Side::Few)
        } else if seen.position - CLEAR * seen.error() > 0.5 {
            (many < self.rules.max && f64::from(many) < at_most).then_some(Side::Many)
        } else {
            None
        };
        way.filter(|way| self.way.is_none_or(|before| before == *way))
    }

    /// What a trial whose estimate was sure says of it.
    fn confirm(&mut self, seen: Seen) {
        let expected = self.trial.expects(self.estimate);
        let off = (seen.ratio - expected) / (seen.variance + self.variance).sqrt();
        self.too_low = (self.too_low + off - DOUBT.0).max(0.0);
        self.too_high = (self.too_high - off - DOUBT.0).max(0.0);
        let weight = self.variance / (self.variance + seen.variance);
        self.estimate *= (seen.places / self.estimate).powf(weight);
        self.variance = (self.variance * (1.0 - weight)).max(VARIANCE_MIN);
        self.settle_at(seen.took);
        if self.too_low.max(self.too_high) > DOUBT.2 {
            return self.search();
        }
        let is_in_doubt = self.too_low.max(self.too_high) > DOUBT.1;
        self.rest_for(if is_in_doubt { REST.0 } else { self.rest.saturating_mul(2).min(REST.1) });
    }

    /// What a trial says of an estimate that was not sure.
    fn found(&mut self, seen: Seen) {
        let (few, many) = (f64::from(self.trial.few), f64::from(self.trial.many));
        (self.estimate, self.is_sure, self.range) = if seen.position > 1.0 - AT_THE_EDGE {
            let beyond = if seen.took < time(self.rules.goal) { BEYOND } else { BEYOND.sqrt() };
            let is_known = self.range.1 <= many || self.trial.many >= self.rules.max;
            (if is_known { many } else { many * beyond }, is_known, (many, self.range.1))
        } else if seen.position < AT_THE_EDGE {
            let is_known = self.range.0 >= few || self.trial.few <= self.rules.min;
            (if is_known { few } else { few / BEYOND }, is_known, (self.range.0, few))
        } else {
            (seen.places, true, UNKNOWN)
        };
        (self.variance, self.too_low, self.too_high) = (seen.variance, 0.0, 0.0);
        self.usual.both_mut().into_iter().for_each(Usual::begin);
        self.settle_at(seen.took);
    }

    /// As many places as the estimate and some more, if calls take so long.
    fn settle_at(&mut self, took: f64) {
        let LimitRules { min, max, goal, .. } = self.rules;
        self.estimate = self.estimate.clamp(f64::from(min), f64::from(max));
        let headroom = if took < time(goal) { HEADROOM.0 } else { HEADROOM.1 };
        self.places = whole(self.estimate * (1.0 + headroom) + 0.1).clamp(min, max);
    }

    fn rest_for(&mut self, parts: u32) {
        (self.phase, self.rest, self.started) = (Phase::Rest, parts, 0);
        self.usual.both_mut().into_iter().for_each(Usual::pause);
    }

    /// Looks for the limit from the estimate, which is not sure any more.
    fn search(&mut self) {
        (self.is_sure, self.range, self.way) = (false, UNKNOWN, None);
        self.begin_trial();
    }

    fn begin_trial(&mut self) {
        let LimitRules { min, max, .. } = self.rules;
        let many = whole(self.estimate * MANY).clamp(min + 1, max);
        let may_cost = !self.is_sure || self.rest <= REST.0 || self.trial.number.is_multiple_of(COSTLY);
        let few = if may_cost {
            (self.estimate * FEW.0).min((self.estimate * FEW.1).floor())
        } else {
            self.estimate * FEW.1
        };
        let few = whole(few).clamp(min, many - 1);
        self.trial = self.trial.after(few, many);
        self.go_on();
    }
}

#[cfg(test)]
mod tests;
