//! What another policy would have done: the calls of a log put through it, and through today's, side by side (T22).
//!
//! Today's limits are those that each line says were in force, simulated in the same way, so that what differs between the
//! two is the policy and not the simulation. The first minute of a log fills the budgets and counts nothing. A call that
//! was refused has left no cost behind; it is taken to cost what the owner's calls cost on average.

mod report;

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use weir_throttle::{ComponentLimits, Limits, OverBudget, SLICE, Verdict};
use weir_units::{Component, Micros, Part, Tick, WallTime};

use crate::names::{Name, Names};
use crate::record::{Place, Record};
use crate::simulate::{Asking, Fate, Lane};

pub use report::{Example, Measures, Outline, OwnerReport, Report, Totals};

/// How long a log runs in before anything is counted.
pub const WARM_UP: Micros = Micros::MINUTE;

/// How many owners are simulated at most, each in each component; further ones are left out and counted.
pub const LANES_MAX: usize = 500_000;

/// How many of the policies of a log are remembered.
const POLICIES_MAX: usize = 1000;

/// The policy that is tried.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// What it limits.
    pub limits: Limits,
    /// The policy in whose place it stands; nothing: in everybody's.
    pub replaces: Option<String>,
    /// How long one call may be made to wait.
    pub max_delay: Micros,
}

/// A candidate being tried.
pub struct WhatIf {
    candidate: Candidate,
    lanes: Vec<Pair>,
    of: HashMap<(Name, Component), usize, RandomState>,
    began: Option<Beginning>,
    policies: BTreeMap<Name, u64>,
    spared: u64,
    without_component: u64,
    left_out: u64,
    says_limits: bool,
    says_verdicts: bool,
}

/// The first call, which pretended time is counted from. The slices of the sliding minute lie as they did when the log was
/// written, where it says how.
#[derive(Clone, Copy)]
struct Beginning {
    arrived: WallTime,
    tick: Tick,
}

/// One owner in one component: what was recorded, and what is simulated.
struct Pair {
    owner: Name,
    component: Component,
    recorded: Measures,
    today: Side,
    candidate: Side,
    /// What the calls cost that were not refused, and how many those were.
    cost: [Micros; 4],
    rest: Micros,
    ran: u64,
}

struct Side {
    lane: Lane<Tag>,
    measures: Measures,
    examples: Vec<Told>,
}

/// What is remembered of a call until its fate is known.
#[derive(Clone, Copy, Debug)]
struct Tag {
    arrived: WallTime,
    place: Place,
    operation: Name,
    recorded: Verdict,
    counts: bool,
}

/// A call that was delayed or refused.
#[derive(Clone, Copy, Debug)]
struct Told {
    tag: Tag,
    fate: Fate,
}

impl WhatIf {
    /// Tries `candidate` on a log.
    pub fn new(candidate: Candidate) -> Self {
        Self {
            candidate,
            lanes: Vec::new(),
            of: HashMap::default(),
            began: None,
            policies: BTreeMap::new(),
            spared: 0,
            without_component: 0,
            left_out: 0,
            says_limits: false,
            says_verdicts: false,
        }
    }

    /// Takes the call that arrived next.
    pub fn take(&mut self, record: &Record, names: &Names) {
        let began = *self.began.get_or_insert_with(|| Beginning::at(record));
        if record.hangs || record.verdict.is_some_and(is_no_policys) {
            return;
        }
        if self.policies.len() < POLICIES_MAX || self.policies.contains_key(&record.policy) {
            *self.policies.entry(record.policy).or_default() += 1;
        }
        let policy = names.text(record.policy);
        if self.candidate.replaces.as_ref().is_some_and(|replaces| !replaces.eq_ignore_ascii_case(policy)) {
            self.spared += 1;
            return;
        }
        let Some(component) = record.component else {
            self.without_component += 1;
            return;
        };
        let today = allowed_then(record, component);
        self.says_limits |= today != ComponentLimits::unlimited(component);
        self.says_verdicts |= record.verdict.is_some();
        let limits = *self.candidate.limits.component(component);
        let Some(pair) = self.pair(record.owner, component) else {
            self.left_out += 1;
            return;
        };
        pair.take(record, (&today, &limits), began);
    }

    fn pair(&mut self, owner: Name, component: Component) -> Option<&mut Pair> {
        let next = self.lanes.len();
        let index = match self.of.get(&(owner, component)) {
            Some(index) => *index,
            None if next < LANES_MAX => {
                self.of.insert((owner, component), next);
                self.lanes.push(Pair::new(owner, component, self.candidate.max_delay));
                next
            }
            None => return None,
        };
        self.lanes.get_mut(index)
    }
}

impl Beginning {
    fn at(record: &Record) -> Self {
        let within = record.tick.map_or(0, |tick| tick.micros() % SLICE.count());
        Self { arrived: record.arrived, tick: Tick::new(within) }
    }

    /// How long after it another call arrived.
    fn since(self, record: &Record) -> Micros {
        let since = record.arrived.unix_micros().saturating_sub(self.arrived.unix_micros());
        Micros::new(u64::try_from(since).unwrap_or(0))
    }
}

impl Pair {
    fn new(owner: Name, component: Component, max_delay: Micros) -> Self {
        Self {
            owner,
            component,
            recorded: Measures::default(),
            today: Side::new(max_delay),
            candidate: Side::new(max_delay),
            cost: [Micros::ZERO; 4],
            rest: Micros::ZERO,
            ran: 0,
        }
    }

    fn take(&mut self, record: &Record, limits: (&ComponentLimits, &ComponentLimits), began: Beginning) {
        let ((today, candidate), since) = (limits, began.since(record));
        let (counts, now) = (since >= WARM_UP, began.tick.plus(since));
        let recorded = record.verdict.map_or(Verdict::Unjudged, |(verdict, _)| verdict);
        if counts {
            self.recorded.record(recorded, record.waited);
        }
        let asking = self.asking(
            record,
            Tag {
                arrived: record.arrived,
                place: record.place,
                operation: record.operation,
                recorded,
                counts,
            },
        );
        self.today.take(asking, today, record.allowed.over_budget, now);
        self.candidate.take(asking, candidate, record.allowed.over_budget, now);
    }

    /// What the call asks of a budget.
    fn asking(&mut self, record: &Record, tag: Tag) -> Asking<Tag> {
        let [_, cas, ..] = record.cost;
        let (mut cost, mut rest) = (record.cost, record.taken.minus(record.waited).minus(cas));
        if record.was_refused() && record.found.is_none() {
            let mean = |sum: Micros| Micros::new(sum.count().checked_div(self.ran).unwrap_or(0));
            (cost, rest) = (self.cost.map(mean), mean(self.rest));
        } else {
            for (sum, part) in self.cost.iter_mut().zip(record.cost) {
                *sum = sum.plus(part);
            }
            self.rest = self.rest.plus(rest);
            self.ran += 1;
        }
        Asking { tag, cost, rest, found: record.found, subscribes: record.subscribes }
    }
}

impl Side {
    fn new(max_delay: Micros) -> Self {
        Self { lane: Lane::new(max_delay), measures: Measures::default(), examples: Vec::new() }
    }

    fn take(&mut self, asking: Asking<Tag>, limits: &ComponentLimits, over_budget: OverBudget, now: Tick) {
        self.lane.arrive(asking, limits, over_budget, now);
        self.settle();
    }

    fn finish(&mut self) {
        self.lane.finish();
        self.settle();
    }

    fn settle(&mut self) {
        for (tag, fate) in self.lane.fates() {
            if !tag.counts {
                continue;
            }
            self.measures.count(fate);
            if fate != Fate::Run && self.examples.len() < report::EXAMPLES_OF_ONE {
                self.examples.push(Told { tag, fate });
            }
        }
    }
}

/// Whether no policy had a say in it: nothing was decided, or the block list did.
const fn is_no_policys(verdict: (Verdict, Option<Part>)) -> bool {
    matches!(verdict, (Verdict::Unjudged, _) | (Verdict::Refuse, Some(Part::BlockList)))
}

/// The limits that a line says were in force.
fn allowed_then(record: &Record, component: Component) -> ComponentLimits {
    ComponentLimits {
        max_concurrency: record.allowed.places,
        time: record.allowed.time,
        find_count: record.allowed.find_count,
        max_subscriptions: record.allowed.subscriptions,
        ..ComponentLimits::unlimited(component)
    }
}

#[cfg(test)]
mod tests;
