//! One decision at the gate before an origin, with so many owners known or waiting (T23).
//!
//! `cargo bench -p weir-throttle --bench fair`
//!
//! The gate of an origin has one lock; what a decision takes on one thread is for how long it is held. Two threads that do
//! nothing but ask show what they cost one another.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::as_conversions,
    clippy::panic,
    reason = "a benchmark measures real time, and stops at the first thing that is not as it should be"
)]

mod race;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use race::{DRAWS, Now, Race, THREADS, configured, uniform, zipf};
use weir_throttle::fair::{Arrival, FairBounds, FairGate, FairQueue, LimitRules, Ticket, Weight};
use weir_units::{Micros, Owner, Tick};

const OWNERS: usize = 100_000;
const COST: Micros = Micros::new(5_000);
const BOUNDS: FairBounds =
    FairBounds { per_owner: 100, in_all: 300_000, owners: 200_000, cost_max: Micros::SECOND };

fn owners() -> Vec<Owner> {
    (0..OWNERS).map(|number| Owner::new(&format!("someone.{number}@example.com"))).collect()
}

fn held(arrival: Arrival) -> Ticket {
    match arrival {
        Arrival::Run(ticket) | Arrival::Wait(ticket) => ticket,
        Arrival::Refuse(crowded) => panic!("{crowded}"),
    }
}

/// Calls that come and go: each finds a place, or waits behind everybody and gives up.
fn gate(criterion: &mut Criterion) {
    let owners = owners();
    for (law, keys) in [("uniform", uniform(OWNERS)), ("zipf", zipf(OWNERS))] {
        let drawn: Vec<Owner> = keys.iter().map(|key| owners[*key as usize].clone()).collect();
        let free = FairGate::<()>::new(LimitRules::fixed(u32::MAX).unwrap(), BOUNDS);
        let full = FairGate::<()>::new(LimitRules::fixed(1).unwrap(), BOUNDS);
        for owner in &owners {
            let _waits_for_ever = held(full.arrive(owner, Weight::ONE, |()| {}, Tick::START));
        }
        for threads in THREADS {
            let group = criterion.benchmark_group(format!("{law}/{threads} thread"));
            let mut race = Race { group, threads, now: &Now::default() };
            race.run("arrives, runs and ends", |draw, now| {
                let ticket = held(free.arrive(&drawn[draw], Weight::ONE, |()| {}, now));
                free.done(black_box(ticket), COST, true, |()| {}, now);
            });
            race.run("arrives, waits and gives up", |draw, now| {
                let ticket = held(full.arrive(&drawn[draw], Weight::ONE, |()| {}, now));
                black_box(full.look(&ticket, || ()));
                full.leave(ticket, |()| {}, now);
            });
            race.group.finish();
        }
    }
}

/// Everybody waits: a call ends, the next runs, and its owner's next arrives.
fn queue(criterion: &mut Criterion) {
    for (label, count) in [("10 owners wait", 10), ("100 thousand owners wait", OWNERS)] {
        let owners = owners();
        // The limit is looked for, and stays below the number of calls.
        let limit = LimitRules::new(4, 8, 8, Micros::new(100_000)).unwrap();
        let mut queue = FairQueue::<usize>::new(limit, BOUNDS);
        let mut tickets: Vec<Option<Ticket>> = Vec::new();
        let mut running = Vec::new();
        for call in 0..2 * count + 8 {
            let arrival = queue.arrive(&owners[call % count], Weight::ONE);
            if matches!(arrival, Arrival::Run(_)) {
                running.push(call);
            }
            let ticket = held(arrival);
            queue.look(&ticket, || call);
            tickets.push(Some(ticket));
        }
        let (mut turn, mut micros) = (0, 0);
        criterion.bench_function(label, |bench| {
            bench.iter(|| {
                turn += 1;
                micros += 100;
                let now = Tick::new(micros);
                let ended = running.swap_remove(turn % running.len());
                let cost = Micros::new(1_000 + (turn * 7_919 % DRAWS) as u64 % 9_000);
                queue.done(tickets[ended].take().unwrap(), cost, true, now);
                // One as a rule; more or none where the limit changes.
                while let Some(woken) = queue.next(now) {
                    running.push(woken.unwrap());
                }
                let ticket = held(queue.arrive(&owners[ended % count], Weight::ONE));
                queue.look(&ticket, || ended);
                tickets[ended] = Some(ticket);
            });
        });
    }
}

criterion_group! { name = benches; config = configured(); targets = gate, queue }
criterion_main!(benches);
