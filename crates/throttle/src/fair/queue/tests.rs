use super::*;

const NOW: Tick = Tick::new(1_000_000);
const COST: Micros = Micros::new(10_000);

fn owner(number: usize) -> Owner {
    Owner::new(&format!("owner{number}"))
}

/// A queue, and the tickets of calls by the number of their arrival; it wakes a call by that number.
struct Calls {
    queue: FairQueue<usize>,
    tickets: Vec<Option<Ticket>>,
    owners: Vec<usize>,
    /// The calls that run, in the order in which they began.
    running: Vec<usize>,
}

impl Calls {
    fn new(places: u32, bounds: FairBounds) -> Self {
        let queue = FairQueue::new(LimitRules::fixed(places).unwrap(), bounds);
        Self { queue, tickets: Vec::new(), owners: Vec::new(), running: Vec::new() }
    }

    /// A call of the owner; its number, if it was not refused.
    fn arrive(&mut self, whose: usize) -> Result<usize, Crowded> {
        let number = self.tickets.len();
        let ticket = match self.queue.arrive(&owner(whose), Weight::ONE) {
            Arrival::Run(ticket) => {
                self.running.push(number);
                ticket
            }
            Arrival::Wait(ticket) => {
                assert!(!self.queue.look(&ticket, || number));
                ticket
            }
            Arrival::Refuse(crowded) => return Err(crowded),
        };
        self.tickets.push(Some(ticket));
        self.owners.push(whose);
        Ok(number)
    }

    /// Hands places out; the owners whose calls run for it.
    fn wake(&mut self, now: Tick) -> Vec<usize> {
        let mut woken = Vec::new();
        while let Some(next) = self.queue.next(now) {
            let number = next.unwrap();
            self.running.push(number);
            woken.push(self.owners[number]);
        }
        woken
    }

    fn leave(&mut self, number: usize) {
        self.running.retain(|running| *running != number);
        self.queue.leave(self.tickets[number].take().unwrap());
    }

    /// The running call at that place of the list ends.
    fn done(&mut self, at: usize, cost: Micros, now: Tick) -> Vec<usize> {
        let number = self.running.remove(at);
        self.queue.done(self.tickets[number].take().unwrap(), cost, true, now);
        self.wake(now)
    }
}

#[test]
fn a_call_runs_while_a_place_is_free_and_waits_from_then_on() {
    let mut calls = Calls::new(2, FairBounds::default());
    for whose in [1, 1, 2, 1] {
        calls.arrive(whose).unwrap();
    }
    assert_eq!((calls.queue.running(), calls.queue.waiting()), (2, 2));
    assert_eq!(calls.queue.of(&owner(1)), Holding { running: 2, waiting: 1, ahead: Micros::ZERO });
    assert_eq!(calls.done(0, COST, NOW), [2], "who has one call goes before whose other call ran");
    assert_eq!(calls.done(0, COST, NOW), [1]);
    assert!(calls.done(0, COST, NOW).is_empty());
    assert!(calls.done(0, COST, NOW).is_empty());
    assert_eq!((calls.queue.running(), calls.queue.waiting(), calls.queue.owners()), (0, 0, 0));
}

#[test]
fn whoever_gives_up_leaves_nothing_behind() {
    let mut calls = Calls::new(1, FairBounds::default());
    let numbers: Vec<usize> = [1, 2, 2, 2, 3].map(|whose| calls.arrive(whose).unwrap()).to_vec();
    calls.leave(numbers[2]);
    calls.leave(numbers[4]);
    assert_eq!((calls.queue.waiting(), calls.queue.owners()), (2, 2));
    assert_eq!(calls.done(0, COST, NOW), [2]);
    // Its turn has come, and nobody is there to take it.
    calls.leave(numbers[1]);
    assert_eq!(calls.wake(NOW), [2]);
    calls.leave(numbers[3]);
    assert_eq!((calls.queue.running(), calls.queue.waiting(), calls.queue.owners()), (0, 0, 0));
}

#[test]
fn each_bound_refuses_and_refusals_leave_nothing_behind() {
    let mut calls = Calls::new(1, FairBounds { per_owner: 2, in_all: 3, owners: 4, ..FairBounds::default() });
    for whose in [0, 1, 1] {
        calls.arrive(whose).unwrap();
    }
    assert_eq!(calls.arrive(1), Err(Crowded::Owner { limit: 2 }));
    calls.arrive(2).unwrap();
    assert_eq!(calls.arrive(2), Err(Crowded::All { limit: 3 }));
    assert_eq!(calls.arrive(3), Err(Crowded::All { limit: 3 }));
    assert_eq!(calls.queue.owners(), 3);
    let mut calls = Calls::new(1, FairBounds { owners: 2, ..FairBounds::default() });
    for whose in [0, 1] {
        calls.arrive(whose).unwrap();
    }
    assert_eq!(calls.arrive(2), Err(Crowded::Owners { limit: 2 }));
}

#[test]
fn a_call_that_must_not_be_refused_runs_beyond_the_limit() {
    let mut calls = Calls::new(1, FairBounds { owners: 1, ..FairBounds::default() });
    calls.arrive(0).unwrap();
    calls.arrive(0).unwrap();
    let extra = [0, 1].map(|whose| calls.queue.run_anyway(&owner(whose), Weight::ONE));
    assert_eq!(calls.queue.running(), 3);
    assert!(calls.done(0, COST, NOW).is_empty());
    for ticket in extra {
        calls.queue.done(ticket, COST, true, NOW);
    }
    assert_eq!(calls.wake(NOW), [0]);
    assert_eq!((calls.queue.running(), calls.queue.owners()), (1, 1));
}

#[test]
fn more_places_let_more_run_and_fewer_let_those_that_run_go_on() {
    let mut calls = Calls::new(1, FairBounds::default());
    for whose in 0..6 {
        calls.arrive(whose).unwrap();
    }
    calls.queue.set_limit(LimitRules::fixed(4).unwrap());
    assert_eq!(calls.wake(NOW), [1, 2, 3]);
    calls.queue.set_limit(LimitRules::fixed(2).unwrap());
    assert_eq!(calls.queue.running(), 4);
    assert!(calls.done(0, COST, NOW).is_empty());
    assert!(calls.done(0, COST, NOW).is_empty());
    assert_eq!(calls.done(0, COST, NOW), [4]);
}

#[test]
fn ten_thousand_connections_of_one_owner_delay_nobody_else() {
    let mut calls = Calls::new(4, FairBounds::default());
    let refused = (0..10_000).filter(|_| calls.arrive(0).is_err()).count();
    assert_eq!(refused, 10_000 - 104);
    for person in 1..50 {
        calls.arrive(person).unwrap();
        assert_eq!(calls.done(0, COST, NOW), [person]);
        calls.arrive(0).unwrap_err();
    }
}

#[test]
fn a_weight_of_three_gets_three_times_as_much() {
    let mut queue = FairQueue::new(LimitRules::fixed(1).unwrap(), FairBounds::default());
    let mut tickets = Vec::new();
    for number in 0..200 {
        let weight = if number % 2 == 0 { Weight::new(3) } else { Weight::ONE };
        let arrival = queue.arrive(&owner(number % 2), weight);
        let (Arrival::Run(ticket) | Arrival::Wait(ticket)) = arrival else { panic!("there is room") };
        queue.look(&ticket, || number);
        tickets.push(Some(ticket));
    }
    let (mut number, mut heavy) = (0, 0);
    for _ in 0..100 {
        queue.done(tickets[number].take().unwrap(), COST, true, NOW);
        number = queue.next(NOW).unwrap().unwrap();
        heavy += usize::from(number % 2 == 0);
    }
    assert!((73..=77).contains(&heavy), "{heavy} of 100");
}

/// Whether a call is one of the few that are dear, and what it costs, by chance.
fn cost(seed: &mut u64) -> Micros {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let dear = *seed >> 60 == 0;
    Micros::new(if dear { 900_000 } else { 1_000 + (*seed >> 50) })
}

#[test]
fn a_decision_takes_a_few_steps_whoever_waits_and_whatever_calls_cost() {
    for (owners, gap) in [(10, 12_000_000), (1_000, 120_000), (100_000, 1_200)] {
        let bounds = FairBounds { in_all: 200_000, owners: 200_000, ..FairBounds::default() };
        let mut calls = Calls::new(8, bounds);
        for whose in 0..owners {
            calls.arrive(whose).unwrap();
        }
        let (mut now, mut seed, mut decisions) = (NOW, 1, 0);
        for round in 0..6 {
            for _ in 0..owners {
                // In every other round no call is dear, and a minute after it the quantum is a fiftieth.
                let cost = cost(&mut seed).min(Micros::new(if round % 2 == 0 { 900_000 } else { 20_000 }));
                now = now.plus(Micros::new(gap));
                for whose in calls.done(usize::try_from(seed >> 33).unwrap() % 8, cost, now) {
                    calls.arrive(whose).unwrap();
                }
                decisions += 1;
            }
        }
        let steps = calls.queue.rounds.steps;
        assert!(steps <= 3 * decisions, "{steps} steps for {decisions} decisions, {owners} owners");
    }
}

#[test]
fn whoever_leaves_takes_a_few_steps_too() {
    let bounds = FairBounds { per_owner: 100_000, in_all: 100_000, ..FairBounds::default() };
    let mut calls = Calls::new(1, bounds);
    let numbers: Vec<usize> = (0..50_000).map(|call| calls.arrive(call % 2).unwrap()).collect();
    for number in numbers.iter().skip(1).step_by(3) {
        calls.leave(*number);
    }
    let mut served = calls.owners.len();
    while !calls.running.is_empty() {
        calls.done(0, COST, NOW);
        served -= 1;
    }
    assert_eq!(served, 16_667, "those that left");
}
