//! All sessions, bounded in all and for each owner.
//!
//! A session is found by its cookie. Where nothing may be added to an answer (T20), and for a client that lost its cookie,
//! it is found by its owner and the name that the client has for it, so that leaving the cookie out is no way around a
//! back-off. Sessions that nobody has used for a while are forgotten, and give their place back.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ring::error::Unspecified;
use ring::rand::{SecureRandom, SystemRandom};
use weir_units::{Micros, Owner, Tick};

use super::cookie::SessionKey;
use super::session::{NewSession, Session};

/// How many sessions that were ended by hand are remembered, so that none is taken in again.
const ENDED: usize = 1024;

/// Bounds of the table, and how long a session lives without a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionSettings {
    /// Sessions in all.
    pub sessions: usize,
    /// Sessions of one owner, whatever his policy says.
    pub sessions_per_owner: u32,
    /// How long a session lives that nobody uses.
    pub idle: Micros,
    /// How often a client whose request lasts is told so.
    pub pending_period: Micros,
    /// How long a request waits for events before the embedded mailbox server.
    pub notification_wait: Micros,
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self {
            sessions: 100_000,
            sessions_per_owner: 256,
            idle: Micros::MINUTE.times(15),
            pending_period: Micros::SECOND.times(15),
            notification_wait: Micros::MINUTE.times(5),
        }
    }
}

/// Why there cannot be one more session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SessionsFull {
    /// There are as many as there may be.
    #[error("there are as many MAPI sessions as mapi.sessions allows: {0}")]
    All(usize),
    /// The owner has as many as anybody may.
    #[error("the owner has as many MAPI sessions as mapi.sessions_per_owner allows: {0}")]
    OfOwner(u32),
    /// The system gives no randomness for a cookie.
    #[error("the system gives no randomness for a session's cookie")]
    NoRandomness,
}

impl SessionsFull {
    /// How many there may be.
    pub(crate) fn bound(self) -> u64 {
        match self {
            Self::All(bound) => u64::try_from(bound).unwrap_or(u64::MAX),
            Self::OfOwner(bound) => bound.into(),
            Self::NoRandomness => 0,
        }
    }
}

/// All sessions.
#[derive(Debug)]
pub(crate) struct Sessions {
    random: SystemRandom,
    opened: AtomicU64,
    tables: RwLock<Tables>,
}

#[derive(Debug, Default)]
struct Tables {
    by_key: HashMap<SessionKey, Arc<Session>>,
    by_client: HashMap<Owner, HashMap<Box<str>, SessionKey>>,
    of_owner: HashMap<Owner, u32>,
    /// Those that were ended by hand, the latest last.
    ended: VecDeque<SessionKey>,
}

impl Sessions {
    /// No sessions yet.
    pub(crate) fn new() -> Self {
        Self { random: SystemRandom::new(), opened: AtomicU64::new(0), tables: RwLock::default() }
    }

    /// Opens a session at `now`. One of the same owner that its client calls by the same name is over with that: the
    /// client has begun anew.
    ///
    /// # Errors
    ///
    /// There are as many sessions as there may be.
    pub(crate) fn open(
        &self,
        new: NewSession,
        settings: &SessionSettings,
        now: Tick,
    ) -> Result<Arc<Session>, SessionsFull> {
        let mut key = [0; 16];
        self.random.fill(&mut key).map_err(|Unspecified| SessionsFull::NoRandomness)?;
        let key = SessionKey(key);
        let mut tables = self.write();
        if let Some(old) = new.client_info.as_deref().and_then(|name| tables.called(&new.owner, name)) {
            tables.close(&old);
        }
        tables.has_room(&new.owner, settings)?;
        let id = self.opened.fetch_add(1, Ordering::Relaxed) + 1;
        let session = Arc::new(Session::new(id, key, new, now));
        tables.enter(&session);
        Ok(session)
    }

    /// Whether `owner` may open one more session.
    ///
    /// # Errors
    ///
    /// There are as many sessions as there may be.
    pub(crate) fn has_room(&self, owner: &Owner, settings: &SessionSettings) -> Result<(), SessionsFull> {
        self.read().has_room(owner, settings)
    }

    /// The session whose cookie this is.
    pub(crate) fn of_cookie(&self, key: SessionKey) -> Option<Arc<Session>> {
        self.read().by_key.get(&key).cloned()
    }

    /// The session of `owner` that its client calls by this name.
    pub(crate) fn called(&self, owner: &Owner, name: &str) -> Option<Arc<Session>> {
        self.read().called(owner, name)
    }

    /// The session is over; whether it was there.
    pub(crate) fn close(&self, session: &Arc<Session>) -> bool {
        self.write().close(session)
    }

    /// The session with this number is over, and its client has to connect anew; whether it was there.
    pub(crate) fn end(&self, id: u64) -> bool {
        let found = self.read().by_key.values().find(|session| session.id == id).cloned();
        found.is_some_and(|session| self.write().end(&session))
    }

    /// Whether the session whose cookie this is was ended by hand, not long ago.
    pub(crate) fn was_ended(&self, key: SessionKey) -> bool {
        self.read().ended.contains(&key)
    }

    /// Forgets the sessions that nobody has used for `idle` at `now`.
    pub(crate) fn sweep(&self, idle: Micros, now: Tick) {
        let idle: Vec<Arc<Session>> = {
            let tables = self.read();
            tables.by_key.values().filter(|session| session.is_idle(idle, now)).cloned().collect()
        };
        for session in idle {
            self.close(&session);
        }
    }

    /// Every session, in the order of their opening.
    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        self.those(|_| true)
    }

    /// Every session of `owner`, in the order of their opening.
    pub(crate) fn of_owner(&self, owner: &Owner) -> Vec<Arc<Session>> {
        if self.read().of_owner.contains_key(owner) {
            self.those(|session| session.new.owner == *owner)
        } else {
            Vec::new()
        }
    }

    fn those(&self, are_meant: impl Fn(&Session) -> bool) -> Vec<Arc<Session>> {
        let tables = self.read();
        let meant = tables.by_key.values().filter(|session| are_meant(session));
        let mut meant: Vec<Arc<Session>> = meant.cloned().collect();
        drop(tables);
        meant.sort_unstable_by_key(|session| session.id);
        meant
    }

    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn called(&self, owner: &Owner, name: &str) -> Option<Arc<Session>> {
        self.by_key.get(self.by_client.get(owner)?.get(name)?).cloned()
    }

    fn has_room(&self, owner: &Owner, settings: &SessionSettings) -> Result<(), SessionsFull> {
        if self.by_key.len() >= settings.sessions {
            return Err(SessionsFull::All(settings.sessions));
        }
        let most = settings.sessions_per_owner;
        if self.of_owner.get(owner).is_some_and(|count| *count >= most) {
            return Err(SessionsFull::OfOwner(most));
        }
        Ok(())
    }

    fn enter(&mut self, session: &Arc<Session>) {
        let owner = &session.new.owner;
        if let Some(name) = &session.new.client_info {
            let names = self.by_client.entry(owner.clone()).or_default();
            names.insert(name.as_str().into(), session.key);
        }
        *self.of_owner.entry(owner.clone()).or_default() += 1;
        self.by_key.insert(session.key, Arc::clone(session));
    }

    fn end(&mut self, session: &Arc<Session>) -> bool {
        let was_there = self.close(session);
        if was_there {
            if self.ended.len() >= ENDED {
                self.ended.pop_front();
            }
            self.ended.push_back(session.key);
        }
        was_there
    }

    fn close(&mut self, session: &Arc<Session>) -> bool {
        if self.by_key.remove(&session.key).is_none() {
            return false;
        }
        let owner = &session.new.owner;
        if let Some(names) = self.by_client.get_mut(owner) {
            names.retain(|_, key| *key != session.key);
            if names.is_empty() {
                self.by_client.remove(owner);
            }
        }
        if let Some(count) = self.of_owner.get_mut(owner) {
            *count -= 1;
            if *count == 0 {
                self.of_owner.remove(owner);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;
