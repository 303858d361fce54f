//! Which policy holds for an owner, remembered for minutes (T14).
//!
//! An entry is good for [`CacheSettings::idle`] after its last use and at most for [`CacheSettings::max_age`] after
//! it was loaded. A change through our own interface is in force sooner: at most every [`VERSION_INTERVAL`] a
//! look-up reads the directory's version, and where that has moved, every entry is outdated. An outdated entry is
//! not forgotten: it is the last known policy that holds while the directory cannot be reached, until its age limit
//! (T13). A look-up always has an answer.
//!
//! A hit takes a read lock that writers hold for moments only, and a few atomics; it allocates nothing.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use weir_units::{EventSink, Micros, Owner, Tick};

use crate::chain::{EffectivePolicy, Reason};
use crate::directory::{Directory, DirectoryError};

/// How often the directory's version is read at most; a change through our own interface is in force by then.
pub const VERSION_INTERVAL: Micros = Micros::new(500_000);

/// How long a directory that failed is left alone for an owner.
pub const UNREACHABLE_INTERVAL: Micros = Micros::SECOND;

/// How many loads may happen at once; two loads for one owner never do.
const LOAD_STRIPES: usize = 16;

/// Of a full table, one entry in so many is dropped, those unused for longest.
const EVICTED_SHARE: usize = 16;

/// Times and size of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    /// How long an entry is good after its last use.
    pub idle: Micros,
    /// How long an entry is good after it was loaded, however often it is used.
    pub max_age: Micros,
    /// How many entries there are at most; at least one.
    pub max_entries: usize,
}

impl Default for CacheSettings {
    /// T14's times, and room for 100 000 owners.
    fn default() -> Self {
        Self { idle: Micros::MINUTE.times(5), max_age: Micros::MINUTE.times(15), max_entries: 100_000 }
    }
}

/// The policies that hold for owners. Share it in an `Arc`.
pub struct PolicyCache {
    directory: Arc<dyn Directory>,
    settings: CacheSettings,
    events: EventSink,
    entries: RwLock<HashMap<Owner, Entry>>,
    loading: [Mutex<()>; LOAD_STRIPES],
    stripe_of: RandomState,
    /// Entries of an earlier generation are outdated.
    generation: AtomicU64,
    version: AtomicU64,
    version_due: AtomicU64,
    unreachable: AtomicBool,
    hits: AtomicU64,
    misses: AtomicU64,
}

struct Entry {
    policy: Arc<EffectivePolicy>,
    generation: u64,
    last_used: AtomicU64,
    /// From here on it is reread, however recently it was used.
    expires: Tick,
}

/// What the cache holds for one owner, for the explain page (T21).
#[derive(Clone, Debug)]
pub struct CacheState {
    /// The policy.
    pub policy: Arc<EffectivePolicy>,
    /// How long ago it was loaded.
    pub age: Micros,
    /// When the directory is asked again, if the owner does nothing until then; a point in the past means at the
    /// next look-up.
    pub rereads_at: Tick,
}

impl PolicyCache {
    /// An empty cache over `directory`, which tells `events` what it finds wrong there.
    pub fn new(directory: Arc<dyn Directory>, settings: CacheSettings, events: EventSink) -> Self {
        let settings = CacheSettings { max_entries: settings.max_entries.max(1), ..settings };
        Self {
            directory,
            settings,
            events,
            entries: RwLock::default(),
            loading: std::array::from_fn(|_| Mutex::default()),
            stripe_of: RandomState::new(),
            generation: AtomicU64::new(0),
            version: AtomicU64::new(0),
            version_due: AtomicU64::new(0),
            unreachable: AtomicBool::new(false),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The policy that holds for `owner` at `now` (T13). A miss reads the directory.
    pub fn lookup(&self, owner: &Owner, now: Tick) -> Arc<EffectivePolicy> {
        self.watch_version(now);
        if let Some(policy) = self.fresh(owner, now) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return policy;
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let _loading = self.stripe(owner).lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have loaded it while this one waited.
        self.fresh(owner, now).unwrap_or_else(|| self.load(owner, now))
    }

    /// Makes every entry outdated: the next look-up of each owner reads the directory.
    pub fn invalidate(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// What is known about `owner`, without using it.
    pub fn peek(&self, owner: &Owner, now: Tick) -> Option<CacheState> {
        let generation = self.generation.load(Ordering::Acquire);
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(owner)?;
        Some(CacheState {
            policy: entry.policy.clone(),
            age: now.since(entry.policy.loaded_at),
            rereads_at: if entry.generation == generation {
                entry.rereads_at(self.settings.idle)
            } else {
                now
            },
        })
    }

    /// Drops entries whose age limit is over. Nothing depends on it but memory.
    pub fn sweep(&self, now: Tick) {
        let max_age = self.settings.max_age;
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, entry| now.since(entry.policy.loaded_at) < max_age);
    }

    /// Look-ups answered from memory.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// Look-ups that were not.
    pub fn misses(&self) -> u64 {
        self.misses.load(Ordering::Relaxed)
    }

    /// Entries, outdated ones included as long as they are kept as last known.
    pub fn length(&self) -> usize {
        self.entries.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn stripe(&self, owner: &Owner) -> &Mutex<()> {
        let stripes = u64::try_from(LOAD_STRIPES).unwrap_or(1);
        let index = usize::try_from(self.stripe_of.hash_one(owner) % stripes).unwrap_or(0);
        let [first, ..] = &self.loading;
        self.loading.get(index).unwrap_or(first)
    }

    fn fresh(&self, owner: &Owner, now: Tick) -> Option<Arc<EffectivePolicy>> {
        let generation = self.generation.load(Ordering::Acquire);
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(owner)?;
        if entry.generation != generation || now >= entry.rereads_at(self.settings.idle) {
            return None;
        }
        entry.last_used.fetch_max(now.micros(), Ordering::Relaxed);
        Some(entry.policy.clone())
    }

    fn load(&self, owner: &Owner, now: Tick) -> Arc<EffectivePolicy> {
        // Taken before the directory is read: a change while it is read outdates what was read.
        let generation = self.generation.load(Ordering::Acquire);
        let (policy, expires) = match self.directory.policy_of(owner) {
            Ok(chain) => {
                self.unreachable.store(false, Ordering::Relaxed);
                let policy = EffectivePolicy::decide(&chain, now);
                for event in policy.reasons.iter().filter_map(|reason| reason.event(owner)) {
                    self.events.emit(event);
                }
                (policy, now.plus(self.settings.max_age))
            }
            Err(error) => self.last_known(owner, &error, now),
        };
        let policy = Arc::new(policy);
        let last_used = AtomicU64::new(now.micros());
        self.insert(owner, Entry { policy: policy.clone(), generation, last_used, expires }, now);
        policy
    }

    /// What holds while the directory cannot be reached, and until when it is left alone.
    fn last_known(&self, owner: &Owner, error: &DirectoryError, now: Tick) -> (EffectivePolicy, Tick) {
        let reason = Reason::DirectoryUnreachable { why: error.why.clone() };
        self.report_unreachable(owner, &reason);
        let again = now.plus(UNREACHABLE_INTERVAL);
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let known = entries.get(owner).map(|entry| &entry.policy);
        let known = known.filter(|policy| now.since(policy.loaded_at) < self.settings.max_age);
        let Some(known) = known else { return (EffectivePolicy::fallback(vec![reason], now), again) };
        let mut policy = EffectivePolicy::clone(known);
        policy.reasons.retain(|known| !matches!(known, Reason::DirectoryUnreachable { .. }));
        policy.reasons.push(reason);
        let expires = again.min(known.loaded_at.plus(self.settings.max_age));
        (policy, expires)
    }

    fn report_unreachable(&self, owner: &Owner, reason: &Reason) {
        // Once an outage, not once for each owner who meets it.
        if !self.unreachable.swap(true, Ordering::Relaxed)
            && let Some(event) = reason.event(owner)
        {
            self.events.emit(event);
        }
    }

    fn insert(&self, owner: &Owner, entry: Entry, now: Tick) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= self.settings.max_entries && !entries.contains_key(owner) {
            self.make_room(&mut entries, now);
        }
        entries.insert(owner.clone(), entry);
    }

    fn make_room(&self, entries: &mut HashMap<Owner, Entry>, now: Tick) {
        entries.retain(|_, entry| now.since(entry.policy.loaded_at) < self.settings.max_age);
        if entries.len() < self.settings.max_entries {
            return;
        }
        let mut uses: Vec<u64> =
            entries.values().map(|entry| entry.last_used.load(Ordering::Relaxed)).collect();
        let (_, cut, _) = uses.select_nth_unstable(entries.len() / EVICTED_SHARE);
        let cut = *cut;
        entries.retain(|_, entry| entry.last_used.load(Ordering::Relaxed) > cut);
    }

    /// Reads the directory's version where that is due; one look-up does, the others go on with what they have.
    fn watch_version(&self, now: Tick) {
        let due = self.version_due.load(Ordering::Relaxed);
        if now.micros() < due {
            return;
        }
        let next = now.plus(VERSION_INTERVAL).micros();
        if self.version_due.compare_exchange(due, next, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return;
        }
        // A directory that cannot be read says so when something is loaded from it.
        if let Ok(version) = self.directory.version()
            && self.version.swap(version, Ordering::AcqRel) != version
        {
            self.invalidate();
        }
    }
}

impl Entry {
    fn rereads_at(&self, idle: Micros) -> Tick {
        Tick::new(self.last_used.load(Ordering::Relaxed)).plus(idle).min(self.expires)
    }
}

#[cfg(test)]
mod tests;
