//! Which message is next, and the state of the queue.
//!
//! Messages wait in the order in which they came; one that was deferred waits for its time. When no target of the next
//! hop may be tried the whole queue is in retry until the selector's next due one (H8): its messages stay ready, and go
//! at once when a target is there again – also those that were deferred because a connection failed, not those that the
//! peer deferred for reasons of its own (H6).
//!
//! Nothing is sent here. The caller opens a connection when [`wants_connection`](NextHopQueue::wants_connection) says
//! so, takes messages with [`take`](NextHopQueue::take), and reports what became of each.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeBounds;
use std::sync::Arc;

use weir_units::Tick;

use super::concurrency::{Feedback, Window};
use super::connection::Connections;
use super::listing::{Listing, QueueState};
use super::rate::Rate;
use super::settings::QueueSettings;

/// Why a message was deferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The connection failed: it goes as soon as a target is there.
    Connection,
    /// The peer said so: it goes when its time has come.
    Peer,
}

/// A message that goes later.
#[derive(Clone, Debug)]
pub struct Deferral {
    /// When.
    pub until: Tick,
    /// Why.
    pub cause: Cause,
    /// In what words.
    pub error: Arc<str>,
    /// When its age is to be judged.
    pub judge_at: Tick,
}

/// A queue that holds as many messages as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the queue holds {bound} messages, and no more may wait for this next hop")]
pub struct Full {
    /// How many it may hold.
    pub bound: usize,
}

/// Where a message is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Ready(u64),
    Deferred(Tick, u64, Cause),
    Sending,
}

/// Where a message waited that is held.
#[derive(Clone, Copy, Debug)]
#[must_use = "a message that is held goes nowhere until it is released, done or deferred"]
pub struct Held(Place);

/// No target may be tried before a moment.
#[derive(Clone, Copy, Debug)]
struct Blocked {
    until: Tick,
    /// Since when no target could be tried.
    since: Tick,
    /// Attempts in vain behind the first one.
    retries: u32,
    /// When the first and the last attempt failed; nothing while others' attempts are waited for.
    failures: Option<(Tick, Tick)>,
}

/// The queue of one next hop. `Id` is how the durable queue calls a message.
#[derive(Clone, Debug)]
pub struct NextHopQueue<Id> {
    settings: QueueSettings,
    messages: BTreeMap<Id, (Place, Tick)>,
    ready: BTreeMap<u64, Id>,
    deferred: BTreeMap<(Tick, u64), Id>,
    judge: BTreeSet<(Tick, Id)>,
    /// Numbers messages in the order of their turns.
    turn: u64,
    window: Window,
    opening: u32,
    open: u32,
    blocked: Option<Blocked>,
    /// An attempt failed since the queue last had a connection or was blocked.
    in_vain: bool,
    last_error: Option<Arc<str>>,
    suspended: bool,
    incoming: Rate,
    outgoing: Rate,
    /// When something last happened here.
    used: Tick,
}

impl<Id: Copy + Ord> NextHopQueue<Id> {
    /// An empty queue.
    pub fn new(settings: QueueSettings, now: Tick) -> Self {
        Self {
            settings,
            messages: BTreeMap::new(),
            ready: BTreeMap::new(),
            deferred: BTreeMap::new(),
            judge: BTreeSet::new(),
            turn: 0,
            window: Window::new(&settings),
            opening: 0,
            open: 0,
            blocked: None,
            in_vain: false,
            last_error: None,
            suspended: false,
            incoming: Rate::default(),
            outgoing: Rate::default(),
            used: now,
        }
    }

    /// Adds a message whose age is to be judged at `judge_at`. One that is here already stays as it is.
    ///
    /// # Errors
    /// [`Full`] where the queue holds as many messages as it may.
    pub fn add(&mut self, id: Id, judge_at: Tick, now: Tick) -> Result<(), Full> {
        if self.messages.contains_key(&id) {
            return Ok(());
        }
        let bound = self.settings.queue_messages;
        if self.messages.len() >= bound {
            return Err(Full { bound });
        }
        self.messages.insert(id, (Place::Sending, judge_at));
        self.make_ready(id);
        self.incoming.count(now);
        self.used = now;
        Ok(())
    }

    /// Whether one more connection should be opened.
    pub fn wants_connection(&mut self, process: &Connections, now: Tick) -> bool {
        self.wake(now);
        let connections = self.connections();
        let waiting = u32::try_from(self.ready.len()).unwrap_or(u32::MAX);
        self.may_go(now)
            && waiting > self.opening
            && connections < self.window.size()
            && process.may_open(connections)
    }

    /// A connection is being opened.
    pub const fn opening(&mut self) {
        self.opening += 1;
    }

    /// The connection that was being opened is there.
    pub fn connected(&mut self, now: Tick) {
        self.opening = self.opening.saturating_sub(1);
        self.open += 1;
        self.used = now;
        self.unblock();
    }

    /// The connection that was being opened failed. That alone says nothing about the next hop: the selector knows
    /// whether another target is there.
    pub fn not_connected(&mut self, error: &Arc<str>) {
        self.opening = self.opening.saturating_sub(1);
        self.in_vain = true;
        self.last_error = Some(error.clone());
    }

    /// Connections that are open or being opened.
    pub const fn connections(&self) -> u32 {
        self.open + self.opening
    }

    /// Something else went wrong, which the listing shows: no way, no target.
    pub fn trouble(&mut self, error: &Arc<str>) {
        self.last_error = Some(error.clone());
    }

    /// A connection has ended.
    pub fn closed(&mut self, now: Tick) {
        self.open = self.open.saturating_sub(1);
        self.used = now;
    }

    /// No target may be tried before `until` (H8). It counts as a retry in vain if an attempt of this queue failed
    /// meanwhile, and not while it waits for those of others.
    pub fn block(&mut self, until: Tick, now: Tick) {
        let first = Blocked { until, since: now, retries: 0, failures: None };
        let before = self.blocked.unwrap_or(first);
        let (retries, failures) = match (std::mem::take(&mut self.in_vain), before.failures) {
            (false, failures) => (before.retries, failures),
            (true, None) => (before.retries, Some((now, now))),
            (true, Some((first, _))) => (before.retries.saturating_add(1), Some((first, now))),
        };
        self.blocked = Some(Blocked { until, retries, failures, ..before });
    }

    /// A target of this next hop is there again: what waited for one goes at once (H6).
    pub fn recovered(&mut self) {
        self.unblock();
    }

    /// The administrator wants it tried at once, deferred messages too. Where that fails, times count from then.
    pub fn retry_now(&mut self, now: Tick) {
        self.try_at(now);
        for id in std::mem::take(&mut self.deferred).into_values() {
            self.make_ready(id);
        }
    }

    /// A target may be tried at once: the queue does not wait any more for the next due retry.
    pub const fn try_at(&mut self, now: Tick) {
        if let Some(blocked) = &mut self.blocked {
            blocked.until = now;
        }
    }

    /// Stops or resumes the queue. What is being sent is not touched.
    pub const fn suspend(&mut self, suspended: bool) {
        self.suspended = suspended;
    }

    /// The next message for a connection that is open.
    pub fn take(&mut self, now: Tick) -> Option<Id> {
        self.wake(now);
        if self.suspended {
            return None;
        }
        let (_, id) = self.ready.pop_first()?;
        if let Some((place, judge_at)) = self.messages.get_mut(&id) {
            *place = Place::Sending;
            self.judge.remove(&(*judge_at, id));
        }
        Some(id)
    }

    /// How many messages could go now.
    pub fn ready(&mut self, now: Tick) -> usize {
        self.wake(now);
        if self.suspended { 0 } else { self.ready.len() }
    }

    /// A message is over: everybody has it, or his sender was told.
    pub fn done(&mut self, id: Id, now: Tick) {
        if self.remove(id) {
            self.outgoing.count(now);
            self.last_error = None;
            self.used = now;
        }
    }

    /// A message that was being sent goes later.
    pub fn defer(&mut self, id: Id, deferral: Deferral) {
        let Deferral { until, cause, error, judge_at } = deferral;
        if !self.remove(id) {
            return;
        }
        self.turn += 1;
        self.messages.insert(id, (Place::Deferred(until, self.turn, cause), judge_at));
        self.deferred.insert((until, self.turn), id);
        self.judge.insert((judge_at, id));
        self.last_error = Some(error);
    }

    /// Takes a message out, wherever it is; whether it was here.
    pub fn remove(&mut self, id: Id) -> bool {
        let Some((place, judge_at)) = self.messages.remove(&id) else { return false };
        self.judge.remove(&(judge_at, id));
        match place {
            Place::Ready(turn) => {
                self.ready.remove(&turn);
            }
            Place::Deferred(until, turn, _) => {
                self.deferred.remove(&(until, turn));
            }
            Place::Sending => {}
        }
        true
    }

    /// Messages whose age is to be judged, as long as they are not being sent; each is named once. What becomes of one
    /// is said with [`NextHopQueue::release`], or with [`NextHopQueue::done`].
    pub fn take_aged(&mut self, now: Tick) -> Vec<Id> {
        let mut aged = Vec::new();
        while let Some((at, id)) = self.judge.first().copied().filter(|(at, _)| *at <= now) {
            self.judge.remove(&(at, id));
            aged.push(id);
        }
        aged
    }

    /// Holds a message that waits, so that nobody sends it while it is judged; nothing where somebody sends it already.
    pub fn hold(&mut self, id: Id) -> Option<Held> {
        let (place, judge_at) = self.messages.get_mut(&id)?;
        let held = *place;
        match held {
            Place::Sending => return None,
            Place::Ready(turn) => {
                self.ready.remove(&turn);
            }
            Place::Deferred(until, turn, _) => {
                self.deferred.remove(&(until, turn));
            }
        }
        *place = Place::Sending;
        self.judge.remove(&(*judge_at, id));
        Some(Held(held))
    }

    /// Puts a message back where it waited, to be judged again at `judge_at`.
    pub fn release(&mut self, id: Id, held: Held, judge_at: Tick) {
        let Some(message) = self.messages.get_mut(&id) else { return };
        *message = (held.0, judge_at);
        match held.0 {
            Place::Sending => return,
            Place::Ready(turn) => {
                self.ready.insert(turn, id);
            }
            Place::Deferred(until, turn, _) => {
                self.deferred.insert((until, turn), id);
            }
        }
        self.judge.insert((judge_at, id));
    }

    /// What a connection taught about the next hop.
    pub fn learn(&mut self, feedback: Feedback) {
        self.window.learn(feedback);
    }

    /// When something is due here by itself after `now`, once what is due by then was looked at; [`Tick::NEVER`] where
    /// nothing is.
    pub fn next_event(&self, now: Tick) -> Tick {
        let blocked = self.blocked.filter(|_| !self.ready.is_empty()).map(|blocked| blocked.until);
        let deferred = self.deferred.keys().next().map(|(until, _)| *until);
        let judge = self.judge.first().map(|(at, _)| *at);
        let going = [blocked, deferred].into_iter().flatten().filter(|_| !self.suspended);
        going.chain(judge).filter(|at| *at > now).min().unwrap_or(Tick::NEVER)
    }

    /// Whether the next hop has answered nobody for so long that its messages are to be routed again.
    pub fn is_given_up(&self, now: Tick) -> bool {
        let patience = self.settings.max_idle_time_before_resubmit;
        self.blocked.is_some_and(|blocked| now.since(blocked.since) >= patience)
    }

    /// Whether it has been empty for so long that it may go.
    pub fn is_idle(&self, now: Tick) -> bool {
        self.idle_at() <= now
    }

    /// When it may go, if nothing comes until then; [`Tick::NEVER`] while it is in use.
    pub fn idle_at(&self) -> Tick {
        let empty = self.messages.is_empty() && self.connections() == 0 && !self.suspended;
        if empty { self.used.plus(self.settings.queue_max_idle_time) } else { Tick::NEVER }
    }

    /// Its messages, in the order of their identities.
    pub fn messages(&self) -> impl Iterator<Item = Id> {
        self.messages.keys().copied()
    }

    /// Those in a range of identities, in their order.
    pub fn messages_in(&self, range: impl RangeBounds<Id>) -> impl Iterator<Item = Id> {
        self.messages.range(range).map(|(id, _)| *id)
    }

    /// What `queue list` shows.
    pub fn listing(&self, now: Tick) -> Listing {
        let waiting = self.ready.len() + self.deferred.len();
        let failures = self.blocked.and_then(|blocked| blocked.failures);
        Listing {
            state: self.state(now),
            ready: self.ready.len(),
            sending: self.messages.len().saturating_sub(waiting),
            deferred: self.deferred.len(),
            connections: self.connections(),
            connection_limit: self.window.size(),
            last_error: self.last_error.clone(),
            retry_count: self.blocked.map_or(0, |blocked| blocked.retries),
            first_failure: failures.map(|(first, _)| first),
            last_failure: failures.map(|(_, last)| last),
            next_retry: self.next_retry(),
            incoming: self.incoming.last_minute(now),
            outgoing: self.outgoing.last_minute(now),
        }
    }

    fn state(&self, now: Tick) -> QueueState {
        if self.suspended {
            QueueState::Suspended
        } else if self.connections() > 0 {
            QueueState::Active
        } else if self.is_blocked(now) || self.ready.is_empty() && !self.deferred.is_empty() {
            QueueState::Retry
        } else {
            QueueState::Ready
        }
    }

    fn next_retry(&self) -> Option<Tick> {
        let blocked = self.blocked.map(|blocked| blocked.until);
        let deferred = self.deferred.keys().next().map(|(until, _)| *until);
        // A message whose time comes while the next hop answers nobody waits for the next hop.
        blocked.or_else(|| deferred.filter(|_| self.ready.is_empty()))
    }

    fn is_blocked(&self, now: Tick) -> bool {
        self.blocked.is_some_and(|blocked| blocked.until > now)
    }

    fn may_go(&self, now: Tick) -> bool {
        !self.suspended && !self.is_blocked(now)
    }

    /// Makes those ready whose time has come.
    fn wake(&mut self, now: Tick) {
        while let Some((key, id)) = self.deferred.first_key_value().map(|(key, id)| (*key, *id)) {
            if key.0 > now {
                break;
            }
            self.deferred.remove(&key);
            self.make_ready(id);
        }
    }

    /// The next hop answers: what waited for it goes, through a window that is not wider than a first one.
    fn unblock(&mut self) {
        self.in_vain = false;
        if self.blocked.take().is_some_and(|blocked| blocked.failures.is_some()) {
            self.window.restart();
        }
        self.flush();
    }

    /// Makes those ready that were deferred because a connection failed.
    fn flush(&mut self) {
        let waits = |id: &Id| {
            let place = self.messages.get(id).map(|(place, _)| *place);
            matches!(place, Some(Place::Deferred(_, _, Cause::Connection)))
        };
        let (flushed, kept) = std::mem::take(&mut self.deferred).into_iter().partition(|(_, id)| waits(id));
        self.deferred = kept;
        let flushed: BTreeMap<(Tick, u64), Id> = flushed;
        for id in flushed.into_values() {
            self.make_ready(id);
        }
    }

    fn make_ready(&mut self, id: Id) {
        self.turn += 1;
        if let Some((place, judge_at)) = self.messages.get_mut(&id) {
            *place = Place::Ready(self.turn);
            self.judge.insert((*judge_at, id));
            self.ready.insert(self.turn, id);
        }
    }
}

#[cfg(test)]
mod tests;
