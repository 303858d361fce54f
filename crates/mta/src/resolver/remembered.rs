//! What holds, and what is being asked.
//!
//! There are as many entries as the settings say; a further one drives out the one that would lapse first. What is being
//! asked is bounded by those who ask: the last of them to leave, whether he has an answer or gave up, takes it away.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;
use weir_transport::next_hop::{Resolution, Targets};
use weir_units::{Micros, Tick};

use super::Asked;

/// Where the answer to one question will stand.
type Cell = Arc<OnceCell<Resolution>>;

/// Everything that is known or being asked.
#[derive(Debug)]
pub(super) struct Remembered {
    /// The most entries.
    entries: usize,
    held: BTreeMap<Asked, Held>,
    /// The entries by when they lapse.
    lapses: BTreeSet<(Tick, Asked)>,
    /// What is being asked, and by how many.
    flights: BTreeMap<Asked, (Cell, usize)>,
}

#[derive(Debug)]
struct Held {
    targets: Targets,
    until: Tick,
}

/// What somebody finds who asks.
pub(super) enum Found {
    /// An answer that holds.
    Holds(Targets),
    /// A question that he asks, or that somebody else does already.
    Flight(Cell),
}

/// Somebody's part in a question that is being asked, until it is dropped.
pub(super) struct Flight<'a> {
    pub(super) remembered: &'a Mutex<Remembered>,
    pub(super) asked: &'a Asked,
    pub(super) cell: Cell,
}

impl Remembered {
    /// Nothing, and room for `entries`.
    pub(super) const fn new(entries: usize) -> Self {
        Self { entries, held: BTreeMap::new(), lapses: BTreeSet::new(), flights: BTreeMap::new() }
    }

    /// What is there for `asked` at `now`. Who gets a flight has a part in it.
    pub(super) fn find(&mut self, asked: &Asked, now: Tick) -> Found {
        if let Some(held) = self.held.get(asked).filter(|held| held.until > now) {
            let targets = Targets { levels: held.targets.levels.clone(), holds_for: held.until.since(now) };
            return Found::Holds(targets);
        }
        let (cell, parts) = self.flights.entry(asked.clone()).or_default();
        *parts += 1;
        Found::Flight(Arc::clone(cell))
    }

    /// Remembers `targets` for as long as they hold.
    pub(super) fn hold(&mut self, asked: &Asked, targets: &Targets, now: Tick) {
        self.forget(asked);
        while self.lapses.first().is_some_and(|(until, _)| *until <= now || self.held.len() >= self.entries) {
            if let Some((_, first)) = self.lapses.pop_first() {
                self.held.remove(&first);
            }
        }
        if targets.holds_for > Micros::ZERO && self.held.len() < self.entries {
            let until = now.plus(targets.holds_for);
            self.lapses.insert((until, asked.clone()));
            self.held.insert(asked.clone(), Held { targets: targets.clone(), until });
        }
    }

    fn forget(&mut self, asked: &Asked) {
        if let Some(held) = self.held.remove(asked) {
            self.lapses.remove(&(held.until, asked.clone()));
        }
    }

    fn leave(&mut self, asked: &Asked) {
        if let Some((_, parts)) = self.flights.get_mut(asked) {
            *parts -= 1;
            if *parts == 0 {
                self.flights.remove(asked);
            }
        }
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner).leave(self.asked);
    }
}

#[cfg(test)]
mod tests;
