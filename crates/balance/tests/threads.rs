//! Many threads at selectors that share one list: single flight holds, the split is exact (H3, H6, H9).

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;

use support::*;
use weir_balance::{Attempt, Failure, Health, Kind, Pick, Selector, Settings, Transition};
use weir_units::{Micros, Tick};

const TARGETS: usize = 5;
const THREADS: u64 = 6;

/// What all threads see of the targets.
#[derive(Default)]
struct Watch {
    /// Time, in steps.
    clock: AtomicU64,
    /// First connections and retries that are being made.
    trying: [AtomicU32; TARGETS],
    down: [AtomicBool; TARGETS],
    retries: AtomicU32,
    marks: AtomicU32,
    returns: AtomicU32,
}

impl Watch {
    fn count(&self, transition: Option<Transition>) {
        let counter = match transition {
            Some(Transition::BecameUnhealthy(_)) => &self.marks,
            Some(Transition::HealthyAgain { .. }) => &self.returns,
            Some(Transition::StillUnhealthy(_) | Transition::Proved(_)) | None => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    fn attempt(&self, attempt: Attempt, selector: &Selector, random: &mut Random, now: Tick) {
        let target = number(&attempt);
        let single = matches!(attempt.kind(), Kind::First | Kind::Retry);
        if single {
            assert_eq!(self.trying[target].fetch_add(1, Ordering::SeqCst), 0, "two at a time at {target}");
            self.retries.fetch_add(1, Ordering::Relaxed);
            thread::yield_now();
            self.trying[target].fetch_sub(1, Ordering::SeqCst);
        }
        if random.below(10) == 0 {
            drop(attempt);
        } else if self.down[target].load(Ordering::Relaxed) {
            let failed = selector.failed(attempt, Failure::Refused, now);
            self.count(failed.transition);
        } else {
            self.count(selector.connected(attempt, now));
        }
    }

    fn hammer(&self, selector: &Selector, seed: u64) {
        let mut random = Random(seed);
        for _ in 0..20_000 {
            // About a minute in twenty thousand steps of all threads together: the retries of origins come due often.
            let now = Tick::new(self.clock.fetch_add(1, Ordering::Relaxed) * 3_000);
            if random.below(200) == 0 {
                let target = usize::try_from(random.below(5)).unwrap();
                self.down[target].fetch_xor(true, Ordering::Relaxed);
            }
            let attempt = match random.below(4) {
                0 => selector.probe(now),
                _ => match selector.pick(now) {
                    Pick::Target(attempt) => Some(attempt),
                    Pick::NoneUntil(until) => {
                        assert!(until > now);
                        None
                    }
                },
            };
            if let Some(attempt) = attempt {
                self.attempt(attempt, selector, &mut random, now);
            }
        }
    }
}

#[test]
fn many_threads_at_several_selectors_never_make_two_retries_at_once() {
    // The guard never times out here: threads stand still longer than the pretended time takes.
    let settings = Settings { attempt_timeout: Micros::MINUTE.times(1_000_000), ..Settings::origin() };
    let in_turn = Settings { probes: weir_balance::Probes::InTurn, slow_start: Micros::ZERO, ..settings };
    let health = Health::default();
    let selectors = [settings, in_turn, in_turn].map(|settings| selector(&[1; TARGETS], settings, &health));
    let watch = Watch::default();
    thread::scope(|scope| {
        for (number, selector) in (0..THREADS).zip(selectors.iter().cycle()) {
            let watch = &watch;
            scope.spawn(move || watch.hammer(selector, number));
        }
    });
    let (marks, returns) = (watch.marks.into_inner(), watch.returns.into_inner());
    let unhealthy = u32::try_from(health.unhealthy().len()).unwrap();
    assert_eq!(marks, returns + unhealthy, "every mark is there or was removed once");
    assert!(marks > 0 && watch.retries.into_inner() > 10, "{marks}");
    // Nothing was leaked: whoever is left comes back by one retry each.
    let later = Tick::new(watch.clock.into_inner() * 3_000).plus(Micros::MINUTE);
    while let Some(probe) = selectors[0].probe(later) {
        assert!(selectors[0].connected(probe, later).is_some());
    }
    for selector in &selectors[1..] {
        let got = connections(selector, 10 * TARGETS, later);
        for target in 0..TARGETS {
            assert_eq!(count(&got, target), 10);
        }
    }
}

#[test]
fn threads_that_only_pick_split_exactly() {
    let selector = proved(&[1, 2, 1], Settings::hub(), &Health::default());
    let got: [AtomicU32; 3] = Default::default();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20_000 {
                    got[connect(&selector, Tick::START)].fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(got.map(AtomicU32::into_inner), [20_000, 40_000, 20_000]);
}
