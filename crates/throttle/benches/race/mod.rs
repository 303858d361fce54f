//! What the benchmarks race on: keys drawn beforehand, a pretended clock, and rounds of which the fastest counts.

#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "of small numbers")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion};
use weir_units::Tick;

/// Keys drawn for each case; a power of two.
pub(crate) const DRAWS: usize = 1 << 20;
pub(crate) const THREADS: [usize; 2] = [1, 2];

const ROUNDS: u64 = 10;

/// Decisions that one thread makes in a microsecond, roughly: it sets the pace of the pretended time.
const PER_MICRO: u64 = 8;

/// The pretended time at which the next run begins.
#[derive(Default)]
pub(crate) struct Now(AtomicU64);

impl Now {
    /// The time at which a run of so many decisions begins; the next one begins after it.
    pub(crate) fn pass(&self, iterations: u64) -> Tick {
        Tick::new(self.0.fetch_add(iterations / PER_MICRO + 1_000, Ordering::Relaxed))
    }
}

/// A small generator, seeded, so that every run draws the same keys.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

pub(crate) fn uniform(owners: usize) -> Vec<u32> {
    let mut random = Random(1);
    (0..DRAWS).map(|_| random.below(owners) as u32).collect()
}

pub(crate) fn zipf(owners: usize) -> Vec<u32> {
    let mut random = Random(2);
    let mut ranks: Vec<u32> = (0..owners as u32).collect();
    random.shuffle(&mut ranks);
    let mut sums = Vec::with_capacity(owners);
    let mut sum = 0.0;
    for rank in 1..=owners {
        sum += 1.0 / rank as f64;
        sums.push(sum);
    }
    let draw = |random: &mut Random| {
        let wanted = random.unit() * sum;
        ranks[sums.partition_point(|sum| *sum < wanted).min(owners - 1)]
    };
    (0..DRAWS).map(|_| draw(&mut random)).collect()
}

/// Runs `one` on `threads` threads, `iterations` times in all, from `begin` on, and answers what the fastest of ten
/// rounds took, as if all had been like it: the machine may be shared, and what neighbours do is no cost of a decision.
fn timed(threads: usize, iterations: u64, begin: Tick, one: impl Fn(usize, Tick) + Sync) -> Duration {
    let round = iterations.div_ceil(threads as u64 * ROUNDS);
    let work = |thread: usize| {
        let offset = thread * (DRAWS / 2 + 17);
        let rounds = (0..ROUNDS).map(|number| {
            let start = Instant::now();
            for i in number * round..(number + 1) * round {
                one((offset + i as usize) % DRAWS, Tick::new(begin.micros() + i / PER_MICRO));
            }
            start.elapsed()
        });
        rounds.min().unwrap()
    };
    let fastest = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        let own = work(0);
        others.into_iter().map(|other| other.join().unwrap()).fold(own, Duration::max)
    });
    fastest.mul_f64(iterations as f64 / round as f64)
}

/// One group of the report: so many owners, drawn so, by so many threads.
pub(crate) struct Race<'a> {
    pub(crate) group: BenchmarkGroup<'a, WallTime>,
    pub(crate) threads: usize,
    pub(crate) now: &'a Now,
}

impl Race<'_> {
    pub(crate) fn run(&mut self, label: &str, one: impl Fn(usize, Tick) + Sync) {
        self.group.bench_function(BenchmarkId::from_parameter(label), |bench| {
            bench.iter_custom(|iterations| timed(self.threads, iterations, self.now.pass(iterations), &one));
        });
    }
}

pub(crate) fn configured() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(400))
        .measurement_time(Duration::from_millis(1200))
        .without_plots()
}
