//! Whose turn it is: the old rotation's fault, the healthy one's even split, weights, the administrator (H1–H3).

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use support::*;
use weir_balance::{Failure, Health, Pick, Rotation, Selector, SelectorError, Settings, TARGETS_MAX, Target};
use weir_units::Tick;

const RTM: Settings = Settings { rotation: Rotation::Rtm, ..Settings::hub() };

#[test]
fn the_old_rotation_gives_two_thirds_to_the_target_after_a_dead_one() {
    for dead in 0..3 {
        let selector = selector(&[1, 1, 1], RTM, &Health::default());
        let (mut got, mut failures) = ([0usize; 3], 0);
        for connection in 1..=300usize {
            let (number, failed) = deliver(&selector, |number| number == dead, seconds(1)).unwrap();
            got[number] += 1;
            failures += failed;
            let (heir, other) = (got[(dead + 1) % 3], got[(dead + 2) % 3]);
            assert!(heir.abs_diff(connection * 2 / 3) <= 1, "{got:?} after {connection}");
            assert!(other.abs_diff(connection / 3) <= 1, "{got:?} after {connection}");
        }
        assert_eq!(got[dead], 0);
        assert_eq!(failures, 100, "a third of all connections find it dead");
    }
}

#[test]
fn the_old_rotation_tries_everybody_once_and_then_waits() {
    let health = Health::default();
    let selector = selector(&[1, 1, 1], RTM, &health);
    let mut tried = Vec::new();
    let mut next = selector.pick(Tick::START);
    while let Pick::Target(attempt) = next {
        tried.push(number(&attempt));
        let failed = selector.failed(attempt, Failure::Refused, Tick::START);
        assert_eq!(failed.transition, None, "it remembers nothing");
        next = selector.pick_again(failed.again, Tick::START);
    }
    assert_eq!(tried, [0, 1, 2]);
    assert!(matches!(next, Pick::NoneUntil(until) if until == minutes(1)));
    assert!(health.unhealthy().is_empty());
    assert_eq!(number(&pick(&selector, Tick::START)), 1, "only the first one moved to the tail");
}

#[test]
fn with_one_of_three_down_the_healthy_rotation_gives_each_of_the_others_one_half() {
    for dead in 0..3 {
        let selector = proved(&[1, 1, 1], Settings::hub(), &Health::default());
        let (mut got, mut failures) = ([0usize; 3], 0);
        for connection in 1..=300usize {
            let (number, failed) = deliver(&selector, |number| number == dead, seconds(1)).unwrap();
            got[number] += 1;
            failures += failed;
            for number in (0..3).filter(|number| *number != dead) {
                assert!(got[number].abs_diff(connection / 2) <= 1, "{got:?} after {connection}");
            }
        }
        assert_eq!(failures, 1, "it is tried once, and filtered out before the rotation from then on");
    }
}

#[test]
fn all_healthy_targets_have_the_same_number_of_connections() {
    let selector = selector(&[1; 7], Settings::hub(), &Health::default());
    let got = connections(&selector, 700, Tick::START);
    for number in 0..7 {
        assert_eq!(count(&got, number), 100);
    }
    assert_eq!(got[..7], [0, 1, 2, 3, 4, 5, 6], "in their order");
}

#[test]
fn a_target_that_leaves_or_comes_back_disturbs_nobodys_turn() {
    let selector = proved(&[1, 1, 1, 1], Settings::hub(), &Health::default());
    assert_eq!(connections(&selector, 6, Tick::START), [0, 1, 2, 3, 0, 1]);
    mark(&selector, 3, Tick::START);
    assert_eq!(connections(&selector, 5, Tick::START), [2, 0, 1, 2, 0]);
    let heartbeat = selector.heartbeat(address(3)).unwrap();
    assert!(selector.connected(heartbeat, Tick::START).is_some());
    assert_eq!(connections(&selector, 6, Tick::START), [3, 1, 2, 0, 3, 1], "who was away longest goes first");
}

#[test]
fn connections_are_in_proportion_to_weights_also_when_some_are_down() {
    let check = |weights: &[u32], down: &[usize]| {
        let selector = proved(weights, Settings::hub(), &Health::default());
        for number in down {
            mark(&selector, *number, Tick::START);
        }
        let up = |number: &usize| !down.contains(number);
        let weight_of = |number: usize| usize::try_from(weights[number]).unwrap();
        let total: usize = (0..weights.len()).filter(up).map(weight_of).sum();
        let got = connections(&selector, 10 * total, Tick::START);
        for number in (0..weights.len()).filter(up) {
            assert_eq!(
                count(&got, number),
                10 * weight_of(number),
                "{number} of {weights:?} without {down:?}"
            );
        }
    };
    check(&[1, 2, 3], &[]);
    check(&[1, 2, 3], &[2]);
    check(&[100, 1, 50, 49], &[]);
    check(&[100, 1, 50, 49], &[0, 3]);
    check(&[20, 10], &[]);
}

#[test]
fn weights_hold_while_targets_come_and_go_all_the_time() {
    let selector = proved(&[3, 1, 2], Settings::hub(), &Health::default());
    let mut got = Vec::new();
    for round in 0..600 {
        got.extend(connections(&selector, 1, Tick::START));
        if round % 5 == 0 {
            // Away and back within one turn.
            mark(&selector, round % 3, Tick::START);
            let heartbeat = selector.heartbeat(address(round % 3)).unwrap();
            assert!(selector.connected(heartbeat, Tick::START).is_some());
        }
    }
    for (number, weight) in [(0, 3), (1, 1), (2, 2)] {
        assert!(count(&got, number).abs_diff(100 * weight) <= 25, "{number}: {}", count(&got, number));
    }
}

#[test]
fn a_draining_or_disabled_target_gets_nothing_and_one_that_is_enabled_its_share() {
    for disabled in [false, true] {
        let health = Health::default();
        let selector = proved(&[1, 1, 1], Settings::hub(), &health);
        if disabled {
            health.disable(address(1), Tick::START).unwrap();
        } else {
            health.drain(address(1), Tick::START).unwrap();
        }
        assert_eq!(count(&connections(&selector, 100, Tick::START), 1), 0);
        assert_eq!(selector.heartbeat(address(1)).is_none(), disabled, "heartbeats reach one that drains");
        assert_eq!(selector.probe(minutes(60)).map(|attempt| number(&attempt)), None);
        health.enable(address(1), Tick::START).unwrap();
        assert_eq!(connect(&selector, Tick::START), 1, "it is the least recently chosen");
        assert_eq!(count(&connections(&selector, 99, Tick::START), 1), 33);
    }
}

#[test]
fn when_all_are_disabled_there_is_nothing_to_wait_for() {
    let health = Health::default();
    for settings in [Settings::hub(), Settings::origin(), RTM] {
        let selector = selector(&[1, 1], settings, &health);
        for number in 0..2 {
            health.disable(address(number), Tick::START).unwrap();
        }
        let until = none_until(&selector, Tick::START);
        assert!(until == Tick::NEVER || settings.rotation == Rotation::Rtm, "{until:?}");
        for number in 0..2 {
            health.enable(address(number), Tick::START).unwrap();
        }
    }
}

#[test]
fn an_address_named_twice_counts_once_and_there_are_at_most_so_many() {
    let health = Health::default();
    let twice = targets(&[1, 1]).into_iter().chain(targets(&[1, 1]));
    let selector = Selector::new(twice, Settings::hub(), &health).unwrap();
    assert_eq!(selector.targets().count(), 2);
    let many = |count: usize| {
        let port = |number| u16::try_from(1 + number).unwrap();
        (0..count).map(move |number| Target::new(([10, 0, 0, 1], port(number)).into(), "hub"))
    };
    assert!(Selector::new(many(TARGETS_MAX), Settings::hub(), &health).is_ok());
    let refused = Selector::new(many(TARGETS_MAX + 1), Settings::hub(), &health).unwrap_err();
    assert_eq!(refused, SelectorError::TooMany { given: TARGETS_MAX + 1 });
}

#[test]
fn a_next_hop_without_targets_has_none_ever() {
    let selector = selector(&[], Settings::hub(), &Health::default());
    assert_eq!(none_until(&selector, Tick::START), Tick::NEVER);
    assert_eq!(selector.next_probe(Tick::START), Tick::NEVER);
}

#[test]
fn a_renewed_selector_goes_on_where_the_old_one_stood() {
    let health = Health::default();
    let old = proved(&[1, 1, 1], Settings::hub(), &health);
    assert_eq!(connections(&old, 4, Tick::START), [0, 1, 2, 0]);
    let late = pick(&old, Tick::START);
    assert_eq!(number(&late), 1);
    let mut again = targets(&[1, 1, 1]);
    again.reverse();
    let new = old.renewed(again, Settings::hub(), &health).unwrap();
    assert_eq!(connections(&new, 4, Tick::START), [2, 0, 1, 2]);
    assert_eq!(new.target(&late).map(|target| &*target.name), Some("hub1"));
    assert!(new.failed(late, Failure::Refused, Tick::START).transition.is_some(), "reported to the new one");
    assert_eq!(connections(&new, 3, Tick::START), [0, 2, 0]);
}
