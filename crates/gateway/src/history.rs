//! What the gateway remembers of each owner, so that "why was John slow at 10:14?" has an answer (T21).
//!
//! A request is noted once, when it is settled: the client program that sent it, the minute that it belongs to, and –
//! where it was refused or delayed, or would have been (T20) – its whole line of the request log. Owners who were never
//! seen cost nothing, and those remembered are bounded: where one too many comes, those who were seen longest ago make
//! room. Pure: whoever notes says what time it is.
//!
//! Owners are spread over shards with a lock each. A note holds one for a look-up and a few additions; nobody waits for
//! a reader or a sweep of another shard.

mod minutes;
mod programs;
mod throttled;

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use weir_units::{Component, Micros, Owner, Part, WallTime};

use crate::request_log::{Line, Verdict};

use minutes::Minutes;
pub use minutes::{MINUTES, Minute};
pub use programs::Program;
use programs::Programs;
use throttled::ThrottledCalls;
pub use throttled::{LONGEST_LINE, RUN_LENGTH, Throttled};

/// How many shards the owners are spread over.
const SHARDS: usize = 64;
/// Of a full shard, one owner in so many is forgotten, those seen longest ago.
const EVICTED_SHARE: usize = 16;
/// How long an owner who is not seen is remembered, where the room lasts.
pub const REMEMBERED: Micros = Micros::MINUTE.times(24 * 60);

/// How much is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistorySettings {
    /// Owners that are remembered at the same time.
    pub owners: usize,
    /// Client programs of one owner.
    pub programs: usize,
    /// Refused and delayed calls of one owner.
    pub throttled: usize,
}

impl Default for HistorySettings {
    fn default() -> Self {
        Self { owners: 20_000, programs: 8, throttled: 16 }
    }
}

/// What is remembered of one owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The client programs that he used, the one seen last first.
    pub programs: Vec<Program>,
    /// His calls that were refused or delayed, or would have been, the latest first.
    pub throttled: Vec<Throttled>,
    /// The last [`MINUTES`] minutes, the oldest first, the one that is not over last.
    pub minutes: Vec<Minute>,
}

/// What the gateway remembers of all owners.
#[derive(Debug)]
pub(crate) struct Histories {
    shards: Box<[Mutex<HashMap<Owner, Record, RandomState>>]>,
    hasher: RandomState,
    settings: HistorySettings,
    /// How many owners one shard remembers.
    bound: usize,
}

/// One request that was settled.
pub(crate) struct Note<'a> {
    pub(crate) user_agent: Option<&'a str>,
    pub(crate) component: Option<Component>,
    pub(crate) verdict: Verdict,
    pub(crate) why: Option<Part>,
    pub(crate) waited: Micros,
    pub(crate) status: u16,
    /// From its first byte to its answer.
    pub(crate) taken: Micros,
    /// What it used of the gateway's time.
    pub(crate) worked: Micros,
    /// What it used of the origin's time.
    pub(crate) origin: Micros,
}

#[derive(Debug, Default)]
struct Record {
    seen: WallTime,
    programs: Programs,
    throttled: ThrottledCalls,
    minutes: Minutes,
}

impl<'a> Note<'a> {
    /// What the line says.
    pub(crate) fn of<S>(line: &Line<'a, S>) -> Self {
        let [_, cas, _, rpc] = line.own.cost;
        Self {
            user_agent: line.user_agent,
            component: line.own.component,
            verdict: line.own.verdict,
            why: line.own.why,
            waited: line.own.waited,
            status: line.status,
            taken: line.taken,
            worked: cas,
            origin: rpc,
        }
    }
}

impl Histories {
    /// Remembers nobody yet.
    pub(crate) fn new(settings: HistorySettings) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::default(),
            settings,
            bound: settings.owners.div_ceil(SHARDS).max(1),
        }
    }

    /// Notes a request of `owner` that is settled at `now`. Its line is asked for only where it is kept.
    pub(crate) fn note(&self, owner: &Owner, note: &Note<'_>, line: impl fmt::Display, now: WallTime) {
        let mut shard = self.shard(owner);
        if let Some(record) = shard.get_mut(owner) {
            record.note(note, line, self.settings, now);
            return;
        }
        if shard.len() >= self.bound {
            make_room(&mut shard);
        }
        let mut record = Record::default();
        record.note(note, line, self.settings, now);
        shard.insert(owner.clone(), record);
    }

    /// What is remembered of `owner` at `now`; nothing where he was not seen.
    pub(crate) fn of(&self, owner: &Owner, now: WallTime) -> Option<History> {
        let shard = self.shard(owner);
        let record = shard.get(owner)?;
        Some(History {
            programs: record.programs.latest_first(),
            throttled: record.throttled.latest_first(),
            minutes: record.minutes.last_hour(now),
        })
    }

    /// Forgets minutes that are over for an hour, and owners who were not seen for [`REMEMBERED`].
    pub(crate) fn sweep(&self, now: WallTime) {
        for shard in &self.shards {
            let mut shard = lock(shard);
            shard.retain(|_, record| now.since(record.seen) < REMEMBERED);
            for record in shard.values_mut() {
                record.minutes.forget_old(now);
            }
            if shard.len() < shard.capacity() / 4 {
                shard.shrink_to_fit();
            }
        }
    }

    fn shard(&self, owner: &Owner) -> MutexGuard<'_, HashMap<Owner, Record, RandomState>> {
        let index = usize::try_from(self.hasher.hash_one(owner) >> 32).unwrap_or(0) % SHARDS;
        lock(self.shards.get(index).expect("a remainder is smaller than the number of shards"))
    }
}

impl Record {
    fn note(&mut self, note: &Note<'_>, line: impl fmt::Display, settings: HistorySettings, now: WallTime) {
        self.seen = now;
        self.programs.note(note.user_agent.unwrap_or_default(), settings.programs, now);
        self.minutes.note(note, now);
        self.throttled.note(note, line, settings.throttled, now);
    }
}

/// Forgets those who were seen longest ago, some at a time, so that a shard that stays full seldom looks for them.
fn make_room(shard: &mut HashMap<Owner, Record, RandomState>) {
    let mut seen: Vec<WallTime> = shard.values().map(|record| record.seen).collect();
    let cut = seen.len() / EVICTED_SHARE;
    let (_, cut, _) = seen.select_nth_unstable(cut);
    let cut = *cut;
    shard.retain(|_, record| record.seen > cut);
}

fn lock<T>(shard: &Mutex<T>) -> MutexGuard<'_, T> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
