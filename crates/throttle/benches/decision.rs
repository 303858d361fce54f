//! What a decision costs: the whole of ours – a place, four time parts, the find count, and the end – beside one
//! limit of `governor`'s keyed limiter, in one run.
//!
//! `cargo bench -p weir-throttle --bench decision`
//!
//! The keys are drawn before the clock starts: uniform, or by Zipf's law with exponent 1 over shuffled ranks. Ours is
//! handed an account, as a session has one at hand, and `now`, which runs as fast as a real clock; `governor` looks its
//! key up each time, as it must, and reads its own clock, so it is measured with a pretended clock as well.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::as_conversions,
    clippy::trivially_copy_pass_by_ref,
    reason = "a benchmark measures real time, and stops at the first thing that is not as it should be"
)]

mod race;

use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use governor::clock::{Clock, DefaultClock, FakeRelativeClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use race::{Now, Race, Random, THREADS, configured, uniform, zipf};
use weir_throttle::{Account, Admission, Budgets, ComponentLimits, Rules};
use weir_units::{Component, Micros, Owner, Tick, TimePart};

const OWNERS: [(&str, usize); 2] = [("10k", 10_000), ("1M", 1_000_000)];

type Ours = Vec<Arc<Account<()>>>;
type Theirs<K, C> = RateLimiter<K, DefaultKeyedStateStore<K>, C, NoOpMiddleware<<C as Clock>::Instant>>;

fn name(index: usize) -> String {
    format!("user.{index:07}@example.com")
}

/// Limits on every part, none of which is ever reached.
fn limits() -> ComponentLimits {
    let mut limits = ComponentLimits::unlimited(Component::Ews);
    limits.max_concurrency = Some(10);
    limits.time = [Some(Micros::MINUTE.times(10_000)); 4];
    limits.find_count = Some(1000);
    limits
}

/// The whole decision: admission, three phases within the call, a find, and the end.
#[inline(never)]
fn decide(account: &Account<()>, limits: &ComponentLimits, rules: &Rules, now: Tick) {
    let budget = &account.budget;
    let Admission::Run(mut call) = budget.admit(limits, rules, now) else { panic!("refused") };
    let micro = |n| Tick::new(now.micros() + n);
    budget.enter(&mut call, TimePart::Ad, micro(1));
    budget.enter(&mut call, TimePart::AddressBook, micro(2));
    budget.enter(&mut call, TimePart::MailboxRpc, micro(3));
    budget.leave(&mut call, micro(4));
    let left = budget.find_left(limits);
    budget.charge_found(&mut call, left.unwrap_or(10).min(10));
    black_box(budget.end(call, micro(5)));
}

/// The memory of this process in bytes.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

fn ours(owners: usize) -> (Budgets<()>, Ours) {
    let names: Vec<Owner> = (0..owners).map(|index| Owner::new(&name(index))).collect();
    let before = resident();
    let budgets = Budgets::new(owners);
    let open = |owner: &Owner| budgets.of(owner, Component::Ews, Tick::START).unwrap();
    let mut accounts = Vec::with_capacity(owners);
    for owner in &names {
        accounts.push(open(owner));
    }
    let handles = (owners * size_of::<Arc<Account<()>>>()) as u64;
    let each = resident().saturating_sub(before + handles) / owners as u64;
    println!("an account with its budget takes {} bytes", size_of::<Account<()>>());
    println!("bytes per idle budget at {owners} owners, with its table entry, without its name: {each}");
    (budgets, accounts)
}

fn theirs<K: Clone + Eq + std::hash::Hash, C: Clock>(keys: &[K], clock: C) -> Theirs<K, C> {
    let quota = Quota::per_second(NonZeroU32::new(1_000_000).unwrap());
    let limiter = RateLimiter::new(quota, DefaultKeyedStateStore::default(), clock);
    for key in keys {
        limiter.check_key(key).unwrap();
    }
    limiter
}

/// Everything that is measured, for one number of owners.
struct World {
    label: &'static str,
    owners: usize,
    _budgets: Budgets<()>,
    accounts: Ours,
    names: Vec<String>,
    by_number: Theirs<u64, DefaultClock>,
    by_number_untimed: Theirs<u64, FakeRelativeClock>,
    by_name: Theirs<String, DefaultClock>,
    now: Now,
}

impl World {
    fn new((label, owners): (&'static str, usize)) -> Self {
        let (budgets, accounts) = ours(owners);
        let numbers: Vec<u64> = (0..owners as u64).collect();
        let names: Vec<String> = (0..owners).map(name).collect();
        let by_number = theirs(&numbers, DefaultClock::default());
        let by_number_untimed = theirs(&numbers, FakeRelativeClock::default());
        let by_name = theirs(&names, DefaultClock::default());
        let now = Now::default();
        Self { label, owners, _budgets: budgets, accounts, names, by_number, by_number_untimed, by_name, now }
    }

    fn race(&self, criterion: &mut Criterion, law: &str, keys: &[u32], threads: usize) {
        let handles: Ours = keys.iter().map(|key| Arc::clone(&self.accounts[*key as usize])).collect();
        let drawn: Vec<String> = keys.iter().map(|key| self.names[*key as usize].clone()).collect();
        let (limits, rules) = (limits(), Rules::default());
        let group = criterion.benchmark_group(format!("{}/{law}/{threads} thread", self.label));
        let mut race = Race { group, threads, now: &self.now };
        race.run("ours: six limits and the end", |draw, now| decide(&handles[draw], &limits, &rules, now));
        race.run("ours: admission and end alone", |draw, now| {
            let budget = &handles[draw].budget;
            let Admission::Run(call) = budget.admit(&limits, &rules, now) else { panic!("refused") };
            black_box(budget.end(call, now));
        });
        race.run("governor: one limit, u64", |draw, _| {
            black_box(self.by_number.check_key(&u64::from(keys[draw])).is_ok());
        });
        race.run("governor: one limit, u64, pretended clock", |draw, _| {
            black_box(self.by_number_untimed.check_key(&u64::from(keys[draw])).is_ok());
        });
        race.run("governor: one limit, String", |draw, _| {
            black_box(self.by_name.check_key(&drawn[draw]).is_ok());
        });
        race.group.finish();
    }
}

fn decision(criterion: &mut Criterion) {
    for owners in OWNERS {
        let world = World::new(owners);
        for (law, keys) in [("uniform", uniform(world.owners)), ("zipf", zipf(world.owners))] {
            for threads in THREADS {
                world.race(criterion, law, &keys, threads);
            }
        }
    }
}

fn first_look_up(criterion: &mut Criterion) {
    for (label, owners) in OWNERS {
        let budgets = Budgets::<()>::new(owners);
        for index in 0..owners {
            budgets.of(&Owner::new(&name(index)), Component::Ews, Tick::START).unwrap();
        }
        let mut order: Vec<usize> = (0..owners).collect();
        Random(3).shuffle(&mut order);
        let asked: Vec<Owner> = order.iter().map(|index| Owner::new(&name(*index))).collect();
        let group = criterion.benchmark_group(format!("{label}/uniform/1 thread"));
        let mut race = Race { group, threads: 1, now: &Now::default() };
        race.run("ours: first look-up by name", |draw, now| {
            black_box(budgets.of(&asked[draw % owners], Component::Ews, now).unwrap());
        });
        race.group.finish();
    }
}

criterion_group! { name = benches; config = configured(); targets = decision, first_look_up }
criterion_main!(benches);
