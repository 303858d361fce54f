//! One origin, its sessions, and the clients on them, on pretended time.
//!
//! What happens next is the earliest of what the clients are about to do and of the packets that the origin is about to
//! finish; the same seeds give the same world.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use weir_throttle::rpc::{Crowd, RpcDecision, RpcLatency, RpcRules, RpcSession};
use weir_units::{Micros, Millis, Tick};

use crate::client::Client;
use crate::origin::Origin;

/// What answers the clients.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Front {
    /// The rules.
    Throttled(RpcRules),
    /// The same rules for owners who may make so many calls at a time.
    Paced(RpcRules, u64),
    /// A script that refuses everything.
    RefusesAll,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The origin has finished a packet, over which it took so long.
    Packet(Micros),
    /// The client of this number makes its request.
    Ask(usize),
}

pub(crate) struct World {
    front: Front,
    pub(crate) origin: Origin,
    pub(crate) latency: RpcLatency,
    sessions: Vec<RpcSession>,
    clients: Vec<Client>,
    agenda: BinaryHeap<Reverse<(Tick, Event)>>,
    pub(crate) now: Tick,
}

impl World {
    pub(crate) fn new(front: Front, origin: Origin) -> Self {
        Self {
            front,
            origin,
            latency: RpcLatency::default(),
            sessions: Vec::new(),
            clients: Vec::new(),
            agenda: BinaryHeap::new(),
            now: Tick::START,
        }
    }

    /// A world by the default rules in which every packet takes so many milliseconds.
    pub(crate) fn pinned(millis: u64) -> Self {
        let mut world = Self::new(Front::Throttled(RpcRules::default()), Origin::Pinned(Micros::ZERO));
        world.pin(millis);
        world
    }

    /// From now on every packet takes so many milliseconds, and the last 1024 did, whatever is under way.
    pub(crate) fn pin(&mut self, millis: u64) {
        let took = Millis::new(millis).micros();
        self.origin = Origin::Pinned(took);
        self.agenda.retain(|Reverse((_, event))| matches!(event, Event::Ask(_)));
        (0..1024).for_each(|_| self.latency.record(took));
    }

    /// A session, which several clients may use: that of each mailbox that it has opened.
    pub(crate) fn session(&mut self) -> usize {
        self.sessions.push(RpcSession::new());
        self.sessions.len() - 1
    }

    /// Lets `client` begin now.
    pub(crate) fn join(&mut self, client: Client) -> usize {
        self.agenda.push(Reverse((self.now, Event::Ask(self.clients.len()))));
        self.clients.push(client);
        self.clients.len() - 1
    }

    pub(crate) fn client(&self, index: usize) -> &Client {
        &self.clients[index]
    }

    pub(crate) fn clients(&self) -> impl Iterator<Item = &Client> {
        self.clients.iter()
    }

    /// All sessions together.
    pub(crate) fn crowd(&self) -> Crowd {
        let mut crowd = Crowd::default();
        for (number, session) in self.sessions.iter().enumerate() {
            crowd.add(&session.state(self.now), || format!("session{number}"));
        }
        crowd
    }

    /// Whatever happens in so many seconds.
    pub(crate) fn run(&mut self, seconds: u64) {
        let end = self.now.plus(Micros::SECOND.times(seconds));
        while let Some((at, event)) = self.next_before(end) {
            self.now = at;
            match event {
                Event::Packet(took) => self.latency.record(took),
                Event::Ask(index) => self.ask(index),
            }
        }
        self.now = end;
    }

    fn next_before(&mut self, end: Tick) -> Option<(Tick, Event)> {
        let Reverse((at, _)) = *self.agenda.peek()?;
        (at < end).then(|| self.agenda.pop()).flatten().map(|Reverse(next)| next)
    }

    fn ask(&mut self, index: usize) {
        let (client, now) = (&mut self.clients[index], self.now);
        let decision = match &self.front {
            Front::Throttled(rules) => {
                self.sessions[client.session].decide(client.batch, self.latency.mean(), rules, now)
            }
            Front::Paced(rules, places) => {
                let latency = Micros::new(self.latency.mean().count() / places);
                self.sessions[client.session].decide(client.batch, latency, rules, now)
            }
            Front::RefusesAll => RpcDecision::BackOff(Millis::new(1)),
        };

        let next = match decision {
            RpcDecision::Pass | RpcDecision::PassOwing { .. } => {
                let took = self.origin.take(client.batch, now);
                self.agenda.push(Reverse((now.plus(took), Event::Packet(took))));
                client.passed(took, now)
            }
            RpcDecision::BackOff(left) => client.refused(left, now),
        };
        self.agenda.extend(next.map(|at| Reverse((at, Event::Ask(index)))));
    }
}
