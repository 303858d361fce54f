//! How many calls may run at an origin at once, found from the time it takes over them (T23).
//!
//! An origin that works on `k` calls at a time takes over each what the call needs, and longer in proportion when more
//! run. So the ratio of its times in two short trials with few and with many calls says what `k` is: with `few` running it
//! takes `a`, with `many` it takes `b`, and `k = many × a ÷ b` wherever `k` lies between the two. That is the product of
//! the throughput with many and of the time that a call needs without a queue.
//!
//! Trials follow one another at once and are repeated until their means are sure enough, so that what calls cost in the
//! mean, and that it changes over the day, cancels out, and microseconds of noise are averaged away like any others. Where a
//! limit is sure, a short trial now and then confirms it. Several that do not, or a change of the time that calls take in
//! between, begin the search again.
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
//! origin that stood still and goes on does not either. Calls are compared with calls of their own [`Kind`]. The goal, an
//! absolute time, says how much may queue at the origin: more while calls take less than that.
//!
//! What it cannot do: an origin that is asked a few calls a second and gets more workers is found wider after minutes,
//! since that many calls are needed to tell; one that gets fewer is found within seconds, since all its calls get longer.

use weir_units::{Micros, Tick};

use super::rules::LimitRules;
use super::sample::{Sample, Weighted, time, whole};

/// Calls of one part of a trial.
const PART: u32 = 32;
/// Calls of each side of a trial at most.
const ENOUGH: f64 = 512.0;
/// How sure a trial must be: the error of its ratio, as a share of what it can be.
const SURE: f64 = 0.2;
/// How near its ratio must be to what a limit beyond either side gives, as a share of what it can be, to be taken for that.
const AT_THE_EDGE: f64 = 0.15;
/// How much farther the limit is then looked for.
const BEYOND: f64 = 1.414;
/// The side of a trial with fewer places, as a share of the estimate: while the limit is looked for, and where it is sure.
const FEW: (f64, f64) = (0.707, 0.85);
/// The side with more.
const MANY: f64 = 1.414;
/// How many errors beyond what is expected trials may be, each forgiven the first, added up the second, before the limit is
/// looked for again.
const DOUBT: (f64, f64) = (0.5, 3.5);
/// Parts between trials that confirm the limit: after the first, and after many.
const REST: (u32, u32) = (4, 32);
/// How much longer or shorter calls take between trials before the limit is looked for again.
const CHANGED: f64 = 1.6;
/// Calls of which that is said.
const BLOCK: f64 = 64.0;
/// How long a part may last before it is given up for want of calls.
const PART_TIME: Micros = Micros::new(5_000_000);
/// How many places more than calls that are worked on: while calls take less than the goal, and while they take longer.
const HEADROOM: (f64, f64) = (0.15, 0.05);
/// A call counts for so many usual ones at most.
const ODD: f64 = 8.0;
/// The share of the last call in what is usual.
const LAST: f64 = 1.0 / 64.0;
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
    /// What earlier trials of this search have said: at least, and at most.
    range: (f64, f64),
    /// The places between trials.
    places: u32,
    phase: Phase,
    trial: Trial,
    /// Parts until the next trial.
    rest: u32,
    /// Calls started in this phase.
    started: u32,
    since: Tick,
    /// What a call takes, and the mean of its square.
    usual: f64,
    square: f64,
    /// Calls between trials, and what they took after the last one.
    block: Sample,
    after_trial: Option<f64>,
    /// Whether a block has ended: of those that started together, the shortest end first.
    is_under_way: bool,
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

/// The calls of a trial.
#[derive(Clone, Copy, Debug, Default)]
struct Trial {
    number: u32,
    /// The places of its sides.
    few: u32,
    many: u32,
    /// What they took, by their kind.
    took_few: [Sample; 2],
    took_many: [Sample; 2],
    /// Calls that have not ended, that failed, and that took much longer than usual.
    open: u32,
    failed: f64,
    odd: f64,
    /// The side of which the next part begins.
    many_first: bool,
}

/// Calls that are compared with one another alone.
///
/// Whoever has one call that waits goes first. So the fewer places there are, the more of those that run are calls of his
/// kind, and where a flooder's are dearer a mean of all would tell how they are mixed and not how long they take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// It was its owner's only one that waited.
    #[default]
    Single,
    /// More of its owner's wait.
    OfMany,
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
            places: rules.initial,
            phase: Phase::Rest,
            trial: Trial::default(),
            rest: REST.0,
            started: 0,
            since: Tick::START,
            usual: 0.0,
            square: 0.0,
            block: Sample::default(),
            after_trial: None,
            is_under_way: false,
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
        let part = PART.max(self.places().saturating_mul(2));
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
        let counts = self.note(took, answered);
        let is_of_trial = mark.trial == self.trial.number && mark.trial > 0;
        match (mark.phase, counts) {
            (Phase::Few | Phase::Many, counts) if is_of_trial => {
                self.trial.end(mark, counts);
                if self.phase == Phase::Settle && self.trial.open == 0 {
                    self.judge();
                }
            }
            (Phase::Rest, Some((time, _))) if is_of_trial && self.phase == Phase::Rest => self.compare(time),
            (Phase::Few | Phase::Many | Phase::Settle | Phase::Rest, _) => {}
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

    /// What counts of the time that an answer took, and whether that is odd.
    fn note(&mut self, took: Micros, answered: bool) -> Option<(f64, bool)> {
        let took = time(took);
        if !answered {
            return None;
        }
        if self.usual <= 0.0 {
            (self.usual, self.square) = (took, took * took);
        }
        let most = self.usual * ODD;
        let counts = took.min(most);
        self.usual += (counts - self.usual) * LAST;
        self.square += (counts * counts - self.square) * LAST;
        Some((counts, took > most))
    }

    /// Whether calls of the trial that have not ended are the odd ones.
    fn has_waited_for_all(&self, now: Tick) -> bool {
        time(now.since(self.since)) > self.usual * ODD * 2.0
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

    /// The variance of what a call takes, as a share of the square of its mean.
    fn spread(&self) -> f64 {
        (self.square / (self.usual * self.usual) - 1.0).max(0.0)
    }

    /// All calls of the trial have ended, or all but those that may take for ever.
    fn judge(&mut self) {
        let Some(seen) = self.trial.seen(self.spread()) else { return self.rest_for(REST.0) };
        if self.is_sure {
            return self.confirm(seen);
        }
        if seen.variance.sqrt() > SURE * seen.span && self.trial.calls_with_few() < ENOUGH {
            return self.go_on();
        }
        self.found(seen);
        if self.is_sure { self.rest_for(REST.0) } else { self.begin_trial() }
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
        if self.too_low.max(self.too_high) > DOUBT.1 {
            return self.search();
        }
        self.rest_for(self.rest.saturating_mul(2).min(REST.1));
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
        (self.block, self.after_trial, self.is_under_way) = (Sample::default(), None, false);
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
        (self.block, self.is_under_way) = (Sample::default(), false);
    }

    /// Looks for the limit from the estimate, which is not sure any more.
    fn search(&mut self) {
        (self.is_sure, self.range) = (false, UNKNOWN);
        self.begin_trial();
    }

    fn begin_trial(&mut self) {
        let LimitRules { min, max, .. } = self.rules;
        let fewer = if self.is_sure { FEW.1 } else { FEW.0 };
        let many = whole(self.estimate * MANY).clamp(min + 1, max);
        let few = whole((self.estimate * fewer).min((self.estimate * FEW.1).floor())).clamp(min, many - 1);
        let (number, many_first) = (self.trial.number % u32::MAX + 1, self.trial.many_first);
        self.trial = Trial { number, few, many, many_first, ..Trial::default() };
        self.go_on();
    }

    /// Between trials: whether calls take as long as they did after the last one.
    fn compare(&mut self, time: f64) {
        self.block.add(time);
        let block = BLOCK.max(f64::from(self.places) * 2.0);
        if self.block.count < block {
            return;
        }
        let Some(mean) = std::mem::take(&mut self.block).mean() else { return };
        if !std::mem::replace(&mut self.is_under_way, true) {
            return;
        }
        let before = *self.after_trial.get_or_insert(mean);
        let unsure = 4.0 * (self.spread() * 2.0 / block).sqrt();
        if (mean / before).ln().abs() > CHANGED.ln().max(unsure) {
            self.search();
        }
    }
}

/// What a trial has shown.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// How many calls the origin works on.
    places: f64,
    /// The variance of its logarithm.
    variance: f64,
    /// How much shorter calls are with few than with many, as a logarithm, and the most that it may be.
    ratio: f64,
    span: f64,
    /// Where between the sides it lies: 0 at the one with fewer places, 1 at the one with more.
    position: f64,
    /// What a call takes with many.
    took: f64,
}

impl Trial {
    /// A call of the trial has ended: what counts of its time, and whether that is odd; nothing where it failed.
    fn end(&mut self, mark: Mark, time: Option<(f64, bool)>) {
        self.open = self.open.saturating_sub(1);
        let Some((time, is_odd)) = time else {
            self.failed += 1.0;
            return;
        };
        self.odd += f64::from(u8::from(is_odd));
        let [single, of_many] =
            if mark.phase == Phase::Few { &mut self.took_few } else { &mut self.took_many };
        match mark.kind {
            Kind::Single => single.add(time),
            Kind::OfMany => of_many.add(time),
        }
    }

    fn calls_with_few(&self) -> f64 {
        self.took_few.iter().map(|sample| sample.count).sum()
    }

    /// What its ratio is, as a logarithm, where the origin works on so many calls.
    fn expects(&self, estimate: f64) -> f64 {
        let (few, many) = (f64::from(self.few), f64::from(self.many));
        (estimate.clamp(few, many) / many).ln()
    }

    /// What can be told of it; nothing where too many failed or took longer than anything usual.
    fn seen(&self, spread: f64) -> Option<Seen> {
        let count: f64 = self.took_few.iter().chain(&self.took_many).map(|sample| sample.count).sum();
        if self.failed > count || self.odd * ODD > count {
            return None;
        }
        let (few, many) = (f64::from(self.few), f64::from(self.many));
        // Both sides as if as many of each kind had run on either.
        let (mut took_few, mut took) = (Weighted::default(), Weighted::default());
        for (one, other) in self.took_few.iter().zip(&self.took_many) {
            if one.count > 0.0 && other.count > 0.0 {
                took_few.add(one, one.count + other.count, spread);
                took.add(other, one.count + other.count, spread);
            }
        }
        let (ratio, span) = ((took_few.mean()? / took.mean()?).ln(), (many / few).ln());
        Some(Seen {
            places: (many * ratio.exp()).clamp(few / 2.0, many * 2.0),
            variance: took_few.error_squared() + took.error_squared(),
            ratio,
            span,
            position: 1.0 + ratio / span,
            took: took.mean()?,
        })
    }
}

#[cfg(test)]
mod tests;
