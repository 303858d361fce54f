//! A seeded world of 3–50 targets that refuse, swallow, fall silent and recover, against an obvious model (H3–H6, H8, H9).
//!
//! The model keeps who is on the list, when each retry is due, who is being tried and when each target was chosen last.
//! Connections come at a steady pace; a target that swallows answers nothing until the caller's time limit. After the
//! last repair everything must come back by itself.

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use support::*;
use weir_balance::{Attempt, Failure, Health, Kind, Mark, Pick, Selector, Settings, Transition};
use weir_units::{Micros, Tick};

/// How long a caller waits for a connect, in seconds.
const TIMEOUT: u64 = 30;
/// How long targets fail and recover, in seconds; after that all are well.
const TROUBLE: u64 = 3 * 3600;
/// How long the world goes on after: longer than the longest interval.
const PEACE: u64 = 1500;

/// How a target behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Well,
    Refuses,
    Swallows,
}

/// What is known of one target.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    proved: bool,
    mark: Option<Mark>,
    /// First connections and retries that are being made.
    trying: u32,
    /// The choice that was its last, counted.
    last: u64,
    retries: u32,
    chosen: u32,
}

struct World {
    selector: Selector,
    health: Health,
    random: Random,
    state: Vec<Mood>,
    /// When each target changes next.
    change: Vec<u64>,
    known: Vec<Known>,
    turns: u64,
    /// Attempts without an answer, by when the caller's patience ends.
    open: BTreeMap<(Tick, u64), Attempt>,
    opened: u64,
    /// Turns since anything changed, by target.
    window: Vec<u32>,
}

impl World {
    fn new(seed: u64, targets: usize) -> Self {
        let health = Health::default();
        let mut random = Random(seed);
        let change = (0..targets).map(|_| random.below(TROUBLE / 2)).collect();
        Self {
            selector: selector(&vec![1; targets], Settings::hub(), &health),
            health,
            random,
            state: vec![Mood::Well; targets],
            change,
            known: vec![Known::default(); targets],
            turns: 0,
            open: BTreeMap::new(),
            opened: 0,
            window: vec![0; targets],
        }
    }

    /// A second passes: some targets change, some callers lose their patience.
    fn pass(&mut self, second: u64) {
        let now = seconds(second);
        for target in 0..self.state.len() {
            if second >= TROUBLE {
                self.state[target] = Mood::Well;
            } else if self.change[target] <= second {
                self.state[target] = match (self.state[target], self.random.below(2)) {
                    (Mood::Well, 0) => Mood::Refuses,
                    (Mood::Well, _) => Mood::Swallows,
                    (Mood::Refuses | Mood::Swallows, _) => Mood::Well,
                };
                self.change[target] = second + 20 + self.random.below(3_000);
            }
        }
        while let Some(entry) = self.open.first_entry().filter(|entry| entry.key().0 <= now) {
            let attempt = entry.remove();
            self.fail(attempt, Failure::TimedOut, now);
        }
    }

    /// One connection, which goes on after a refusal. Answers whether it was made, or waits for an answer.
    fn connect(&mut self, now: Tick) -> bool {
        for _ in 0..=self.known.len() {
            let attempt = match self.selector.pick(now) {
                Pick::Target(attempt) => attempt,
                Pick::NoneUntil(until) => {
                    self.check_none(until, now);
                    return false;
                }
            };
            self.check_choice(&attempt, now);
            match self.state[number(&attempt)] {
                Mood::Well => {
                    self.succeed(attempt, now);
                    return true;
                }
                Mood::Refuses => self.fail(attempt, Failure::Refused, now),
                Mood::Swallows if self.random.below(20) == 0 => {
                    // The caller goes away, and gives back whatever right it had.
                    self.let_go(&attempt);
                    drop(attempt);
                    return true;
                }
                Mood::Swallows => {
                    let until = now.plus(Micros::SECOND.times(TIMEOUT));
                    self.opened += 1;
                    self.open.insert((until, self.opened), attempt);
                    return true;
                }
            }
        }
        panic!("a connection found nobody who does not refuse, and nobody was filtered out");
    }

    fn check_choice(&mut self, attempt: &Attempt, now: Tick) {
        let target = number(attempt);
        let known = self.known[target];
        self.turns += 1;
        match attempt.kind() {
            Kind::Turn => {
                assert!(known.proved && known.mark.is_none(), "{target} at {now:?}: {known:?}");
                assert!(!self.is_any_due(now), "a retry that is due goes before");
                let healthy = || self.known.iter().filter(|known| known.proved && known.mark.is_none());
                let oldest = healthy().map(|known| known.last).min().unwrap();
                assert_eq!(known.last, oldest, "{target} is not the least recently chosen");
                self.window[target] += 1;
                let counts = || {
                    (0..self.known.len())
                        .filter(|other| self.known[*other].proved && self.known[*other].mark.is_none())
                        .map(|other| self.window[other])
                };
                assert!(counts().max().unwrap() - counts().min().unwrap() <= 1, "uneven: {:?}", self.window);
            }
            Kind::First => {
                assert!(!known.proved && known.mark.is_none() && known.trying == 0, "{target}: {known:?}");
                self.known[target].trying += 1;
            }
            Kind::Retry => {
                let mark = known.mark.unwrap();
                assert!(mark.next_retry <= now && known.trying == 0, "{target} at {now:?}: {known:?}");
                self.known[target].trying += 1;
                self.known[target].retries += 1;
            }
            Kind::Asked => panic!("nobody asked"),
        }
        self.known[target].chosen += 1;
        self.known[target].last = self.turns;
    }

    fn check_none(&self, until: Tick, now: Tick) {
        let free = |known: &Known| known.mark.is_none() && (known.proved || known.trying == 0);
        assert!(!self.known.iter().any(free), "somebody is there");
        assert!(!self.is_any_due(now), "a retry is due");
        let next = self.known.iter().filter_map(|known| known.mark.filter(|_| known.trying == 0));
        let guard = now.plus(Settings::hub().attempt_timeout);
        let latest = next.map(|mark| mark.next_retry).min().unwrap_or(guard);
        assert!(now < until && until <= latest, "{until:?} {latest:?}");
    }

    /// Whether there is a retry that nobody makes though it is due.
    fn is_any_due(&self, now: Tick) -> bool {
        let due = |mark: Mark| mark.next_retry <= now;
        self.known.iter().any(|known| known.trying == 0 && known.mark.is_some_and(due))
    }

    fn succeed(&mut self, attempt: Attempt, now: Tick) {
        let target = number(&attempt);
        self.let_go(&attempt);
        let transition = self.selector.connected(attempt, now);
        let known = &mut self.known[target];
        match transition {
            Some(Transition::HealthyAgain { mark, .. }) => assert_eq!(known.mark.take(), Some(mark)),
            Some(Transition::Proved(at)) => assert!(!known.proved && at == address(target)),
            Some(other) => panic!("{other:?}"),
            None => assert!(known.proved && known.mark.is_none(), "{target}: {known:?}"),
        }
        known.proved = true;
        self.changed(transition);
    }

    fn fail(&mut self, attempt: Attempt, failure: Failure, now: Tick) {
        let target = number(&attempt);
        let retry = attempt.kind() == Kind::Retry;
        self.let_go(&attempt);
        let transition = self.selector.failed(attempt, failure, now).transition;
        let known = &mut self.known[target];
        match transition {
            Some(Transition::BecameUnhealthy(mark)) => {
                assert!(known.mark.is_none() && mark.failures == 1, "{target}: {known:?}");
                assert_eq!(mark.next_retry, now.plus(hub_interval(0)));
                known.mark = Some(mark);
            }
            Some(Transition::StillUnhealthy(mark)) => {
                let before = known.mark.replace(mark).unwrap();
                assert!(retry && mark.failures == before.failures + 1);
                assert_eq!(mark.next_retry, now.plus(hub_interval(mark.retries())));
            }
            Some(other) => panic!("{other:?}"),
            None => assert!(!retry, "a retry that fails is heard"),
        }
        self.changed(transition);
    }

    fn let_go(&mut self, attempt: &Attempt) {
        if matches!(attempt.kind(), Kind::First | Kind::Retry) {
            self.known[number(attempt)].trying -= 1;
        }
    }

    fn changed(&mut self, transition: Option<Transition>) {
        if transition.is_some() {
            self.window.fill(0);
            let marked: Vec<Mark> = self.known.iter().filter_map(|known| known.mark).collect();
            assert_eq!(self.health.unhealthy(), marked);
        }
    }
}

fn live(seed: u64, targets: usize) {
    let mut world = World::new(seed, targets);
    for second in 0..TROUBLE + PEACE {
        world.pass(second);
        for _ in 0..=world.random.below(4) {
            world.connect(seconds(second));
        }
    }
    assert!(world.health.unhealthy().is_empty(), "everybody has come back");
    let before: Vec<u32> = world.known.iter().map(|known| known.chosen).collect();
    for _ in 0..10 * targets {
        assert!(world.connect(seconds(TROUBLE + PEACE)));
    }
    for (known, before) in world.known.iter().zip(before) {
        assert_eq!(known.chosen - before, 10);
    }
    assert!(world.known.iter().map(|known| known.retries).sum::<u32>() > 0, "nothing ever failed");
}

/// A world lives long: one case for twenty of others.
fn rarely(config: &ProptestConfig) -> ProptestConfig {
    ProptestConfig { cases: (config.cases / 20).max(1), failure_persistence: None, ..config.clone() }
}

proptest! {
    #![proptest_config(rarely(&ProptestConfig::default()))]

    #[test]
    fn whatever_fails_the_healthy_share_evenly_and_the_dead_are_tried_when_due(
        seed in any::<u64>(),
        targets in 3usize..=50,
    ) {
        live(seed, targets);
    }
}

#[test]
fn a_world_of_three_and_one_of_fifty_hold() {
    for seed in 0..4 {
        live(seed, 3);
    }
    live(4, 50);
}
