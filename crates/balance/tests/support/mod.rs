//! Targets, times and short words for what callers do.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::net::SocketAddr;

use weir_balance::{
    Attempt, Failure, Health, Kind, Pick, Schedule, Selector, Settings, Target, Transition, Weight,
};
use weir_units::{Micros, Tick};

pub(crate) fn address(number: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 2, u8::try_from(number).unwrap()], 25))
}

pub(crate) fn number(attempt: &Attempt) -> usize {
    let SocketAddr::V4(address) = attempt.address() else { panic!("all are IPv4") };
    usize::from(address.ip().octets()[3])
}

pub(crate) fn seconds(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

pub(crate) fn minutes(count: u64) -> Tick {
    seconds(60 * count)
}

pub(crate) fn targets(weights: &[u32]) -> Vec<Target> {
    let target = |(number, weight): (usize, &u32)| {
        Target::new(address(number), &format!("hub{number}")).weighing(Weight::new(*weight).unwrap())
    };
    weights.iter().enumerate().map(target).collect()
}

pub(crate) fn selector(weights: &[u32], settings: Settings, health: &Health) -> Selector {
    Selector::new(targets(weights), settings, health).unwrap()
}

/// A selector whose targets have all proved themselves, and never were chosen.
pub(crate) fn proved(weights: &[u32], settings: Settings, health: &Health) -> Selector {
    let selector = selector(weights, settings, health);
    for number in 0..weights.len() {
        prove(&selector, number, Tick::START);
    }
    selector
}

pub(crate) fn prove(selector: &Selector, number: usize, now: Tick) {
    let attempt = selector.heartbeat(address(number)).unwrap();
    assert!(selector.connected(attempt, now).is_some(), "{number} had something to prove");
}

/// Marks a target, and answers when its retry is due.
pub(crate) fn mark(selector: &Selector, number: usize, now: Tick) -> Tick {
    let attempt = selector.heartbeat(address(number)).unwrap();
    match selector.failed(attempt, Failure::Refused, now).transition {
        Some(Transition::BecameUnhealthy(mark)) => mark.next_retry,
        other => panic!("{other:?} of {number}"),
    }
}

#[track_caller]
pub(crate) fn pick(selector: &Selector, now: Tick) -> Attempt {
    match selector.pick(now) {
        Pick::Target(attempt) => attempt,
        Pick::NoneUntil(until) => panic!("none at {now:?} until {until:?}"),
    }
}

#[track_caller]
pub(crate) fn none_until(selector: &Selector, now: Tick) -> Tick {
    match selector.pick(now) {
        Pick::Target(attempt) => panic!("{attempt:?} at {now:?}"),
        Pick::NoneUntil(until) => until,
    }
}

/// Picks once and connects.
#[track_caller]
pub(crate) fn connect(selector: &Selector, now: Tick) -> usize {
    let attempt = pick(selector, now);
    let number = number(&attempt);
    let _ = selector.connected(attempt, now);
    number
}

/// Who the next `count` connections go to.
pub(crate) fn connections(selector: &Selector, count: usize, now: Tick) -> Vec<usize> {
    (0..count).map(|_| connect(selector, now)).collect()
}

/// One connection of a caller that goes on after failures, where `is_down` targets refuse: who got it, and how many
/// attempts failed before.
pub(crate) fn deliver(
    selector: &Selector,
    is_down: impl Fn(usize) -> bool,
    now: Tick,
) -> Option<(usize, usize)> {
    let mut next = selector.pick(now);
    for failures in 0.. {
        let Pick::Target(attempt) = next else { return None };
        let number = number(&attempt);
        if !is_down(number) {
            let _ = selector.connected(attempt, now);
            return Some((number, failures));
        }
        assert!(failures < 300, "the caller goes round in circles");
        let failed = selector.failed(attempt, Failure::Refused, now);
        next = selector.pick_again(failed.again, now);
    }
    None
}

pub(crate) fn count(numbers: &[usize], number: usize) -> usize {
    numbers.iter().filter(|other| **other == number).count()
}

pub(crate) fn is_kind(attempt: &Attempt, kind: Kind) -> bool {
    attempt.kind() == kind
}

pub(crate) fn hub_interval(retries: u32) -> Micros {
    Schedule::hub().interval(retries)
}

/// A small generator, seeded.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}
