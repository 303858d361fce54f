//! What the fair queue promises, in random histories on pretended time (T23): nobody waits while a place is free, everyone
//! is served, and two owners who both wait get what their weights say: over any stretch of time the difference between them
//! is at most a quantum and two of the largest calls for each place, so that of what two of equal weight get together, each
//! gets his half within a quantum and a call for each place.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "tests"
)]

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use proptest::collection::vec;
use proptest::prelude::*;
use weir_throttle::fair::{Arrival, FairBounds, FairQueue, LimitRules, Ticket, Weight};
use weir_units::{Micros, Owner, Tick};

/// An owner's way of asking.
#[derive(Clone, Debug)]
struct Asker {
    weight: u32,
    /// How many of his calls are under way at any time; nothing for one who asks now and then.
    connections: usize,
    /// The time between the calls of one who asks now and then.
    gap: u64,
    /// What his calls cost, in turn.
    costs: Vec<u64>,
    /// How long he does nothing when all his calls have ended; nothing for one who goes on with each at once.
    pause: Option<u64>,
}

fn asker() -> impl Strategy<Value = Asker> {
    let cost = prop_oneof![3 => 1_000_u64..20_000, 1 => 20_000_u64..200_000];
    (1_u32..5, prop_oneof![4 => 2_usize..30, 1 => Just(0)], 5_000_u64..500_000, vec(cost, 1..6))
        .prop_map(|(weight, connections, gap, costs)| Asker { weight, connections, gap, costs, pause: None })
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Happens {
    Ends(usize),
    Arrives(usize),
}

/// A call by its number: whose it is, and its ticket until it has ended.
struct Call {
    whose: usize,
    ticket: Option<Ticket>,
    cost: u64,
}

/// What happened: who was served at what cost, in order of the starts.
struct World {
    askers: Vec<Asker>,
    owners: Vec<Owner>,
    queue: FairQueue<usize>,
    calls: Vec<Call>,
    made: Vec<usize>,
    /// How many of each one's calls have not ended.
    open: Vec<usize>,
    due: BinaryHeap<Reverse<(Tick, Happens)>>,
    served: Vec<(usize, u64)>,
    /// How many had been served whenever one of the first two owners had no call that waited.
    apart: BTreeSet<usize>,
    now: Tick,
    /// Whether nobody asks any more.
    is_closed: bool,
}

impl World {
    fn new(places: u32, askers: Vec<Asker>) -> Self {
        let owners = (0..askers.len()).map(|whose| Owner::new(&whose.to_string())).collect();
        let mut world = Self {
            made: vec![0; askers.len()],
            open: vec![0; askers.len()],
            askers,
            owners,
            queue: FairQueue::new(LimitRules::fixed(places).unwrap(), FairBounds::default()),
            calls: Vec::new(),
            due: BinaryHeap::new(),
            served: Vec::new(),
            apart: BTreeSet::new(),
            now: Tick::START,
            is_closed: false,
        };
        for whose in 0..world.askers.len() {
            for _ in 0..world.askers[whose].connections.max(1) {
                world.due.push(Reverse((Tick::START, Happens::Arrives(whose))));
            }
        }
        world
    }

    /// Runs until so many calls were served, or nothing happens any more.
    fn run(&mut self, until: usize) {
        while self.served.len() < until {
            let Some(Reverse((now, happens))) = self.due.pop() else { return };
            self.now = now;
            match happens {
                Happens::Arrives(whose) => self.arrive(whose),
                Happens::Ends(call) => {
                    let Call { whose, cost, .. } = self.calls[call];
                    let ticket = self.calls[call].ticket.take().unwrap();
                    self.queue.done(ticket, Micros::new(cost), true, now);
                    self.open[whose] -= 1;
                    self.go_on(whose);
                }
            }
            while let Some(woken) = self.queue.next(now) {
                self.start(woken.unwrap());
            }
            let (running, waiting, places) =
                (self.queue.running(), self.queue.waiting(), self.queue.places());
            assert!(running <= places && (waiting == 0 || running == places), "a place is free");
            if self.owners.iter().take(2).any(|owner| self.queue.of(owner).waiting == 0) {
                self.apart.insert(self.served.len());
            }
        }
    }

    /// A call of one who keeps connections busy has ended.
    fn go_on(&mut self, whose: usize) {
        let Asker { connections, pause, .. } = self.askers[whose];
        match pause {
            None if connections > 0 => self.arrive(whose),
            Some(pause) if self.open[whose] == 0 => {
                for _ in 0..connections {
                    self.due.push(Reverse((self.now.plus(Micros::new(pause)), Happens::Arrives(whose))));
                }
            }
            None | Some(_) => {}
        }
    }

    fn arrive(&mut self, whose: usize) {
        if self.is_closed {
            return;
        }
        let asker = &self.askers[whose];
        let cost = asker.costs[self.made[whose] % asker.costs.len()];
        self.made[whose] += 1;
        self.open[whose] += 1;
        if asker.connections == 0 {
            self.due.push(Reverse((self.now.plus(Micros::new(asker.gap)), Happens::Arrives(whose))));
        }
        let number = self.calls.len();
        match self.queue.arrive(&self.owners[whose], Weight::new(asker.weight)) {
            Arrival::Run(ticket) => {
                self.calls.push(Call { whose, ticket: Some(ticket), cost });
                self.start(number);
            }
            Arrival::Wait(ticket) => {
                assert!(!self.queue.look(&ticket, || number));
                self.calls.push(Call { whose, ticket: Some(ticket), cost });
            }
            Arrival::Refuse(_) => {
                self.open[whose] -= 1;
                assert_eq!(asker.connections, 0, "only who asks whatever happens is refused");
            }
        }
    }

    fn start(&mut self, number: usize) {
        let Call { whose, cost, .. } = self.calls[number];
        self.served.push((whose, cost));
        self.due.push(Reverse((self.now.plus(Micros::new(cost)), Happens::Ends(number))));
    }

    /// The most, over all stretches from the start of one call to that of another, by which one owner got more for his
    /// weight than another. Before the first calls nobody waited. Of the first two owners alone, only stretches in which
    /// both always had a call that waited.
    fn widest(&self, one: usize, other: usize, together: bool) -> f64 {
        let (mut ahead, mut least, mut most, mut widest) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        for (number, (whose, cost)) in self.served.iter().enumerate().skip(self.queue.places() as usize) {
            if together && self.apart.contains(&number) {
                (least, most) = (ahead, ahead);
            }
            let share = *cost as f64 / f64::from(self.askers[*whose].weight);
            ahead += if *whose == one {
                share
            } else if *whose == other {
                -share
            } else {
                0.0
            };
            (least, most) = (least.min(ahead), most.max(ahead));
            widest = widest.max(most - least);
        }
        widest
    }

    /// The origin time that the owner got.
    fn got(&self, one: usize) -> u64 {
        self.served.iter().filter(|(whose, _)| *whose == one).map(|(_, cost)| cost).sum()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn two_who_both_wait_get_what_their_weights_say(places in 1_u32..12, askers in vec(asker(), 2..8)) {
        let mut world = World::new(places, askers);
        world.run(2_000);
        let largest = world.calls.iter().map(|call| call.cost).max().unwrap() as f64;
        // Within a round one may have had his quantum and the other not yet; and either may owe a call for each place.
        let bound = largest * (1.0 + 2.0 * f64::from(places));
        // He always has a call that waits, even while one is on its way and the others run.
        let always: Vec<usize> = (0..world.askers.len())
            .filter(|whose| world.askers[*whose].connections > places as usize + 1)
            .collect();
        let pairs = always.iter().flat_map(|one| always.iter().map(move |other| (*one, *other)));
        for (one, other) in pairs.filter(|(one, other)| one < other) {
            let widest = world.widest(one, other, false);
            prop_assert!(widest <= bound, "{widest} µs between {one} and {other}, of at most {bound}");
        }
    }

    #[test]
    fn who_pauses_and_comes_back_with_a_burst_gains_nothing_by_it(
        places in 1_u32..12,
        pause in 100_u64..1_000_000,
        askers in vec(asker(), 2..8),
    ) {
        let mut askers = askers;
        for (asker, pause) in askers.iter_mut().zip([Some(pause), None]) {
            (asker.weight, asker.connections, asker.pause) = (1, asker.connections.max(20), pause);
        }
        let mut world = World::new(places, askers);
        world.run(3_000);
        let largest = world.calls.iter().map(|call| call.cost).max().unwrap() as f64;
        // Each is within a quantum and a call for each place of his half, while both wait.
        let (widest, bound) = (world.widest(0, 1, true), 2.0 * largest * (1.0 + f64::from(places)));
        prop_assert!(widest <= bound, "{widest} µs, of at most {bound}");
        let (pauses, always) = (world.got(0) as f64, world.got(1) as f64);
        prop_assert!(pauses <= always + bound + 4.0 * largest, "{pauses} µs, beside {always} of who never pauses");
    }

    #[test]
    fn when_nobody_asks_any_more_everyone_has_been_served(places in 1_u32..12, askers in vec(asker(), 1..20)) {
        let mut world = World::new(places, askers.clone());
        world.run(500);
        world.is_closed = true;
        world.run(usize::MAX);
        prop_assert_eq!(world.served.len(), world.calls.len());
        for _ in 0..askers.len() {
            assert!(world.queue.next(world.now).is_none());
        }
        prop_assert_eq!((world.queue.running(), world.queue.waiting(), world.queue.owners()), (0, 0, 0));
    }
}
