//! What a session asked to be told, and what it has not been told yet.
//!
//! A subscription is an object with a handle; when its handle goes, so does what waited for it. Events wait in one line
//! for the whole session, of which the oldest go first where it is full: a client that never asks costs no more than
//! that, and one that comes back looks at its tables anew anyway.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::server::{About, Listener, News, NewsKind};
use crate::store::identifier::{FolderKey, ItemKey, MailboxKey};

/// What a subscription is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The whole mailbox.
    Store,
    /// What lies in a folder, and the folder itself.
    Folder(FolderKey),
    /// A message.
    Message(ItemKey),
}

/// What somebody asked to be told.
#[derive(Clone, Debug)]
pub(super) struct Subscription {
    /// The logon that answers name.
    pub(super) logon: u8,
    /// Of which mailbox.
    pub(super) mailbox: MailboxKey,
    /// The bits of what it wants to know.
    pub(super) kinds: u16,
    /// About what.
    pub(super) scope: Scope,
}

/// Something that a session is to be told.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// The handle of the subscription.
    pub(super) handle: u32,
    /// The subscription's logon.
    pub(super) logon: u8,
    /// What happened.
    pub(super) kind: NewsKind,
    /// To what.
    pub(super) about: About,
}

/// The subscriptions of a session and its line of events.
#[derive(Debug)]
pub(super) struct Mailroom {
    max_events: usize,
    inner: Mutex<Inner>,
    bell: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    subscriptions: BTreeMap<u32, Subscription>,
    events: VecDeque<Event>,
}

impl Mailroom {
    /// A line of at most `max_events`.
    pub(super) fn new(max_events: usize) -> Self {
        Self { max_events: max_events.max(1), inner: Mutex::default(), bell: Notify::new() }
    }

    /// Begins a subscription.
    pub(super) fn subscribe(&self, handle: u32, subscription: Subscription) {
        self.inner().subscriptions.insert(handle, subscription);
    }

    /// Ends a subscription. Gives its mailbox, where no other subscription is about that.
    pub(super) fn unsubscribe(&self, handle: u32) -> Option<MailboxKey> {
        let mut inner = self.inner();
        inner.events.retain(|event| event.handle != handle);
        let mailbox = inner.subscriptions.remove(&handle)?.mailbox;
        let others = inner.subscriptions.values().any(|other| other.mailbox == mailbox);
        (!others).then_some(mailbox)
    }

    /// Ends all subscriptions. Gives the mailboxes that they were about.
    pub(super) fn end(&self) -> Vec<MailboxKey> {
        let Inner { subscriptions, events } = std::mem::take(&mut *self.inner());
        drop(events);
        subscriptions.into_values().map(|subscription| subscription.mailbox).collect()
    }

    /// Whether an event waits.
    pub(super) fn has_event(&self) -> bool {
        !self.inner().events.is_empty()
    }

    /// The first event, if one waits; it keeps waiting until it is [taken](Self::take).
    pub(super) fn first(&self) -> Option<Event> {
        self.inner().events.front().cloned()
    }

    /// Takes the first event away.
    pub(super) fn take(&self) {
        self.inner().events.pop_front();
    }

    /// Returns once an event waits.
    pub(super) async fn event(&self) {
        loop {
            let rings = self.bell.notified();
            if self.has_event() {
                return;
            }
            rings.await;
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Mailroom {
    fn hear(&self, news: &News) {
        let mut inner = self.inner();
        let wanting = inner.subscriptions.iter().filter(|(_, subscription)| subscription.wants(news));
        let events: Vec<Event> = wanting
            .map(|(handle, subscription)| Event {
                handle: *handle,
                logon: subscription.logon,
                kind: news.kind,
                about: news.about.clone(),
            })
            .collect();
        if events.is_empty() {
            return;
        }
        inner.events.extend(events);
        let surplus = inner.events.len().saturating_sub(self.max_events);
        inner.events.drain(..surplus);
        drop(inner);
        self.bell.notify_waiters();
    }
}

impl Subscription {
    fn wants(&self, news: &News) -> bool {
        let concerned = match (self.scope, &news.about) {
            (Scope::Store, _) => true,
            (Scope::Folder(folder), _) => news.folders.contains(&folder),
            (Scope::Message(message), About::Item { key, old, .. }) => {
                *key == message || old.is_some_and(|(_, old)| old == message)
            }
            (Scope::Message(_), About::Folder { .. }) => false,
        };
        self.mailbox == news.mailbox && concerned && bit(news.kind).is_some_and(|bit| self.kinds & bit != 0)
    }
}

/// The bit by which subscriptions ask for news of a kind; none for those that MAPI does not know.
pub(super) const fn bit(kind: NewsKind) -> Option<u16> {
    match kind {
        NewsKind::NewMail => Some(0x0002),
        NewsKind::Created => Some(0x0004),
        NewsKind::Deleted => Some(0x0008),
        NewsKind::Modified => Some(0x0010),
        NewsKind::Moved => Some(0x0020),
        NewsKind::Copied => Some(0x0040),
        NewsKind::FreeBusyChanged => None,
    }
}

#[cfg(test)]
mod tests;
