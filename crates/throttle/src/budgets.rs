//! The table of all budgets: one for each owner and component (T3), bounded.
//!
//! An owner is looked up once a session or credential; from then on the [`Account`] is at hand and no table is touched.
//! A budget that nobody refers to, that holds nothing and that has been idle can be forgotten without a trace, since
//! one that was idle for more than a minute is as good as new; one that holds something or was used in the last minute
//! never is. The table is cut into shards, so that a look-up waits for nobody but a sweep of its own shard.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use weir_units::{Component, Micros, Owner, Tick};

use crate::budget::Budget;
use crate::limits::ComponentLimits;
use crate::minute::SLICE;
use crate::snapshot::Snapshot;

/// How many shards the table is cut into. Tables grow by doubling: this many are three quarters full at a million.
const SHARDS: usize = 160;

/// How long a budget is kept without a use, unless the table is full.
pub const IDLE: Micros = Micros::new(300_000_000);

/// One owner's budget in one component, and what its user keeps beside it.
#[derive(Debug)]
pub struct Account<X> {
    /// Whose it is.
    pub owner: Owner,
    /// Where it was spent.
    pub component: Component,
    /// The budget.
    pub budget: Budget,
    /// Whatever the table's user keeps for each budget, such as the means to wake the calls that wait.
    pub shell: X,
}

impl<X> Account<X> {
    /// The budget at `now`, with the owner's hash (T17).
    pub fn snapshot(&self, limits: &ComponentLimits, now: Tick) -> Snapshot {
        self.budget.snapshot(limits, now).of_owner(&self.owner)
    }
}

/// The table holds as many budgets as it may, and none of them can be forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all {bound} budgets are in use; raise the bound on budgets, or find out who uses so many accounts")]
pub struct TableFull {
    /// How many budgets the table may hold.
    pub bound: usize,
}

type Shard<X> = RwLock<HashTable<Arc<Account<X>>>>;

/// All budgets, by owner and component.
#[derive(Debug)]
pub struct Budgets<X> {
    shards: Box<[Shard<X>]>,
    hasher: RandomState,
    bound: usize,
    count: AtomicUsize,
    /// The slice of the last sweep that a full table asked for, plus one: it asks once a slice.
    pressed: AtomicU64,
}

impl<X: Default> Budgets<X> {
    /// A table of at most `bound` budgets.
    pub fn new(bound: usize) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| RwLock::new(HashTable::new())).collect(),
            hasher: RandomState::default(),
            bound,
            count: AtomicUsize::new(0),
            pressed: AtomicU64::new(0),
        }
    }

    /// The budget of `owner` in `component`, made at the first use.
    ///
    /// # Errors
    /// [`TableFull`] where there is none yet and no other can be forgotten to make room.
    pub fn of(&self, owner: &Owner, component: Component, now: Tick) -> Result<Arc<Account<X>>, TableFull> {
        match self.peek(owner, component) {
            Some(account) => Ok(account),
            None => self.open(owner, component, now),
        }
    }

    /// The budget of `owner` in `component`, if there is one.
    pub fn peek(&self, owner: &Owner, component: Component) -> Option<Arc<Account<X>>> {
        let hash = self.hash(owner, component);
        read(self.shard(hash)).find(hash, |account| is(account, owner, component)).cloned()
    }

    /// How many budgets there are.
    pub fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many budgets there may be.
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// Forgets the budgets that have been idle for [`IDLE`], and answers how many those were.
    pub fn sweep(&self, now: Tick) -> usize {
        self.forget(IDLE, now)
    }

    /// Hands every budget to `visit`, in no particular order. A shard takes no new budget meanwhile, so `visit` is to
    /// be short.
    pub fn for_each(&self, mut visit: impl FnMut(&Arc<Account<X>>)) {
        for shard in &self.shards {
            read(shard).iter().for_each(&mut visit);
        }
    }

    /// Hands every budget that is in use or was in the last minute to `visit`, in no particular order. A shard is held only
    /// while its budgets are looked at for that, never while `visit` works.
    pub fn for_each_busy(&self, now: Tick, mut visit: impl FnMut(&Arc<Account<X>>)) {
        let mut busy: Vec<Arc<Account<X>>> = Vec::new();
        for shard in &self.shards {
            let is_busy = |account: &&Arc<Account<X>>| !account.budget.is_idle(Micros::ZERO, now);
            busy.extend(read(shard).iter().filter(is_busy).cloned());
            busy.drain(..).for_each(|account| visit(&account));
        }
    }

    /// The budgets of `owner`, in the order of [`Component::ALL`].
    pub fn all_of(&self, owner: &Owner) -> Vec<Arc<Account<X>>> {
        Component::ALL.into_iter().filter_map(|component| self.peek(owner, component)).collect()
    }

    #[cold]
    fn open(&self, owner: &Owner, component: Component, now: Tick) -> Result<Arc<Account<X>>, TableFull> {
        self.make_room(now)?;
        let hash = self.hash(owner, component);
        let mut shard = write(self.shard(hash));
        if let Some(account) = shard.find(hash, |account| is(account, owner, component)) {
            self.count.fetch_sub(1, Ordering::Relaxed);
            return Ok(Arc::clone(account));
        }
        let account =
            Arc::new(Account { owner: owner.clone(), component, budget: Budget::new(), shell: X::default() });
        let rehash = |account: &Arc<Account<X>>| self.hash(&account.owner, account.component);
        shard.insert_unique(hash, Arc::clone(&account), rehash);
        Ok(account)
    }

    /// Counts one more budget, and forgets idle ones first if there are too many.
    fn make_room(&self, now: Tick) -> Result<(), TableFull> {
        let more = |count: usize| (count < self.bound).then_some(count + 1);
        let count = || self.count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok();
        let slice = now.micros() / SLICE.count() + 1;
        if count()
            || (self.pressed.swap(slice, Ordering::Relaxed) != slice
                && self.forget(SLICE, now) > 0
                && count())
        {
            return Ok(());
        }
        Err(TableFull { bound: self.bound })
    }

    fn forget(&self, idle: Micros, now: Tick) -> usize {
        let mut gone = 0;
        for shard in &self.shards {
            let mut shard = write(shard);
            let before = shard.len();
            // The shard is locked: nobody can take a further reference to a budget that has one alone.
            shard.retain(|account| Arc::strong_count(account) > 1 || !account.budget.is_idle(idle, now));
            let after = shard.len();
            if after < shard.capacity() / 4 {
                shard.shrink_to(after, |account| self.hash(&account.owner, account.component));
            }
            gone += before - after;
        }
        self.count.fetch_sub(gone, Ordering::Relaxed);
        gone
    }

    fn hash(&self, owner: &Owner, component: Component) -> u64 {
        self.hasher.hash_one((owner.name(), component))
    }

    fn shard(&self, hash: u64) -> &Shard<X> {
        // The table inside takes its bits from both ends of the hash; the shard is chosen by some in the middle.
        let index = usize::try_from((hash >> 24) & 0xff_ffff).unwrap_or(0) % SHARDS;
        self.shards.get(index).expect("a remainder is smaller than the number of shards")
    }
}

fn is<X>(account: &Account<X>, owner: &Owner, component: Component) -> bool {
    account.component == component && account.owner == *owner
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
