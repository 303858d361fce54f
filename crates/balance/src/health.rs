//! The list of unhealthy targets (H4): one for the process, shared by all selectors.
//!
//! It knows every address that a selector names, bounded, and forgets those that nobody names any more when it needs
//! the room: first those that have nothing to remember, then those whose last attempt is longest ago. What the
//! administrator said is never forgotten. Selectors keep what they need at hand; the table is touched when one is
//! made, and by the administrator's commands.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_units::Tick;

use crate::record::{Generation, Record};
use crate::target::{Service, State, Target};
use crate::transition::Mark;

/// How many addresses are remembered unless something else is asked for.
pub const BOUND: usize = 10_000;

/// The list knows as many addresses as it may, and all are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all {bound} places for targets are in use; raise the bound on targets, or name fewer")]
pub struct TableFull {
    /// How many addresses there may be.
    pub bound: usize,
}

/// No selector names that address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no target is known at {address}; `target list` shows those that are")]
pub struct UnknownTarget {
    /// What was asked for.
    pub address: SocketAddr,
}

/// One target, as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Where it is.
    pub address: SocketAddr,
    /// What the first selector that named it calls it.
    pub name: Arc<str>,
    /// How it is.
    pub state: State,
    /// Its line on the list of the unhealthy, whatever the administrator said.
    pub mark: Option<Mark>,
    /// Whether its one attempt – first connection or due retry – is being made.
    pub probing: bool,
}

/// The list. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Health(Arc<Table>);

#[derive(Debug)]
struct Table {
    generation: Arc<Generation>,
    bound: usize,
    records: Mutex<BTreeMap<SocketAddr, Arc<Record>>>,
}

impl Default for Health {
    fn default() -> Self {
        Self::new(BOUND)
    }
}

impl Health {
    /// An empty list of at most `bound` addresses.
    pub fn new(bound: usize) -> Self {
        Self(Arc::new(Table { generation: Arc::default(), bound, records: Mutex::default() }))
    }

    /// Every known target, by address.
    pub fn list(&self, now: Tick) -> Vec<Listing> {
        self.records().values().map(|record| record.listing(now)).collect()
    }

    /// The lines of the unhealthy, by address.
    pub fn unhealthy(&self) -> Vec<Mark> {
        self.records().values().filter_map(|record| record.mark()).collect()
    }

    /// How many targets are in each state, in the order of [`State::ALL`].
    pub fn count(&self) -> [(State, usize); 5] {
        let states: Vec<State> = self.records().values().map(|record| record.state()).collect();
        State::ALL.map(|state| (state, states.iter().filter(|other| **other == state).count()))
    }

    /// What the administrator said about a target; nothing where no selector ever named it.
    pub fn service(&self, address: SocketAddr) -> Option<Service> {
        self.records().get(&address).map(|record| record.service())
    }

    /// Puts a target back into service. One that was disabled proves itself again (H9), one that is unhealthy is tried
    /// at once, and its share grows as that of a target that came back.
    ///
    /// # Errors
    /// [`UnknownTarget`] where no selector ever named it.
    pub fn enable(&self, address: SocketAddr, now: Tick) -> Result<(), UnknownTarget> {
        self.known(address).map(|record| record.serve(Service::Enabled, now))
    }

    /// Lets a target run empty: no further connection, save heartbeats.
    ///
    /// # Errors
    /// [`UnknownTarget`] where no selector ever named it.
    pub fn drain(&self, address: SocketAddr, now: Tick) -> Result<(), UnknownTarget> {
        self.known(address).map(|record| record.serve(Service::Draining, now))
    }

    /// Takes a target out: nothing goes there.
    ///
    /// # Errors
    /// [`UnknownTarget`] where no selector ever named it.
    pub fn disable(&self, address: SocketAddr, now: Tick) -> Result<(), UnknownTarget> {
        self.known(address).map(|record| record.serve(Service::Disabled, now))
    }

    /// Makes the next retry of an unhealthy target due at once, and answers its line; nothing where it is not marked.
    ///
    /// # Errors
    /// [`UnknownTarget`] where no selector ever named it.
    pub fn retry_now(&self, address: SocketAddr, now: Tick) -> Result<Option<Mark>, UnknownTarget> {
        self.known(address).map(|record| record.retry_now(now))
    }

    pub(crate) fn generation(&self) -> &Arc<Generation> {
        &self.0.generation
    }

    /// The record of a target, made at the first use.
    pub(crate) fn record(&self, target: &Target) -> Result<Arc<Record>, TableFull> {
        let mut records = self.records();
        if let Some(record) = records.get(&target.address) {
            return Ok(Arc::clone(record));
        }
        self.make_room(&mut records)?;
        let record = Arc::new(Record::new(target.address, &target.name, self.generation()));
        records.insert(target.address, Arc::clone(&record));
        Ok(record)
    }

    fn make_room(&self, records: &mut BTreeMap<SocketAddr, Arc<Record>>) -> Result<(), TableFull> {
        if records.len() < self.0.bound {
            return Ok(());
        }
        // The table is locked: nobody can take a further reference to a record that has one alone.
        let spare =
            |record: &Arc<Record>| Arc::strong_count(record) == 1 && record.service() == Service::Enabled;
        records.retain(|_, record| !spare(record) || record.mark().is_some());
        if records.len() >= self.0.bound {
            let marks = records.values().filter(|record| spare(record)).filter_map(|record| record.mark());
            let oldest = marks.min_by_key(|mark| mark.last_attempt);
            if let Some(mark) = oldest {
                records.remove(&mark.address);
            }
        }
        if records.len() < self.0.bound { Ok(()) } else { Err(TableFull { bound: self.0.bound }) }
    }

    fn known(&self, address: SocketAddr) -> Result<Arc<Record>, UnknownTarget> {
        self.records().get(&address).cloned().ok_or(UnknownTarget { address })
    }

    fn records(&self) -> MutexGuard<'_, BTreeMap<SocketAddr, Arc<Record>>> {
        self.0.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
