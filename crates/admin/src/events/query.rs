//! The event log, asked: which events, of whom, since when.

use std::io;
use std::path::Path;

use weir_units::{EventId, Owner, WallTime};

use super::EVENTS_FILE;
use crate::journal::read::{Match, newest};
use crate::journal::timestamp;
use crate::types::{EventRecord, Excerpt};

/// Which events are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventQuery {
    /// Those of this kind only.
    pub id: Option<EventId>,
    /// Those of this time and later only.
    pub since: Option<WallTime>,
    /// Those that speak of this owner only.
    pub owner: Option<Owner>,
    /// So many at most.
    pub limit: usize,
}

impl EventQuery {
    /// The newest events that match, of both generations of the log in `directory`.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn run(&self, directory: &Path) -> io::Result<Excerpt<EventRecord>> {
        let since = self.since.map(timestamp).unwrap_or_default();
        newest(&directory.join(EVENTS_FILE), self.limit, |event: &EventRecord| {
            if event.time < since {
                return Match::Older;
            }
            let matches = self.id.is_none_or(|id| id.0 == event.id)
                && self
                    .owner
                    .as_ref()
                    .is_none_or(|owner| event.fields.get("owner").is_some_and(|name| name == owner.name()));
            if matches { Match::Wanted } else { Match::Other }
        })
    }
}
