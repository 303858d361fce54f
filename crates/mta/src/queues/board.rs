//! What waits for whom.
//!
//! A message has a copy for each next hop that some of its recipients share, and stands in that next hop's queue under
//! its number. Here are no tasks, no clock and no disk; whoever holds the lock tells the time.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::oneshot;
use weir_spool::MessageId;
use weir_transport::queue::{Connections, Full, Held, NextHopQueue, QueueSettings};
use weir_transport::routing::NextHopKey;
use weir_units::Tick;

use super::hop::Hop;
use crate::envelope::Envelope;
use crate::settings::Settings;

/// What waits for whom.
pub(super) struct Board {
    pub(super) settings: QueueSettings,
    pub(super) hops: BTreeMap<NextHopKey, Hop>,
    pub(super) connections: Connections,
    messages: BTreeMap<MessageId, Live>,
    /// Next hops at which something happened since the dispatcher looked.
    touched: BTreeSet<NextHopKey>,
    /// When something is due at which next hop.
    timers: BTreeSet<(Tick, NextHopKey)>,
    timer_of: BTreeMap<NextHopKey, Tick>,
    /// Bytes of messages that are kept in memory, and how many may be.
    fresh: usize,
    fresh_most: usize,
}

/// A message of which something is left to be done.
struct Live {
    copies: Vec<Copy>,
    fresh: Option<Fresh>,
    waiters: Vec<oneshot::Sender<()>>,
}

/// Recipients of a message that share a next hop.
struct Copy {
    key: NextHopKey,
    recipients: Vec<u32>,
    /// Nobody has tried yet.
    untried: bool,
}

/// What is kept of a message in memory besides.
#[derive(Clone, Debug)]
pub(super) struct Fresh {
    pub(super) envelope: Arc<Envelope>,
    pub(super) content: Option<Bytes>,
}

/// A copy of a message that a connection carries next.
pub(super) struct Job {
    pub(super) id: MessageId,
    pub(super) recipients: Vec<u32>,
    pub(super) fresh: Option<Fresh>,
}

impl Board {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.queue,
            hops: BTreeMap::new(),
            connections: Connections::new(&settings.queue),
            messages: BTreeMap::new(),
            touched: BTreeSet::new(),
            timers: BTreeSet::new(),
            timer_of: BTreeMap::new(),
            fresh: 0,
            fresh_most: settings.fresh_bytes,
        }
    }

    /// How many messages wait.
    pub(super) fn messages(&self) -> usize {
        self.messages.len()
    }

    /// Whether the message is here.
    pub(super) fn has(&self, id: MessageId) -> bool {
        self.messages.contains_key(&id)
    }

    /// The next hops at which recipients of a message wait, and how many each.
    pub(super) fn hops_of(&self, id: MessageId) -> Vec<(NextHopKey, Vec<u32>)> {
        let copies = self.messages.get(&id).into_iter().flat_map(|live| &live.copies);
        copies.map(|copy| (copy.key.clone(), copy.recipients.clone())).collect()
    }

    /// Adds recipients of a message to a next hop's queue; their age is judged at `judge_at`.
    ///
    /// # Errors
    /// [`Full`] where that queue takes no more.
    pub(super) fn add(
        &mut self,
        id: MessageId,
        key: &NextHopKey,
        recipients: Vec<u32>,
        judge_at: Tick,
        now: Tick,
    ) -> Result<(), Full> {
        let settings = self.settings;
        let hop = self.hops.entry(key.clone()).or_insert_with(|| Hop::new(settings, now));
        hop.queue.add(id, judge_at, now)?;
        let live = self.messages.entry(id).or_insert_with(Live::new);
        match live.copies.iter_mut().find(|copy| copy.key == *key) {
            Some(copy) => copy.recipients.extend(recipients),
            None => live.copies.push(Copy { key: key.clone(), recipients, untried: true }),
        }
        self.touch(key);
        Ok(())
    }

    /// Keeps a message in memory besides, if there is room.
    pub(super) fn keep_fresh(&mut self, id: MessageId, fresh: Fresh) {
        let bytes = fresh.bytes();
        if self.fresh + bytes > self.fresh_most {
            return;
        }
        if let Some(live) = self.messages.get_mut(&id) {
            self.fresh += bytes;
            live.fresh = Some(fresh);
        }
    }

    /// A next hop, and the connections of the process.
    pub(super) fn hop_and_connections(&mut self, key: &NextHopKey) -> Option<(&mut Hop, &Connections)> {
        Some((self.hops.get_mut(key)?, &self.connections))
    }

    /// Whether a next hop gets one more connection; it is counted if so.
    pub(super) fn opens(&mut self, key: &NextHopKey, now: Tick) -> bool {
        let Some(hop) = self.hops.get_mut(key) else { return false };
        let opens = hop.queue.wants_connection(&self.connections, now)
            && self.connections.take(hop.queue.connections());
        if opens {
            hop.queue.opening();
        }
        opens
    }

    /// A connection has ended. Where the process had no more of them, somebody waits for it.
    pub(super) fn give_back_connection(&mut self, key: &NextHopKey) {
        let was_short = !self.connections.may_open(1);
        self.connections.give_back();
        self.touch(key);
        if was_short {
            self.touched.extend(self.hops.keys().cloned());
        }
    }

    /// How many messages could go to `key` now.
    pub(super) fn ready(&mut self, key: &NextHopKey, now: Tick) -> usize {
        self.hops.get_mut(key).map_or(0, |hop| hop.queue.ready(now))
    }

    /// Something about a target has changed: `change` is done to every queue that has it, and the dispatcher looks at them.
    pub(super) fn at_target(
        &mut self,
        address: SocketAddr,
        mut change: impl FnMut(&mut NextHopQueue<MessageId>),
    ) {
        for (key, hop) in &mut self.hops {
            if hop.levels().is_some_and(|levels| levels.has(address)) {
                change(&mut hop.queue);
                self.touched.insert(key.clone());
            }
        }
    }

    /// The next message for a connection to `key`.
    pub(super) fn take(&mut self, key: &NextHopKey, now: Tick) -> Option<Job> {
        let id = self.hops.get_mut(key)?.queue.take(now)?;
        let live = self.messages.get(&id)?;
        let copy = live.copies.iter().find(|copy| copy.key == *key)?;
        Some(Job { id, recipients: copy.recipients.clone(), fresh: live.fresh.clone() })
    }

    /// Holds the copy of a message at `key`, so that nobody sends it, with its recipients; nothing where somebody does.
    pub(super) fn hold(&mut self, id: MessageId, key: &NextHopKey) -> Option<(Held, Vec<u32>)> {
        let copy = self.messages.get(&id)?.copies.iter().find(|copy| copy.key == *key)?;
        let held = self.hops.get_mut(key)?.queue.hold(id)?;
        Some((held, copy.recipients.clone()))
    }

    /// Nothing is left to be done for the copy of a message at `key`; whether that was its last one.
    pub(super) fn done(&mut self, id: MessageId, key: &NextHopKey, now: Tick) -> bool {
        if let Some(hop) = self.hops.get_mut(key) {
            hop.queue.done(id, now);
        }
        self.touch(key);
        let Some(live) = self.messages.get_mut(&id) else { return false };
        live.copies.retain(|copy| copy.key != *key);
        let is_over = live.copies.is_empty();
        if is_over {
            self.forget(id);
        } else {
            self.decide(id);
        }
        is_over
    }

    /// These recipients are left of the copy at `key`, which goes later: it was tried, and is no longer fresh.
    pub(super) fn left(&mut self, id: MessageId, key: &NextHopKey, recipients: Vec<u32>) {
        if let Some(live) = self.messages.get_mut(&id) {
            if let Some(copy) = live.copies.iter_mut().find(|copy| copy.key == *key) {
                (copy.recipients, copy.untried) = (recipients, false);
            }
            if let Some(fresh) = live.fresh.take() {
                self.fresh = self.fresh.saturating_sub(fresh.bytes());
            }
        }
        self.decide(id);
        self.touch(key);
    }

    /// Takes the copy of a message out of the queue of `key`, to be routed again: its recipients.
    pub(super) fn withdraw(&mut self, id: MessageId, key: &NextHopKey) -> Vec<u32> {
        if let Some(hop) = self.hops.get_mut(key) {
            hop.queue.remove(id);
        }
        let Some(live) = self.messages.get_mut(&id) else { return Vec::new() };
        let withdrawn = live.copies.extract_if(.., |copy| copy.key == *key);
        withdrawn.flat_map(|copy| copy.recipients).collect()
    }

    /// Forgets a message of which nothing is left.
    pub(super) fn forget(&mut self, id: MessageId) {
        let Some(live) = self.messages.remove(&id) else { return };
        for copy in &live.copies {
            if let Some(hop) = self.hops.get_mut(&copy.key) {
                hop.queue.remove(id);
            }
        }
        if let Some(fresh) = &live.fresh {
            self.fresh = self.fresh.saturating_sub(fresh.bytes());
        }
        for waiter in live.waiters {
            let _ = waiter.send(());
        }
    }

    /// Whether somebody has to wait for the message to be decided; then `tell` is kept.
    pub(super) fn await_decision(&mut self, id: MessageId, tell: oneshot::Sender<()>) -> bool {
        let Some(live) = self.messages.get_mut(&id).filter(|live| live.is_undecided()) else { return false };
        live.waiters.push(tell);
        true
    }

    fn decide(&mut self, id: MessageId) {
        let Some(live) = self.messages.get_mut(&id).filter(|live| !live.is_undecided()) else { return };
        for waiter in std::mem::take(&mut live.waiters) {
            let _ = waiter.send(());
        }
    }

    /// The dispatcher is to look at `key`.
    pub(super) fn touch(&mut self, key: &NextHopKey) {
        if !self.touched.contains(key) {
            self.touched.insert(key.clone());
        }
    }

    /// The next hops to look at: where something happened, and where something is due.
    pub(super) fn take_touched(&mut self, now: Tick) -> BTreeSet<NextHopKey> {
        let mut touched = std::mem::take(&mut self.touched);
        while let Some((at, key)) = self.timers.pop_first() {
            if at > now {
                self.timers.insert((at, key));
                break;
            }
            self.timer_of.remove(&key);
            touched.insert(key);
        }
        touched
    }

    /// `key` is to be looked at again at `at`.
    pub(super) fn set_timer(&mut self, key: &NextHopKey, at: Tick) {
        if let Some(before) = self.timer_of.remove(key) {
            self.timers.remove(&(before, key.clone()));
        }
        if at != Tick::NEVER {
            self.timers.insert((at, key.clone()));
            self.timer_of.insert(key.clone(), at);
        }
    }

    /// When the next timer runs out.
    pub(super) fn next_timer(&self) -> Tick {
        self.timers.first().map_or(Tick::NEVER, |(at, _)| *at)
    }
}

impl Live {
    const fn new() -> Self {
        Self { copies: Vec::new(), fresh: None, waiters: Vec::new() }
    }

    fn is_undecided(&self) -> bool {
        self.copies.iter().any(|copy| copy.untried)
    }
}

impl Fresh {
    fn bytes(&self) -> usize {
        /// What an envelope takes, about.
        const ENVELOPE: usize = 512;
        self.content.as_ref().map_or(0, Bytes::len) + ENVELOPE * (1 + self.envelope.recipients.len())
    }
}
