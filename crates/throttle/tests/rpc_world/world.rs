//! One origin whose latency is pinned, its sessions, and the clients on them, on pretended time.
//!
//! What happens next is the earliest of what the clients are about to do; the same seed gives the same world.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use weir_throttle::rpc::{RpcDecision, RpcLatency, RpcRules, RpcSession};
use weir_units::{Micros, Millis, Tick};

use crate::client::Client;

/// What answers the clients.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Front {
    /// The rules.
    Throttled,
    /// A script that refuses everything.
    RefusesAll,
}

pub(crate) struct World {
    front: Front,
    latency: RpcLatency,
    pinned: Micros,
    sessions: Vec<RpcSession>,
    clients: Vec<Client>,
    agenda: BinaryHeap<Reverse<(Tick, usize)>>,
    pub(crate) now: Tick,
}

impl World {
    pub(crate) fn new(front: Front) -> Self {
        Self {
            front,
            latency: RpcLatency::default(),
            pinned: Micros::ZERO,
            sessions: Vec::new(),
            clients: Vec::new(),
            agenda: BinaryHeap::new(),
            now: Tick::START,
        }
    }

    /// From now on every packet takes so many milliseconds, and the last 1024 did.
    pub(crate) fn pin(&mut self, millis: u64) {
        self.pinned = Millis::new(millis).micros();
        for _ in 0..1024 {
            self.latency.record(self.pinned);
        }
    }

    /// A session, which several clients may use: that of each mailbox that it has opened.
    pub(crate) fn session(&mut self) -> usize {
        self.sessions.push(RpcSession::new());
        self.sessions.len() - 1
    }

    /// Lets `client` begin now.
    pub(crate) fn join(&mut self, client: Client) -> usize {
        self.agenda.push(Reverse((self.now, self.clients.len())));
        self.clients.push(client);
        self.clients.len() - 1
    }

    pub(crate) fn client(&self, index: usize) -> &Client {
        &self.clients[index]
    }

    /// Whatever happens in so many seconds.
    pub(crate) fn run(&mut self, seconds: u64) {
        let end = self.now.plus(Micros::SECOND.times(seconds));
        while let Some((at, index)) = self.next_before(end) {
            self.now = at;
            if let Some(next) = self.ask(index) {
                self.agenda.push(Reverse((next, index)));
            }
        }
        self.now = end;
    }

    fn next_before(&mut self, end: Tick) -> Option<(Tick, usize)> {
        let Reverse((at, _)) = *self.agenda.peek()?;
        (at < end).then(|| self.agenda.pop()).flatten().map(|Reverse(next)| next)
    }

    /// The client makes its request; answers when it makes the next one.
    fn ask(&mut self, index: usize) -> Option<Tick> {
        let (client, now) = (&mut self.clients[index], self.now);
        let decision = match self.front {
            Front::Throttled => self.sessions[client.session].decide(
                client.batch,
                self.latency.mean(),
                &RpcRules::default(),
                now,
            ),
            Front::RefusesAll => RpcDecision::BackOff(Millis::new(1)),
        };
        match decision {
            RpcDecision::Pass | RpcDecision::PassOwing { .. } => {
                self.latency.record(self.pinned);
                client.passed(self.pinned, now)
            }
            RpcDecision::BackOff(left) => client.refused(left, now),
        }
    }
}
