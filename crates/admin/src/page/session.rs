//! Who is logged in at the page: a bounded table in memory.
//!
//! A session is known by the digest of a random number that only the browser's cookie holds. It ends when it was
//! not used for a while, when it is old, or when its owner logs out; a restart ends them all. Where the table is
//! full, the one that was not used for longest makes room. Its form token is what a form must bring along, so that
//! no other site can send one (CSRF).

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use weir_units::{Micros, Tick};

use crate::token::Role;

/// The digest of a cookie.
pub(super) type Key = [u8; 32];

/// Who looks at a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Viewer {
    /// What his token allows.
    pub(super) role: Role,
    /// What his forms must bring along.
    pub(super) form_token: String,
}

impl Viewer {
    /// Whether forms that change something are shown to him.
    pub(super) fn may_change(&self) -> bool {
        match self.role {
            Role::Administrator => true,
            Role::Helpdesk => false,
        }
    }
}

/// The bounds of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// How many sessions there are at most.
    pub(super) most: usize,
    /// How long one lives unused.
    pub(super) idle: Micros,
    /// How long one lives in all.
    pub(super) lifetime: Micros,
}

/// The sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    bounds: Bounds,
    table: BTreeMap<Key, Session>,
}

#[derive(Debug)]
struct Session {
    viewer: Viewer,
    opened: Tick,
    used: Tick,
}

impl Sessions {
    /// No session yet.
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, table: BTreeMap::new() }
    }

    /// Opens a session of `viewer` under `key`.
    pub(super) fn open(&mut self, key: Key, viewer: Viewer, now: Tick) {
        let bounds = self.bounds;
        self.table.retain(|_, session| session.lives(bounds, now));
        while self.table.len() >= bounds.most.max(1) {
            let oldest = self.table.iter().min_by_key(|(_, session)| session.used).map(|(key, _)| *key);
            if let Some(key) = oldest {
                self.table.remove(&key);
            }
        }
        self.table.insert(key, Session { viewer, opened: now, used: now });
    }

    /// The viewer whose session is known by `key`; the session counts as used.
    pub(super) fn find(&mut self, key: &Key, now: Tick) -> Option<Viewer> {
        let session = self.table.get_mut(key)?;
        if !session.lives(self.bounds, now) {
            self.table.remove(key);
            return None;
        }
        session.used = session.used.max(now);
        Some(session.viewer.clone())
    }

    /// Whether the session goes on; looking does not count as use.
    pub(super) fn lives(&self, key: &Key, now: Tick) -> bool {
        self.table.get(key).is_some_and(|session| session.lives(self.bounds, now))
    }

    /// Ends the session.
    pub(super) fn close(&mut self, key: &Key) {
        self.table.remove(key);
    }
}

impl Session {
    fn lives(&self, bounds: Bounds, now: Tick) -> bool {
        now.since(self.used) < bounds.idle && now.since(self.opened) < bounds.lifetime
    }
}
