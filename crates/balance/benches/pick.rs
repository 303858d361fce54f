//! What a pick costs, with 50 targets, on one thread and on two that share a selector.
//!
//! `cargo bench -p weir-balance --bench pick`
//!
//! `pick` is a turn alone, `pick and connected` with the report that follows, `pick_for` the choice by owner. Times are
//! for one pick: with two threads, what each of them waits for its own.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a benchmark measures real time, and stops at the first thing that is not as it should be"
)]

use std::hint::black_box;
use std::net::SocketAddr;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use weir_balance::{Failure, Health, Pick, Selector, Settings, Target, Weight};
use weir_units::{Micros, Owner, Tick};

const TARGETS: u8 = 50;
const THREADS: [usize; 2] = [1, 2];

fn address(number: u8) -> SocketAddr {
    SocketAddr::from(([10, 0, 2, number], 25))
}

/// A selector of 50 targets that have proved themselves; those below `down` are unhealthy for ever.
fn selector(weight: impl Fn(u8) -> u32, down: u8) -> Selector {
    let target = |number| Target::new(address(number), "hub").weighing(Weight::new(weight(number)).unwrap());
    let selector = Selector::new((0..TARGETS).map(target), Settings::hub(), &Health::default()).unwrap();
    for number in 0..TARGETS {
        let attempt = selector.heartbeat(address(number)).unwrap();
        assert!(selector.connected(attempt, Tick::START).is_some());
    }
    for number in 0..down {
        let attempt = selector.heartbeat(address(number)).unwrap();
        assert!(selector.failed(attempt, Failure::Refused, Tick::START).transition.is_some());
    }
    selector
}

/// The time that one of `threads` threads needs for `iterations` of `work`.
fn timed(threads: usize, iterations: u64, work: impl Fn(Tick) + Send + Sync + 'static) -> Duration {
    let (work, barrier) = (Arc::new(work), Arc::new(Barrier::new(threads)));
    let run = |_| {
        let (work, barrier) = (Arc::clone(&work), Arc::clone(&barrier));
        thread::spawn(move || {
            barrier.wait();
            let start = Instant::now();
            for step in 0..iterations {
                // Time passes, and stays before the first retry.
                work(Tick::START.plus(Micros::new(1 + step % 50_000_000)));
            }
            start.elapsed()
        })
    };
    let runs: Vec<_> = (0..threads).map(run).collect();
    runs.into_iter().map(|run| run.join().unwrap()).max().unwrap()
}

fn picks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("50 targets");
    group.measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_secs(1)).sample_size(20);
    for threads in THREADS {
        for (name, selector) in [
            ("pick", selector(|_| 1, 0)),
            ("pick, weighted", selector(|number| 1 + u32::from(number) % 7, 0)),
            ("pick, a third down", selector(|_| 1, 17)),
        ] {
            let selector = Arc::new(selector);
            group.bench_function(BenchmarkId::new(name, threads), |bencher| {
                bencher.iter_custom(|iterations| {
                    let selector = Arc::clone(&selector);
                    timed(threads, iterations, move |now| match selector.pick(now) {
                        Pick::Target(attempt) => {
                            let _ = black_box(attempt);
                        }
                        Pick::NoneUntil(_) => panic!("some are healthy"),
                    })
                });
            });
        }
        let reported = Arc::new(selector(|_| 1, 0));
        group.bench_function(BenchmarkId::new("pick and connected", threads), |bencher| {
            bencher.iter_custom(|iterations| {
                let selector = Arc::clone(&reported);
                timed(threads, iterations, move |now| {
                    let attempt = selector.pick(now).attempt().unwrap();
                    assert!(selector.connected(attempt, now).is_none());
                })
            });
        });
        for (name, selector) in [
            ("pick_for", selector(|_| 1, 0)),
            ("pick_for, weighted", selector(|number| 1 + u32::from(number) % 7, 0)),
        ] {
            let (selector, owner) = (Arc::new(selector), Owner::new("john.doe@example.com"));
            group.bench_function(BenchmarkId::new(name, threads), |bencher| {
                bencher.iter_custom(|iterations| {
                    let (selector, owner) = (Arc::clone(&selector), owner.clone());
                    timed(threads, iterations, move |now| {
                        let _ = black_box(selector.pick_for(&owner, now).attempt().unwrap());
                    })
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, picks);
criterion_main!(benches);
