//! The owners that a fair queue knows, by name and by number (T23).
//!
//! An owner is found by name when a call arrives and by the call's number of him from then on. He is forgotten as soon
//! as that makes no difference. Memory for as many as there may be is reserved at once and touched when it is needed, so
//! that no decision waits while a table grows.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use weir_units::Owner;

use super::slab::{Linked, Links, List, Slab};

/// One owner's calls and what is left to him of this round.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) owner: Owner,
    pub(crate) weight: i64,
    /// The calls that wait, in order.
    pub(crate) line: List,
    pub(crate) waiting: u32,
    pub(crate) running: u32,
    /// What is left of his share of `round`, in microseconds; below zero he has taken more.
    pub(crate) remainder: i64,
    /// The last round of which he has got his share.
    pub(crate) round: u64,
    /// What he has saved of the shares of earlier rounds; of who comes for the first time as much as can be.
    pub(crate) saved: i64,
    /// What his calls cost in the mean: charged when one starts, and corrected when it is known.
    pub(crate) usual: i64,
    pub(crate) standing: Standing,
    links: Links,
}

/// The list that an owner stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// None: calls of his run, and none waits.
    Out,
    /// Those who go first.
    Prompt,
    /// Those who are served in rounds of even number.
    Even,
    /// Those who are served in rounds of odd number.
    Odd,
    /// Those who have no call, and whose share is not whole again.
    Idle,
}

impl Standing {
    /// Whether a call of the owner waits.
    pub(crate) const fn waits(self) -> bool {
        match self {
            Self::Prompt | Self::Even | Self::Odd => true,
            Self::Out | Self::Idle => false,
        }
    }

    /// Where those stand who are served in the round of that number.
    pub(crate) const fn of_round(round: u64) -> Self {
        if round.is_multiple_of(2) { Self::Even } else { Self::Odd }
    }
}

impl Account {
    pub(crate) fn new(owner: Owner, weight: i64, usual: i64) -> Self {
        Self {
            owner,
            weight,
            line: List::EMPTY,
            waiting: 0,
            running: 0,
            remainder: 0,
            round: 0,
            saved: i64::MAX,
            usual,
            standing: Standing::Out,
            links: Links::NONE,
        }
    }

    pub(crate) const fn has_no_calls(&self) -> bool {
        self.waiting == 0 && self.running == 0
    }
}

impl Linked for Account {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

/// All owners that are known.
#[derive(Debug)]
pub(crate) struct Owners {
    pub(crate) slab: Slab<Account>,
    numbers: HashTable<usize>,
    hasher: RandomState,
}

impl Owners {
    pub(crate) fn new(bound: usize) -> Self {
        Self {
            slab: Slab::with_capacity(bound),
            numbers: HashTable::with_capacity(bound),
            hasher: RandomState::default(),
        }
    }

    #[inline]
    pub(crate) fn find(&self, owner: &Owner) -> Option<usize> {
        let is_his = |number: &usize| self.slab.get(*number).is_some_and(|account| account.owner == *owner);
        self.numbers.find(hash(&self.hasher, owner), is_his).copied()
    }

    /// Adds an owner who is not known.
    pub(crate) fn insert(&mut self, account: Account) -> usize {
        let Self { slab, numbers, hasher } = self;
        let hash_of_his = hash(hasher, &account.owner);
        let number = slab.insert(account);
        let rehash = |number: &usize| slab.get(*number).map_or(0, |account| hash(hasher, &account.owner));
        numbers.insert_unique(hash_of_his, number, rehash);
        number
    }

    pub(crate) fn remove(&mut self, number: usize) {
        let Some(account) = self.slab.remove(number) else { return };
        let entry = self.numbers.find_entry(hash(&self.hasher, &account.owner), |other| *other == number);
        if let Ok(entry) = entry {
            entry.remove();
        }
    }
}

fn hash(hasher: &RandomState, owner: &Owner) -> u64 {
    hasher.hash_one(owner.name())
}
