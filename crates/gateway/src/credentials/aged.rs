//! A bounded map that knows the age of its entries.

use std::collections::BTreeMap;
use std::hash::Hash;

use hashbrown::HashMap;
use weir_units::{Micros, Tick};

/// Entries by key, and in the order in which they were put in. The oldest makes room when the map is full.
///
/// The order is the order of the calls of [`Aged::insert`], except where an insertion states an earlier tick than
/// the one before; such an entry is only found later by [`Aged::pop_older`], never sooner.
pub(super) struct Aged<K, T> {
    by_key: HashMap<K, Entry<T>, foldhash::fast::RandomState>,
    order: BTreeMap<u64, K>,
    next: u64,
    limit: usize,
}

struct Entry<T> {
    value: T,
    at: Tick,
    serial: u64,
}

impl<K: Copy + Eq + Hash, T> Aged<K, T> {
    pub(super) fn new(limit: usize) -> Self {
        Self { by_key: HashMap::default(), order: BTreeMap::new(), next: 0, limit: limit.max(1) }
    }

    /// The value of `key`, and since when it has been there.
    pub(super) fn find(&self, key: &K) -> Option<(&T, Tick)> {
        self.by_key.get(key).map(|entry| (&entry.value, entry.at))
    }

    /// Puts an entry in that is as old as `at`, in the place of an earlier one of that key.
    pub(super) fn insert(&mut self, key: K, value: T, at: Tick) {
        self.remove(&key);
        while self.by_key.len() >= self.limit && self.pop_first().is_some() {}
        let serial = self.next;
        self.next += 1;
        self.order.insert(serial, key);
        self.by_key.insert(key, Entry { value, at, serial });
    }

    pub(super) fn remove(&mut self, key: &K) {
        if let Some(entry) = self.by_key.remove(key) {
            self.order.remove(&entry.serial);
        }
    }

    /// Keeps only the entries that `keep` wants.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let order = &mut self.order;
        self.by_key.retain(|_, entry| {
            let kept = keep(&entry.value);
            if !kept {
                order.remove(&entry.serial);
            }
            kept
        });
    }

    /// Takes the oldest entry out if it is at least `age` old at `now`.
    pub(super) fn pop_older(&mut self, age: Micros, now: Tick) -> Option<(K, T, Tick)> {
        let (_, key) = self.order.first_key_value()?;
        let (_, at) = self.find(key)?;
        if now.since(at) < age {
            return None;
        }
        self.pop_first()
    }

    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    fn pop_first(&mut self) -> Option<(K, T, Tick)> {
        let (_, key) = self.order.pop_first()?;
        let entry = self.by_key.remove(&key)?;
        Some((key, entry.value, entry.at))
    }
}
