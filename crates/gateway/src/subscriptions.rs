//! The subscriptions of one owner that live at the origin (T7).
//!
//! `MaxSubscriptions` counts what the origin holds, and the origin forgets: a pull subscription ends with its
//! timeout unless its events are fetched, with Unsubscribe, or when the origin says that it knows it no more. This
//! keeps the same calendar, so that none is counted on. What is removed here is given back to the budget by the
//! caller.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;
use weir_units::{Micros, Tick};

/// The longest id that is remembered, in bytes.
pub const LONGEST_ID: usize = 1024;

/// The live subscriptions of one owner in one component.
#[derive(Debug)]
pub struct Subscriptions {
    by_id: HashMap<Arc<str>, Subscription, foldhash::fast::RandomState>,
    by_deadline: BTreeSet<(Tick, Arc<str>)>,
    limit: usize,
}

#[derive(Clone, Copy, Debug)]
struct Subscription {
    timeout: Micros,
    deadline: Tick,
}

/// What [`Subscriptions::opened`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// One more subscription is remembered.
    Counted,
    /// It was remembered already, and lives on from this moment.
    Again,
    /// It is not remembered, and its end would not be noticed: it must not be counted.
    Untracked,
}

impl Subscriptions {
    /// None yet; at most `limit` are remembered at the same time.
    pub fn new(limit: usize) -> Self {
        Self { by_id: HashMap::default(), by_deadline: BTreeSet::new(), limit }
    }

    /// The origin answered at `now` with a subscription that ends when nothing asks for it for `timeout`.
    pub fn opened(&mut self, id: &str, timeout: Micros, now: Tick) -> Opened {
        let deadline = now.plus(timeout);
        if self.take(id).is_some() {
            self.put(id.into(), Subscription { timeout, deadline });
            return Opened::Again;
        }
        if self.by_id.len() >= self.limit || id.len() > LONGEST_ID {
            return Opened::Untracked;
        }
        self.put(id.into(), Subscription { timeout, deadline });
        Opened::Counted
    }

    /// Its events were fetched at `now`: it lives as long again. False where it is not remembered.
    pub fn used(&mut self, id: &str, now: Tick) -> bool {
        let Some((id, subscription)) = self.take(id) else {
            return false;
        };
        let deadline = now.plus(subscription.timeout);
        self.put(id, Subscription { deadline, ..subscription });
        true
    }

    /// The client ended it, or the origin knows it no more. True where it was remembered and one is to be given back.
    pub fn closed(&mut self, id: &str) -> bool {
        self.take(id).is_some()
    }

    /// Forgets those whose time is over at `now`; says how many are to be given back.
    pub fn expired(&mut self, now: Tick) -> usize {
        let mut count = 0;
        while let Some((deadline, _)) = self.by_deadline.first()
            && *deadline <= now
            && let Some((_, id)) = self.by_deadline.pop_first()
        {
            self.by_id.remove(&id);
            count += 1;
        }
        count
    }

    /// When the next one ends, if nothing asks for it.
    pub fn next_deadline(&self) -> Option<Tick> {
        self.by_deadline.first().map(|(deadline, _)| *deadline)
    }

    /// How many are remembered.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    fn take(&mut self, id: &str) -> Option<(Arc<str>, Subscription)> {
        let (id, subscription) = self.by_id.remove_entry(id)?;
        self.by_deadline.remove(&(subscription.deadline, Arc::clone(&id)));
        Some((id, subscription))
    }

    fn put(&mut self, id: Arc<str>, subscription: Subscription) {
        self.by_deadline.insert((subscription.deadline, Arc::clone(&id)));
        self.by_id.insert(id, subscription);
    }
}

#[cfg(test)]
mod tests;
