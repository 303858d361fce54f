//! Runaways: who takes the most – by time, by calls, by calls at once – when, and with what program.
//!
//! It needs no policy, and no log of ours: a server that Mailweir does not stand before yet has runaways too.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use foldhash::fast::RandomState;
use serde::Serialize;
use weir_units::{Micros, WallTime};

use crate::names::{Name, Names};
use crate::record::{Record, rfc3339};

/// How many are named in each list.
pub const RUNAWAYS: usize = 10;

/// How many owners are counted; further ones are counted together.
pub const OWNERS_MAX: usize = 2_000_000;

/// How many client programs of one owner are counted.
const AGENTS_MAX: usize = 8;

/// How many calls of one owner are counted at once.
const AT_ONCE_MAX: usize = 100_000;

/// How many client programs are named for each owner.
const AGENTS_NAMED: usize = 3;

/// The counts of all owners.
#[derive(Default)]
pub struct Counts {
    owners: Vec<Owner>,
    of: HashMap<Name, usize, RandomState>,
    calls: u64,
    time: Micros,
}

#[derive(Default)]
struct Owner {
    name: Name,
    calls: u64,
    time: Micros,
    refused: u64,
    /// When its calls end that have not ended.
    ends: BinaryHeap<Reverse<i64>>,
    at_once: usize,
    first: WallTime,
    last: WallTime,
    minute: Minute,
    busiest: Minute,
    agents: Vec<(Name, u64)>,
}

/// What was used in one minute, counted from 1970.
#[derive(Clone, Copy, Default)]
struct Minute {
    at: i64,
    calls: u64,
    time: Micros,
}

/// Who takes the most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Runaways {
    /// Owners in all.
    pub owners: usize,
    /// Calls in all.
    pub calls: u64,
    /// Time in all, in ms.
    pub time_ms: u64,
    /// By the time that their calls took.
    pub by_time: Vec<Runaway>,
    /// By the number of their calls.
    pub by_calls: Vec<Runaway>,
    /// By how many of their calls ran at once.
    pub by_calls_at_once: Vec<Runaway>,
}

/// One who takes much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Runaway {
    /// His name, or the address of a client without one.
    pub owner: String,
    /// How many calls.
    pub calls: u64,
    /// How long they took together, in ms.
    pub time_ms: u64,
    /// How much of all owners' time that is, in percent, rounded down.
    pub share_percent: u64,
    /// How many ran at once, at most.
    pub calls_at_once: usize,
    /// How many the log says were refused.
    pub refused: u64,
    /// When the first call arrived.
    pub first: String,
    /// When the last call arrived.
    pub last: String,
    /// The minute that took the most time, or had the most calls.
    pub busiest_minute: String,
    /// How many calls arrived in it.
    pub busiest_calls: u64,
    /// How long they took, in ms.
    pub busiest_time_ms: u64,
    /// His client programs, the busiest first.
    pub user_agents: Vec<String>,
}

impl Counts {
    /// Counts the call that arrived next.
    pub fn take(&mut self, record: &Record) {
        let [_, cas, ..] = record.cost;
        let time = if cas > Micros::ZERO { cas } else { record.taken.minus(record.waited) };
        let time = if record.hangs { Micros::ZERO } else { time };
        self.calls += 1;
        self.time = self.time.plus(time);
        self.owner(record.owner, record.arrived).take(record, time);
    }

    /// The log has ended: who takes the most.
    pub fn finish(&self, names: &Names) -> Runaways {
        Runaways {
            owners: self.owners.len(),
            calls: self.calls,
            time_ms: self.time.floor_millis().count(),
            by_time: self.top(names, |owner| owner.time.count()),
            by_calls: self.top(names, |owner| owner.calls),
            by_calls_at_once: self.top(names, |owner| u64::try_from(owner.at_once).unwrap_or(u64::MAX)),
        }
    }

    fn owner(&mut self, name: Name, now: WallTime) -> &mut Owner {
        let known = self.of.get(&name).copied();
        let index = match known {
            Some(index) => index,
            None if self.owners.len() < OWNERS_MAX => {
                let index = self.owners.len();
                self.of.insert(name, index);
                self.owners.push(Owner { name, first: now, ..Owner::default() });
                index
            }
            // The last one stands for all that there is no room for.
            None => OWNERS_MAX - 1,
        };
        let last = self.owners.len() - 1;
        self.owners.get_mut(index.min(last)).expect("there is one for each index that was given")
    }

    fn top(&self, names: &Names, measure: impl Fn(&Owner) -> u64) -> Vec<Runaway> {
        let mut owners: Vec<&Owner> = self.owners.iter().filter(|owner| measure(owner) > 0).collect();
        owners.sort_by_key(|owner| (Reverse(measure(owner)), owner.name));
        owners.into_iter().take(RUNAWAYS).map(|owner| owner.runaway(self.time, names)).collect()
    }
}

impl Owner {
    fn take(&mut self, record: &Record, time: Micros) {
        let arrived = record.arrived.unix_micros();
        self.calls += 1;
        self.refused += u64::from(record.was_refused());
        self.time = self.time.plus(time);
        self.last = record.arrived;
        while self.ends.peek().is_some_and(|Reverse(end)| *end <= arrived) {
            self.ends.pop();
        }
        if self.ends.len() < AT_ONCE_MAX && !record.hangs {
            let taken = i64::try_from(record.taken.count()).unwrap_or(i64::MAX);
            self.ends.push(Reverse(arrived.saturating_add(taken)));
        }
        self.at_once = self.at_once.max(self.ends.len());
        self.count_minute(arrived, time);
        self.count_agent(record.agent);
    }

    fn count_minute(&mut self, arrived: i64, time: Micros) {
        let at = arrived.div_euclid(60_000_000);
        if self.minute.at != at {
            self.minute = Minute { at, ..Minute::default() };
        }
        self.minute.calls += 1;
        self.minute.time = self.minute.time.plus(time);
        if (self.minute.time, self.minute.calls) > (self.busiest.time, self.busiest.calls) {
            self.busiest = self.minute;
        }
    }

    /// Counts a client program. Where there is no room the rarest gives way, and its count stays with the newcomer.
    fn count_agent(&mut self, agent: Name) {
        if let Some((_, count)) = self.agents.iter_mut().find(|(known, _)| *known == agent) {
            *count += 1;
        } else if self.agents.len() < AGENTS_MAX {
            self.agents.push((agent, 1));
        } else if let Some(rarest) = self.agents.iter_mut().min_by_key(|(_, count)| *count) {
            *rarest = (agent, rarest.1 + 1);
        }
    }

    fn runaway(&self, all: Micros, names: &Names) -> Runaway {
        let mut agents = self.agents.clone();
        agents.sort_by_key(|(agent, count)| (Reverse(*count), *agent));
        let share = self.time.count().saturating_mul(100).checked_div(all.count()).unwrap_or(0);
        Runaway {
            owner: names.text(self.name).to_owned(),
            calls: self.calls,
            time_ms: self.time.floor_millis().count(),
            share_percent: share,
            calls_at_once: self.at_once,
            refused: self.refused,
            first: rfc3339(self.first),
            last: rfc3339(self.last),
            busiest_minute: rfc3339(WallTime::from_unix_micros(self.busiest.at.saturating_mul(60_000_000))),
            busiest_calls: self.busiest.calls,
            busiest_time_ms: self.busiest.time.floor_millis().count(),
            user_agents: agents
                .iter()
                .take(AGENTS_NAMED)
                .map(|(agent, _)| names.text(*agent).to_owned())
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests;
