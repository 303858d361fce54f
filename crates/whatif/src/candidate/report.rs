//! What trying a candidate has shown.

use std::collections::BTreeMap;

use serde::Serialize;
use weir_throttle::Verdict;
use weir_units::{Micros, Part, WallTime};

use super::{Pair, Told, WARM_UP, WhatIf};
use crate::names::Names;
use crate::simulate::Fate;

/// How many calls are shown as examples, in all and of one owner in one component.
const EXAMPLES_MAX: usize = 10;
pub(super) const EXAMPLES_OF_ONE: usize = 2;

/// How many owners are named.
pub(super) const OWNERS_MAX: usize = 1000;

/// How calls fared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Measures {
    /// Calls in all.
    pub calls: u64,
    /// Those that waited and then ran.
    pub delayed: u64,
    /// Those that were refused.
    pub refused: u64,
    /// All waits together, in ms.
    pub delay_ms: u64,
    /// The longest wait, in ms.
    pub longest_delay_ms: u64,
    /// How many were delayed or refused for the sake of each part.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub because: BTreeMap<&'static str, u64>,
}

/// How all owners' calls fared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Owners of whom a call was delayed.
    pub owners_delayed: u64,
    /// Owners of whom a call was refused.
    pub owners_refused: u64,
    /// Their calls.
    #[serde(flatten)]
    pub measures: Measures,
}

/// One owner in one component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OwnerReport {
    /// His name.
    pub owner: String,
    /// The component.
    pub component: &'static str,
    /// What the log says, where it says anything of verdicts.
    pub recorded: Measures,
    /// Today's policy, simulated.
    pub today: Measures,
    /// The candidate, simulated.
    pub candidate: Measures,
}

/// A call that the candidate would have delayed or refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// When it arrived, in microseconds since 1970.
    #[serde(skip)]
    pub arrived: WallTime,
    /// The same for people: RFC 3339, UTC.
    pub at: String,
    /// Which of the files, counted from 0.
    pub file: usize,
    /// The line, counted from 1.
    pub line: u64,
    /// Whose it was.
    pub owner: String,
    /// What it asked for.
    pub operation: String,
    /// `delay` or `refuse`.
    pub verdict: &'static str,
    /// The part for whose sake.
    pub why: &'static str,
    /// How long it would have waited, in ms.
    pub waited_ms: u64,
    /// What became of it, as the log says; `-` where it does not.
    pub recorded: &'static str,
}

/// The frame of what was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outline {
    /// The candidate's name.
    pub policy: String,
    /// In whose place it stood; nothing: in everybody's.
    pub replaces: Option<String>,
    /// How long a call may be made to wait, in ms.
    pub max_delay_ms: u64,
    /// How long the log ran in, in ms.
    pub warm_up_ms: u64,
    /// The policies that the log names, and how many calls were under each.
    pub policies: BTreeMap<String, u64>,
    /// Calls under other policies than the one that is replaced.
    pub calls_spared: u64,
    /// Calls on paths that no policy limits.
    pub calls_without_component: u64,
    /// Calls of owners that there was no room for.
    pub calls_left_out: u64,
}

/// What trying a candidate has shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// What was tried.
    #[serde(flatten)]
    pub outline: Outline,
    /// What the log says itself; nothing where it has no verdicts.
    pub recorded: Option<Totals>,
    /// The limits that the log names, simulated; nothing where it names none.
    pub today: Option<Totals>,
    /// The candidate, simulated.
    pub candidate: Totals,
    /// Who is delayed or refused by either, the worst first, at most a thousand.
    pub owners: Vec<OwnerReport>,
    /// The first calls that the candidate would have delayed or refused, at most two of one owner.
    pub examples: Vec<Example>,
    /// Why this is an estimate.
    pub estimate: &'static str,
}

/// Why a simulation is no prophecy.
const ESTIMATE: &str = "This is an estimate. Calls arrive when they did, whatever would have become of those before; a \
    client that is delayed or refused would have asked later, or again. A call costs what it did then; one that was refused \
    costs the owner's mean. Delays for a busy processor and for a fair share of the origin are left out.";

impl Measures {
    /// Counts what the log says.
    pub(super) fn record(&mut self, verdict: Verdict, waited: Micros) {
        self.calls += 1;
        match verdict {
            Verdict::Unjudged | Verdict::Run => {}
            Verdict::Delay | Verdict::WouldDelay => self.delayed += 1,
            Verdict::Refuse | Verdict::WouldRefuse => self.refused += 1,
        }
        self.wait(waited);
    }

    /// Counts what is simulated.
    pub(super) fn count(&mut self, fate: Fate) {
        self.calls += 1;
        let (part, waited) = match fate {
            Fate::Run => return,
            Fate::Delay(part, waited) => {
                self.delayed += 1;
                (part, waited)
            }
            Fate::Refuse(part, waited) => {
                self.refused += 1;
                (part, waited)
            }
        };
        *self.because.entry(part.name()).or_default() += 1;
        self.wait(waited);
    }

    fn wait(&mut self, waited: Micros) {
        let waited = waited.floor_millis().count();
        self.delay_ms = self.delay_ms.saturating_add(waited);
        self.longest_delay_ms = self.longest_delay_ms.max(waited);
    }

    fn touched(&self) -> u64 {
        self.delayed + self.refused
    }
}

impl Totals {
    fn add(&mut self, measures: &Measures) {
        self.owners_delayed += u64::from(measures.delayed > 0);
        self.owners_refused += u64::from(measures.refused > 0);
        let sum = &mut self.measures;
        sum.calls += measures.calls;
        sum.delayed += measures.delayed;
        sum.refused += measures.refused;
        sum.delay_ms = sum.delay_ms.saturating_add(measures.delay_ms);
        sum.longest_delay_ms = sum.longest_delay_ms.max(measures.longest_delay_ms);
        for (part, count) in &measures.because {
            *sum.because.entry(part).or_default() += count;
        }
    }
}

impl WhatIf {
    /// The log has ended: what trying the candidate has shown.
    pub fn finish(mut self, names: &Names) -> Report {
        for pair in &mut self.lanes {
            pair.today.finish();
            pair.candidate.finish();
        }
        let (mut recorded, mut today, mut candidate) = <(Totals, Totals, Totals)>::default();
        for pair in &self.lanes {
            recorded.add(&pair.recorded);
            today.add(&pair.today.measures);
            candidate.add(&pair.candidate.measures);
        }
        let says_verdicts = self.says_verdicts;
        Report {
            recorded: says_verdicts.then_some(recorded),
            today: self.says_limits.then_some(today),
            candidate,
            owners: self.owners(names),
            examples: self.examples(names),
            estimate: ESTIMATE,
            outline: self.outline(names),
        }
    }

    fn outline(self, names: &Names) -> Outline {
        let policies = self.policies.iter().map(|(name, calls)| (names.text(*name).to_owned(), *calls));
        Outline {
            policies: policies.collect(),
            policy: self.candidate.name,
            replaces: self.candidate.replaces,
            max_delay_ms: self.candidate.max_delay.floor_millis().count(),
            warm_up_ms: WARM_UP.floor_millis().count(),
            calls_spared: self.spared,
            calls_without_component: self.without_component,
            calls_left_out: self.left_out,
        }
    }

    fn owners(&self, names: &Names) -> Vec<OwnerReport> {
        let touched = |pair: &&Pair| pair.candidate.measures.touched() + pair.today.measures.touched() > 0;
        let mut pairs: Vec<&Pair> = self.lanes.iter().filter(touched).collect();
        let weight = |pair: &&Pair| {
            let (candidate, today) = (&pair.candidate.measures, &pair.today.measures);
            (candidate.refused, candidate.delay_ms, candidate.delayed, today.touched())
        };
        pairs.sort_by_key(|pair| (std::cmp::Reverse(weight(pair)), pair.owner, pair.component));
        let report = |pair: &Pair| OwnerReport {
            owner: names.text(pair.owner).to_owned(),
            component: pair.component.name(),
            recorded: pair.recorded.clone(),
            today: pair.today.measures.clone(),
            candidate: pair.candidate.measures.clone(),
        };
        pairs.into_iter().take(OWNERS_MAX).map(report).collect()
    }

    fn examples(&self, names: &Names) -> Vec<Example> {
        let told = |pair: &Pair| {
            let owner = pair.owner;
            pair.candidate.examples.iter().map(move |told| (owner, *told)).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = self.lanes.iter().flat_map(told).collect();
        all.sort_by_key(|(_, told)| (told.tag.arrived, told.tag.place));
        all.truncate(EXAMPLES_MAX);
        all.into_iter().map(|(owner, told)| example(names.text(owner), told, names)).collect()
    }
}

fn example(owner: &str, Told { tag, fate }: Told, names: &Names) -> Example {
    let (verdict, part, waited) = match fate {
        Fate::Run => (Verdict::Run, Part::Waiting, Micros::ZERO),
        Fate::Delay(part, waited) => (Verdict::Delay, part, waited),
        Fate::Refuse(part, waited) => (Verdict::Refuse, part, waited),
    };
    Example {
        arrived: tag.arrived,
        at: crate::record::rfc3339(tag.arrived),
        file: tag.place.file,
        line: tag.place.line,
        owner: owner.to_owned(),
        operation: names.text(tag.operation).to_owned(),
        verdict: verdict.name(),
        why: part.name(),
        waited_ms: waited.floor_millis().count(),
        recorded: tag.recorded.name(),
    }
}
