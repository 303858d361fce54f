//! One MAPI session: whether its next request passes or is told to back off (R4, R7, R9, R10).
//!
//! A session is one whatever mailboxes it opens, and so is its queue: while it owes, every request is refused, for
//! whichever mailbox. Outside of that a request passes. It is judged by what the session did before – its own
//! operations come on top – and owes if that outran the origin. So a session that is left alone until it is too fast is
//! let through at the pace of the origin from then on, until its last minute is slow enough again or the origin faster.
//!
//! Each session has a lock of its own, which is free as a rule, since a client makes one call at a time. Nothing here is
//! shared by sessions: the origin's latency is handed in, and what all sessions add up to is counted by whoever asks.

use std::sync::PoisonError;

use weir_units::{Micros, Millis, Tick};

use super::factor::RpcRules;
use super::queue::BackoffQueue;
use super::rate::{RopRate, RopsInMinute};
use crate::sync::{Mutex, MutexGuard};

/// What a request is told.
#[must_use = "a request that is told to back off is not to reach the origin"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RpcDecision {
    /// It goes to the origin.
    Pass,
    /// It goes to the origin, and from now on the session backs off.
    PassOwing {
        /// For how long in all.
        debt: Micros,
    },
    /// It is refused, and the client may come again after so many milliseconds, 1–2000. The origin sees nothing of it.
    BackOff(Millis),
}

/// The account of one MAPI session.
#[derive(Debug)]
pub struct RpcSession(Mutex<Account>);

#[derive(Debug)]
struct Account {
    rate: RopRate,
    queue: BackoffQueue,
    rops: u64,
    backoffs: u64,
    handed_out: Millis,
    last_request: Option<Tick>,
}

/// A session at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionState {
    /// Operations passed in the last minute.
    pub last_minute: RopsInMinute,
    /// Operations ever passed.
    pub rops: u64,
    /// Requests ever refused, each of them a back-off that the client was sent.
    pub backoffs: u64,
    /// The milliseconds of all those.
    pub handed_out: Millis,
    /// What the session owes yet; zero outside any period.
    pub debt: Micros,
    /// Whether it asked anything in the last minute.
    pub active: bool,
    /// Whether it owed something in the last minute.
    pub backed_off: bool,
}

impl RpcSession {
    /// A session that has asked nothing yet.
    pub fn new() -> Self {
        Self(Mutex::new(Account {
            rate: RopRate::default(),
            queue: BackoffQueue::EMPTY,
            rops: 0,
            backoffs: 0,
            handed_out: Millis::new(0),
            last_request: None,
        }))
    }

    /// Decides at `now` about a request of `rops` operations to an origin whose RPC average latency is `latency`.
    ///
    /// Operations are those that count: a request that has none, or that only releases, is never refused (R15), and is
    /// handed in as one of zero. Those of a request that passes are counted here. A factor of 0 forgives what is owed.
    pub fn decide(&self, rops: u32, latency: Micros, rules: &RpcRules, now: Tick) -> RpcDecision {
        self.lock().decide(rops, latency, rules, now)
    }

    /// Counts the `rops` operations of a request that was told to back off and goes to the origin all the same, as
    /// where nothing is enforced (T20).
    pub fn pass_anyway(&self, rops: u32, now: Tick) {
        self.lock().pass(rops, now);
    }

    /// What a request at `now` is told of whom it is not proved yet that the session is his (T8): how long the entry of
    /// its queue that is under way still lasts. Nothing is counted.
    pub fn owes(&self, now: Tick) -> Option<Millis> {
        self.lock().queue.left(now).map(Micros::ceil_millis)
    }

    /// The session at `now`.
    pub fn state(&self, now: Tick) -> SessionState {
        let account = self.lock();
        let lately = |then: Option<Tick>| then.is_some_and(|then| now.since(then) < Micros::MINUTE);
        SessionState {
            last_minute: account.rate.last_minute(now),
            rops: account.rops,
            backoffs: account.backoffs,
            handed_out: account.handed_out,
            debt: account.queue.debt(now),
            active: lately(account.last_request),
            backed_off: lately(account.queue.until()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for RpcSession {
    fn default() -> Self {
        Self::new()
    }
}

impl Account {
    #[inline]
    fn decide(&mut self, rops: u32, latency: Micros, rules: &RpcRules, now: Tick) -> RpcDecision {
        self.last_request = Some(now);
        if rules.factor.is_off() {
            self.queue = BackoffQueue::EMPTY;
        }
        if rops == 0 {
            return RpcDecision::Pass;
        }
        if let Some(left) = self.queue.left(now) {
            return self.refuse(left.ceil_millis());
        }
        let outruns = self.rate.last_minute(now).outruns(latency);
        self.pass(rops, now);
        match rules.backoff(latency).filter(|_| outruns) {
            Some(each) => RpcDecision::PassOwing { debt: self.queue.owe(rops, each, now) },
            None => RpcDecision::Pass,
        }
    }

    fn pass(&mut self, rops: u32, now: Tick) {
        self.rate.add(rops, now);
        self.rops = self.rops.saturating_add(u64::from(rops));
    }

    fn refuse(&mut self, left: Millis) -> RpcDecision {
        self.backoffs = self.backoffs.saturating_add(1);
        self.handed_out = Millis::new(self.handed_out.count().saturating_add(left.count()));
        RpcDecision::BackOff(left)
    }
}

#[cfg(test)]
mod tests;
