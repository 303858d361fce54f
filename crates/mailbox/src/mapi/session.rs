//! One person's session.
//!
//! It begins with `Connect`, outlives requests, and ends when the last who holds it lets go. What it has – mailboxes,
//! objects, subscriptions – goes with it. Requests come one at a time; events come whenever they like and never wait for
//! a request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_wire::mapi::rop::Logons;

use super::mailroom::Mailroom;
use super::objects::{Entry, Logon, Object, Objects};
use crate::server::{Listener, Shared};
use crate::session::Person;
use crate::store::identifier::MailboxKey;

/// A session. Cloning gives the same one; the last clone to go gives everything back.
#[derive(Clone)]
pub struct MapiSession {
    pub(super) inner: Arc<Inner>,
}

/// What all clones share.
pub(super) struct Inner {
    /// Who connected.
    pub(super) caller: Person,
    /// Whether he may log on to others' mailboxes.
    pub(super) may_open_others: bool,
    /// What it is told of.
    pub(super) mailroom: Arc<Mailroom>,
    shared: Arc<Shared>,
    state: Mutex<State>,
}

/// What requests change.
pub(super) struct State {
    /// The mailboxes, by the number that ROPs name them by.
    pub(super) logons: BTreeMap<u8, Arc<Logon>>,
    /// Which logons are to mailboxes, for the length of ROPs.
    pub(super) kinds: Logons,
    /// What is open.
    pub(super) objects: Objects,
}

impl MapiSession {
    pub(super) fn new(shared: &Arc<Shared>, caller: Person, may_open_others: bool) -> Self {
        let settings = &shared.settings;
        let mailroom = Arc::new(Mailroom::new(settings.mapi_events));
        let inner = Inner {
            caller,
            may_open_others,
            mailroom,
            shared: Arc::clone(shared),
            state: Mutex::new(State::new(settings.mapi_handles, settings.mapi_session_bytes)),
        };
        Self { inner: Arc::new(inner) }
    }
}

impl Inner {
    /// What requests change. Whoever holds it is the request that runs.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to hear of what happens in a mailbox.
    pub(super) fn listen(&self, mailbox: MailboxKey) {
        self.shared.hub.listeners.add(mailbox, &self.listener());
    }

    /// Gives back what objects have outside of the session.
    pub(super) fn forget(&self, gone: &[(u32, Entry)]) {
        let subscriptions = gone.iter().filter(|(_, entry)| matches!(entry.object, Object::Subscription));
        for mailbox in subscriptions.filter_map(|(handle, _)| self.mailroom.unsubscribe(*handle)) {
            self.shared.hub.listeners.remove(mailbox, &self.listener());
        }
    }

    /// Ends everything that the session has. Does not wait for a request that runs: what that has open goes with the
    /// session's last holder.
    pub(super) fn end(&self) {
        let settings = &self.shared.settings;
        if let Ok(mut state) = self.state.try_lock() {
            *state = State::new(settings.mapi_handles, settings.mapi_session_bytes);
        }
        let listener = self.listener();
        for mailbox in self.mailroom.end() {
            self.shared.hub.listeners.remove(mailbox, &listener);
        }
    }

    fn listener(&self) -> Arc<dyn Listener> {
        Arc::<Mailroom>::clone(&self.mailroom)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.end();
    }
}

impl State {
    fn new(max_handles: usize, max_bytes: usize) -> Self {
        Self {
            logons: BTreeMap::new(),
            kinds: Logons::default(),
            objects: Objects::new(max_handles, max_bytes),
        }
    }
}
