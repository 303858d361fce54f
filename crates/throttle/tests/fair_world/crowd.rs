//! People who ask now and then, and flooders who ask as fast as they can, at one origin behind the fair queue.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use weir_throttle::fair::{Arrival, FairBounds, FairQueue, LimitRules, Ticket, Weight};
use weir_units::{Micros, Owner, Tick};

use crate::origin::Origin;
use crate::random::Random;

/// People, and the mean time between the calls of each.
const PEOPLE: usize = 20;
const GAP: Micros = Micros::new(200_000);
/// The connections of a flooder.
const CONNECTIONS: usize = 32;
/// The way of an answer and of the next call.
const WAY: Micros = Micros::new(200);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Happens {
    Ends(usize, bool),
    /// A call of that owner arrives.
    Arrives(usize),
}

struct Call {
    whose: usize,
    due: Tick,
    began: Tick,
    ticket: Option<Ticket>,
}

pub(crate) struct Crowd {
    pub(crate) origin: Origin,
    pub(crate) queue: FairQueue<usize>,
    owners: Vec<Owner>,
    /// How much dearer a flooder's call is.
    times: u64,
    calls: Vec<Call>,
    due: BinaryHeap<Reverse<(Tick, Happens)>>,
    random: Random,
    now: Tick,
    /// When people's calls were due, and how long they took from then on.
    pub(crate) took: Vec<(Tick, Micros)>,
    /// When calls of flooders were answered, and of which.
    pub(crate) floods: Vec<(Tick, usize)>,
    pub(crate) refused: usize,
}

impl Crowd {
    pub(crate) fn new(origin: Origin, limit: LimitRules, times: u64, seed: u64) -> Self {
        let mut crowd = Self {
            origin,
            queue: FairQueue::new(limit, FairBounds::default()),
            owners: (0..100).map(|number| Owner::new(&number.to_string())).collect(),
            times,
            calls: Vec::new(),
            due: BinaryHeap::new(),
            random: Random::new(seed),
            now: Tick::START,
            took: Vec::new(),
            floods: Vec::new(),
            refused: 0,
        };
        for person in 0..PEOPLE {
            let first = Tick::START.plus(crowd.random.exponential(GAP));
            crowd.due.push(Reverse((first, Happens::Arrives(person))));
        }
        crowd
    }

    /// So many flooders come, the first of that number.
    pub(crate) fn flood(&mut self, first: usize, flooders: usize) {
        for call in 0..flooders * CONNECTIONS {
            let whose = PEOPLE + first + call / CONNECTIONS;
            self.due.push(Reverse((self.now.plus(WAY), Happens::Arrives(whose))));
        }
    }

    pub(crate) fn run(&mut self, until: Tick) {
        while let Some(Reverse((now, happens))) = self.due.peek().copied().filter(|due| due.0.0 < until) {
            self.due.pop();
            self.now = now;
            match happens {
                Happens::Arrives(whose) => self.arrive(whose),
                Happens::Ends(call, answered) => self.end(call, answered),
            }
            while let Some(woken) = self.queue.next(now) {
                self.start(woken.unwrap());
            }
        }
        self.now = until;
    }

    fn arrive(&mut self, whose: usize) {
        let (now, number) = (self.now, self.calls.len());
        if whose < PEOPLE {
            let next = now.plus(self.random.exponential(GAP));
            self.due.push(Reverse((next, Happens::Arrives(whose))));
        }
        let (ticket, runs) = match self.queue.arrive(&self.owners[whose], Weight::ONE) {
            Arrival::Run(ticket) => (ticket, true),
            Arrival::Wait(ticket) => (ticket, false),
            Arrival::Refuse(_) => {
                self.refused += 1;
                return;
            }
        };
        let runs = self.queue.look(&ticket, || number) && runs;
        self.calls.push(Call { whose, due: now, began: now, ticket: Some(ticket) });
        if runs {
            self.start(number);
        }
    }

    fn start(&mut self, number: usize) {
        let call = &mut self.calls[number];
        call.began = self.now;
        let times = if call.whose < PEOPLE { 1 } else { self.times };
        let took = self.origin.take(times, self.queue.running(), self.now);
        let end = self.now.plus(took.unwrap_or(Micros::new(50)));
        self.due.push(Reverse((end, Happens::Ends(number, took.is_some()))));
    }

    fn end(&mut self, number: usize, answered: bool) {
        let (now, call) = (self.now, &mut self.calls[number]);
        let ticket = call.ticket.take().unwrap();
        self.queue.done(ticket, now.since(call.began), answered, now);
        if call.whose < PEOPLE {
            self.took.push((call.due, now.since(call.due)));
        } else {
            self.floods.push((now, call.whose - PEOPLE));
            self.due.push(Reverse((now.plus(WAY), Happens::Arrives(call.whose))));
        }
    }

    /// What so many of a thousand of the people's calls that were due in that span took at most.
    pub(crate) fn quantile(&self, of_thousand: usize, from: Tick, until: Tick) -> Micros {
        let due = self.took.iter().filter(|(due, _)| (from..until).contains(due));
        let mut took: Vec<Micros> = due.map(|(_, took)| *took).collect();
        took.sort_unstable();
        took.get((took.len() * of_thousand / 1_000).min(took.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    }

    /// How many calls a second of flooders were answered in that span.
    pub(crate) fn flood_rate(&self, from: Tick, until: Tick) -> f64 {
        let answered = self.floods.iter().filter(|(at, _)| (from..until).contains(at)).count();
        answered as f64 * 1e6 / until.since(from).count() as f64
    }

    /// How many calls a second people made in that span.
    pub(crate) fn people_rate(&self, from: Tick, until: Tick) -> f64 {
        let due = self.took.iter().filter(|(due, _)| (from..until).contains(due)).count();
        due as f64 * 1e6 / until.since(from).count() as f64
    }
}
