//! How the gateway chooses its origins: background probes, the last one, owner affinity, slow start (H10).

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use support::*;
use weir_balance::{Attempt, Failure, Health, Kind, Selector, Settings, Transition};
use weir_units::{Micros, Owner, Tick};

fn owner(number: usize) -> Owner {
    Owner::new(&format!("user{number}@example.com"))
}

fn pick_for(selector: &Selector, owner_number: usize, now: Tick) -> Attempt {
    selector.pick_for(&owner(owner_number), now).attempt().unwrap()
}

/// Where each of `count` owners' calls go.
fn homes(selector: &Selector, count: usize, now: Tick) -> Vec<usize> {
    (0..count).map(|owner| number(&pick_for(selector, owner, now))).collect()
}

#[test]
fn no_users_call_pays_for_a_retry() {
    let health = Health::default();
    let selector = proved(&[1, 1, 1], Settings::origin(), &health);
    let due = mark(&selector, 0, Tick::START);
    assert_eq!(due, seconds(5));
    assert_eq!(selector.next_probe(Tick::START), due);
    assert!(selector.probe(seconds(4)).is_none(), "not before it is due");
    for second in 0..200 {
        let attempt = pick(&selector, seconds(second));
        assert_eq!((attempt.kind(), number(&attempt) == 0), (Kind::Turn, false));
        assert_ne!(number(&pick_for(&selector, 7, seconds(second))), 0);
    }
    let probe = selector.probe(due).unwrap();
    assert_eq!((number(&probe), probe.kind()), (0, Kind::Retry));
    assert!(selector.probe(due).is_none(), "one at a time");
    assert!(selector.failed(probe, Failure::Refused, due).transition.is_some());
    assert_eq!(selector.next_probe(due), seconds(10));
    let probe = selector.probe(seconds(10)).unwrap();
    assert!(matches!(selector.connected(probe, seconds(10)), Some(Transition::HealthyAgain { .. })));
    assert_eq!(selector.next_probe(seconds(10)), Tick::NEVER);
}

#[test]
fn users_calls_go_on_before_any_origin_has_proved_itself_and_to_those_alone_that_have_after() {
    let selector = selector(&[1, 1, 1], Settings::origin(), &Health::default());
    let picks: Vec<_> = (0..4).map(|_| pick(&selector, Tick::START)).collect();
    assert_eq!(picks.iter().map(number).collect::<Vec<_>>(), [0, 1, 2, 0]);
    assert!(picks.iter().all(|attempt| is_kind(attempt, Kind::Turn)));
    let probe = selector.probe(Tick::START).unwrap();
    assert_eq!((number(&probe), probe.kind()), (0, Kind::First));
    assert!(selector.connected(probe, Tick::START).is_some());
    assert_eq!(connections(&selector, 3, Tick::START), [0, 0, 0]);
    while let Some(probe) = selector.probe(Tick::START) {
        assert!(selector.connected(probe, Tick::START).is_some());
    }
    assert_eq!(connections(&selector, 3, Tick::START), [0, 1, 2], "the probes of the others came last");
}

#[test]
fn the_last_origin_is_never_filtered_out() {
    let selector = proved(&[1, 1, 1], Settings::origin(), &Health::default());
    for number in [2, 0, 1] {
        mark(&selector, number, seconds(1));
    }
    for second in 1..100 {
        let attempt = pick(&selector, seconds(second));
        assert_eq!(number(&attempt), 1, "it was marked last");
        assert_eq!(selector.failed(attempt, Failure::Refused, seconds(second)).transition, None);
        assert_eq!(number(&pick_for(&selector, 3, seconds(second))), 1);
    }
    let probe = selector.probe(seconds(100)).unwrap();
    let alive = number(&probe);
    assert!(selector.connected(probe, seconds(100)).is_some());
    assert_eq!(number(&pick(&selector, seconds(100))), alive);
    let single = proved(&[1], Settings::origin(), &Health::default());
    mark(&single, 0, Tick::START);
    let attempt = pick(&single, Tick::START);
    assert!(single.connected(attempt, Tick::START).is_some(), "a user's success clears it too");
}

#[test]
fn an_owner_stays_with_one_origin_while_it_is_healthy_and_only_those_of_a_dead_one_move() {
    let selector = proved(&[1, 1, 1, 1], Settings::origin(), &Health::default());
    let before = homes(&selector, 400, Tick::START);
    assert_eq!(homes(&selector, 400, seconds(9)), before);
    for number in 0..4 {
        assert!((60..=140).contains(&count(&before, number)), "{number}: {}", count(&before, number));
    }
    mark(&selector, 2, seconds(10));
    let without = homes(&selector, 400, seconds(10));
    for (old, new) in before.iter().zip(&without) {
        assert!(*new != 2 && (old == new || *old == 2), "{old} {new}");
    }
    let probe = selector.probe(seconds(15)).unwrap();
    assert!(selector.connected(probe, seconds(15)).is_some());
    assert_eq!(homes(&selector, 400, seconds(45)), before, "they are all back after the slow start");
}

#[test]
fn owners_come_back_little_by_little_and_stay() {
    let selector = proved(&[1, 1], Settings::origin(), &Health::default());
    let before = homes(&selector, 1_000, Tick::START);
    mark(&selector, 0, Tick::START);
    let probe = selector.probe(seconds(5)).unwrap();
    assert!(selector.connected(probe, seconds(5)).is_some());
    let mut home = vec![false; before.len()];
    let mut back = 0;
    for second in 5..=35 {
        for (owner, here) in homes(&selector, 1_000, seconds(second)).into_iter().enumerate() {
            assert!(here == 0 || !home[owner], "{owner} left again");
            home[owner] = here == 0;
        }
        let now = home.iter().filter(|home| **home).count();
        assert!(now >= back);
        assert!(second > 8 || now < 150, "{now} at once");
        back = now;
    }
    assert_eq!(back, count(&before, 0));
}

#[test]
fn the_share_of_an_origin_that_came_back_grows_until_it_is_whole() {
    for enabled in [false, true] {
        let health = Health::default();
        let selector = proved(&[1, 1], Settings::origin(), &health);
        if enabled {
            health.disable(address(0), Tick::START).unwrap();
            assert_eq!(count(&connections(&selector, 10, Tick::START), 0), 0);
            health.enable(address(0), Tick::START).unwrap();
        } else {
            mark(&selector, 0, Tick::START);
        }
        let probe = selector.probe(seconds(5)).unwrap();
        assert_eq!(number(&probe), 0);
        assert!(selector.connected(probe, seconds(5)).is_some());
        let mut before = 0;
        for (second, least, most) in
            [(5, 40, 60), (12, 100, 130), (20, 245, 255), (30, 415, 420), (35, 500, 500)]
        {
            // Of a thousand turns 500 are its own; those that it leaves go to the other one.
            let turns = 1_000;
            let got = count(&connections(&selector, turns, seconds(second)), 0);
            let own = got * 500 / (turns - got).max(500);
            assert!(got >= before, "{got} after {before}");
            assert!(got * 2 <= turns && own <= 500);
            let share = 1_000 * got / (turns - got) / 2;
            assert!((least..=most).contains(&share), "{share} at {second}: {got}");
            before = got;
        }
    }
}

#[test]
fn when_all_came_back_just_now_they_share_evenly() {
    let selector = proved(&[1, 1], Settings::origin(), &Health::default());
    for number in [0, 1] {
        mark(&selector, number, Tick::START);
    }
    while let Some(probe) = selector.probe(seconds(5)) {
        assert!(selector.connected(probe, seconds(5)).is_some());
    }
    let got = connections(&selector, 1_000, seconds(6));
    assert!(count(&got, 0).abs_diff(500) <= 100, "{}", count(&got, 0));
}

#[test]
fn an_active_check_marks_and_clears() {
    let health = Health::default();
    let selector = proved(&[1, 1], Settings::origin(), &health);
    let check = selector.heartbeat(address(0)).unwrap();
    assert_eq!(check.kind(), Kind::Asked);
    let failed = selector.failed(check, Failure::CheckFailed, Tick::START);
    assert!(matches!(failed.transition, Some(Transition::BecameUnhealthy(_))));
    assert_eq!(connections(&selector, 3, Tick::START), [1, 1, 1]);
    let check = selector.heartbeat(address(0)).unwrap();
    assert!(selector.connected(check, seconds(1)).is_some());
    assert!(selector.heartbeat("192.0.2.1:25".parse().unwrap()).is_none(), "unknown");
}

#[test]
fn a_first_connection_begun_before_a_users_call_failed_has_no_say_in_the_retries() {
    let health = Health::default();
    let selector = selector(&[1, 1], Settings::origin(), &health);
    let probe = selector.probe(Tick::START).unwrap();
    assert_eq!(number(&pick(&selector, Tick::START)), 1, "the probe was a choice, too");
    let call = pick(&selector, Tick::START);
    assert_eq!((number(&probe), number(&call)), (0, 0));
    assert!(selector.failed(call, Failure::Refused, seconds(1)).transition.is_some());
    let before = health.unhealthy();
    assert_eq!(before[0].next_retry, seconds(1).plus(Micros::SECOND.times(5)));
    assert_eq!(selector.failed(probe, Failure::TimedOut, seconds(2)).transition, None);
    assert_eq!(health.unhealthy(), before);
}
