//! Every interleaving of a few threads at one budget, at the latency of one origin or at its gate, as far as two
//! preemptions reach (T5, T7, T10, T23, R2).
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p weir-throttle --test loom --release`

#![cfg(loom)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::as_conversions,
    clippy::indexing_slicing,
    reason = "tests"
)]

use loom::sync::Arc;
use loom::thread;
use weir_throttle::fair::{Arrival, FairBounds, FairGate, LimitRules, Ticket, Weight};
use weir_throttle::rpc::RpcLatency;
use weir_throttle::{Admission, Budget, Call, ComponentLimits, Rules};
use weir_units::{Component, Micros, Owner, Percent, Tick, TimePart};

fn explore(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.max_branches = 100_000;
    builder.check(model);
}

fn limits() -> ComponentLimits {
    let mut limits = ComponentLimits::unlimited(Component::Ews);
    limits.max_concurrency = Some(2);
    limits.find_count = Some(10);
    limits
}

fn admitted(budget: &Budget, limits: &ComponentLimits, now: Tick) -> Option<Call> {
    match budget.admit(limits, &Rules::default(), now) {
        Admission::Run(call) | Admission::Wait(call, _) => Some(call),
        Admission::Refuse(_) => None,
    }
}

fn used(budget: &Budget, part: TimePart, now: Tick) -> u64 {
    budget.snapshot(&limits(), now).time[part.index()].used.count()
}

/// The rounding of the samples at both ends of the minute.
const ROUNDING: u64 = 300;

#[test]
fn of_three_racers_exactly_two_are_admitted_and_nothing_leaks() {
    explore(|| {
        let budget = Arc::new(Budget::new());
        let racers: Vec<_> = (0..2)
            .map(|_| {
                let budget = Arc::clone(&budget);
                thread::spawn(move || admitted(&budget, &limits(), Tick::START))
            })
            .collect();
        let mut calls = vec![admitted(&budget, &limits(), Tick::START)];
        calls.extend(racers.into_iter().map(|racer| racer.join().unwrap()));
        let admitted: Vec<Call> = calls.into_iter().flatten().collect();
        assert_eq!(admitted.len(), 2);
        for call in admitted {
            let _ = budget.end(call, Tick::START);
        }
        assert!(budget.is_idle(Micros::ZERO, Tick::START.plus(Micros::MINUTE.times(2))));
    });
}

#[test]
fn a_place_and_the_lone_hand_pass_from_call_to_call_and_no_time_is_lost() {
    explore(|| {
        let budget = Arc::new(Budget::new());
        let one = ComponentLimits { max_concurrency: Some(1), ..limits() };
        let pass = move |budget: &Budget| {
            let call = admitted(budget, &one, Tick::START);
            call.map(|call| budget.end(call, Tick::new(1_000_000)))
        };
        let other = {
            let budget = Arc::clone(&budget);
            thread::spawn(move || pass(&budget))
        };
        let passed = [pass(&budget), other.join().unwrap()].iter().flatten().count();
        assert!(passed > 0, "one of two passes at least");
        let now = Tick::new(1_000_000);
        let last = admitted(&budget, &one, now).expect("all others have ended");
        let _ = budget.end(last, Tick::new(2_000_000));
        let (seen, spent) =
            (used(&budget, TimePart::Cas, Tick::new(2_000_000)), (passed as u64 + 1) * 1_000_000);
        assert!(seen.abs_diff(spent) <= ROUNDING, "{seen} µs of {spent} µs");
    });
}

#[test]
fn calls_that_end_while_a_slice_is_folded_lose_no_time() {
    explore(|| {
        let budget = Arc::new(Budget::new());
        let start = Tick::new(4_000_000);
        let first = admitted(&budget, &limits(), start).unwrap();
        let second = admitted(&budget, &limits(), start).unwrap();
        let end = Tick::new(6_000_000);
        let other = {
            let budget = Arc::clone(&budget);
            thread::spawn(move || budget.end(second, end))
        };
        let _ = budget.end(first, end);
        other.join().unwrap();
        let seen = used(&budget, TimePart::Cas, end);
        assert!(seen.abs_diff(4_000_000) <= ROUNDING, "{seen} µs of two calls of two seconds");
        let later = used(&budget, TimePart::Cas, Tick::new(64_000_000));
        assert!(
            later.abs_diff(2_400_000) <= ROUNDING,
            "{later} µs are left when most of the first slice expired"
        );
        assert!(used(&budget, TimePart::Cas, Tick::new(70_000_000)) <= ROUNDING);
    });
}

#[test]
fn a_reader_that_meets_a_fold_after_a_long_gap_sees_at_most_the_last_minute() {
    explore(|| {
        let budget = Arc::new(Budget::new());
        let mut call = admitted(&budget, &limits(), Tick::START).unwrap();
        let now = Tick::new(600_000_000);
        let reader = {
            let budget = Arc::clone(&budget);
            thread::spawn(move || used(&budget, TimePart::Cas, now))
        };
        budget.enter(&mut call, TimePart::Ad, now);
        let seen = reader.join().unwrap();
        assert!(seen <= 60_000_000 + ROUNDING, "{seen} µs of a call of ten minutes");
        let after = used(&budget, TimePart::Cas, now);
        assert!(after.abs_diff(60_000_000) <= ROUNDING, "{after} µs of a call of ten minutes");
        let _ = budget.end(call, now);
    });
}

#[test]
fn the_find_count_is_exact_when_two_take_what_is_left() {
    explore(|| {
        let budget = Arc::new(Budget::new());
        let take = |budget: &Budget| {
            let mut call = admitted(budget, &limits(), Tick::START).unwrap();
            let taken = budget.take_found(&mut call, &limits(), 7, 0);
            (call, taken)
        };
        let other = {
            let budget = Arc::clone(&budget);
            thread::spawn(move || take(&budget))
        };
        let (mine, first) = take(&budget);
        let (theirs, second) = other.join().unwrap();
        assert_eq!(first + second, 10);
        for call in [mine, theirs] {
            let _ = budget.end(call, Tick::START);
        }
        assert_eq!(budget.find_left(&limits()), Some(10));
    });
}

#[test]
fn a_waiter_that_gives_up_while_another_joins_leaves_the_line_whole() {
    explore(|| {
        let budget = Arc::new(Budget::new());
        let mut limits = ComponentLimits::unlimited(Component::Ews);
        limits.time = [None, Some(Percent::new(5).of_minute()), None, None];
        let spender = admitted(&budget, &limits, Tick::START).unwrap();
        let now = Tick::new(3_000_000);
        let _ = budget.end(spender, now);
        let other = {
            let budget = Arc::clone(&budget);
            thread::spawn(move || {
                let call = admitted(&budget, &limits, now).unwrap();
                assert!(call.is_waiting());
                budget.end(call, now)
            })
        };
        let mine = admitted(&budget, &limits, now).unwrap();
        assert!(mine.is_waiting());
        other.join().unwrap();
        assert_eq!(budget.snapshot(&limits, now).waiting, 1);
        let _ = budget.end(mine, now);
        assert_eq!(budget.snapshot(&limits, now).waiting, 0);
    });
}

#[test]
fn packets_that_meet_in_one_place_of_the_ring_are_added_once_and_taken_away_once() {
    explore(|| {
        let latency = Arc::new(RpcLatency::<2>::new());
        latency.record(Micros::new(1_000));
        latency.record(Micros::new(1_000));
        let others: Vec<_> = [[10, 20], [40, 80]]
            .map(|packets| {
                let latency = Arc::clone(&latency);
                thread::spawn(move || packets.into_iter().for_each(|took| latency.record(Micros::new(took))))
            })
            .into();
        others.into_iter().for_each(|other| other.join().unwrap());
        // Of four packets two are left, and which depends on who came when: but none of those before.
        let sums = [10 + 20, 10 + 40, 10 + 80, 20 + 40, 20 + 80, 40 + 80];
        assert!(sums.contains(&(latency.mean().count() * 2)), "{:?}", latency.mean());
        assert_eq!(latency.packets(), 6);
    });
}

#[test]
fn a_reader_never_sees_a_packet_that_is_not_counted() {
    explore(|| {
        let latency = Arc::new(RpcLatency::<4>::new());
        let others: Vec<_> = (0..2)
            .map(|_| {
                let latency = Arc::clone(&latency);
                thread::spawn(move || latency.record(Micros::new(100)))
            })
            .collect();
        let seen = latency.mean().count();
        assert!([0, 50, 100].contains(&seen), "{seen} µs where every packet took 100");
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(latency.mean(), Micros::new(100));
    });
}

/// A gate with one place, and what wakes calls there: the number of the call.
type Gate = FairGate<usize>;

fn arrive(gate: &Gate, whose: &str, woken: &mut Vec<usize>) -> (Ticket, bool) {
    match gate.arrive(&Owner::new(whose), Weight::ONE, |call| woken.push(call), Tick::START) {
        Arrival::Run(ticket) => (ticket, true),
        Arrival::Wait(ticket) => (ticket, false),
        Arrival::Refuse(crowded) => panic!("{crowded}"),
    }
}

#[test]
fn a_call_that_waits_is_woken_once_or_sees_that_it_runs() {
    explore(|| {
        let gate = Arc::new(Gate::new(
            LimitRules::fixed(1).unwrap(),
            FairBounds { in_all: 4, owners: 4, ..FairBounds::default() },
        ));
        let mut woken = Vec::new();
        let (first, runs) = arrive(&gate, "john", &mut woken);
        assert!(runs);
        let waiter = {
            let gate = Arc::clone(&gate);
            thread::spawn(move || {
                let mut woken = Vec::new();
                let (ticket, ran_at_once) = arrive(&gate, "jane", &mut woken);
                let runs = gate.look(&ticket, || 1) || ran_at_once;
                (ticket, runs, woken)
            })
        };
        let leaver = {
            let gate = Arc::clone(&gate);
            thread::spawn(move || {
                let mut woken = Vec::new();
                let (ticket, _) = arrive(&gate, "ken", &mut woken);
                gate.leave(ticket, |call| woken.push(call), Tick::START);
                woken
            })
        };
        gate.done(first, Micros::SECOND, true, |call| woken.push(call), Tick::START);
        let (ticket, saw, woken_by_waiter) = waiter.join().unwrap();
        woken.extend(woken_by_waiter);
        woken.extend(leaver.join().unwrap());
        assert_eq!(woken, if saw { vec![] } else { vec![1] });
        gate.done(ticket, Micros::SECOND, true, |_| panic!("nobody waits"), Tick::START);
        assert_eq!((gate.load().running, gate.load().waiting), (0, 0));
    });
}
