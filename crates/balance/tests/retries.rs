//! Marks, retries, first connections and what happens when all are down (H4–H9).

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use support::*;
use weir_balance::{AllDown, Failure, Health, Kind, Schedule, Settings, Stage, Transition};
use weir_units::{Micros, Tick};

#[test]
fn a_dead_target_is_tried_exactly_once_at_each_due_retry_and_never_between() {
    let check = |settings: Settings, expected: &[u64]| {
        let selector = proved(&[1, 1, 1], settings, &Health::default());
        let mut tried = Vec::new();
        // Ten connections a minute, a minute apart from the first failure at 0.
        for step in 0..10 * 130 {
            let now = seconds(step * 6);
            let attempt = pick(&selector, now);
            if number(&attempt) == 1 {
                tried.push(now);
                assert_eq!(attempt.kind(), if tried.len() == 1 { Kind::Turn } else { Kind::Retry });
                let failed = selector.failed(attempt, Failure::TimedOut, now);
                match failed.transition {
                    Some(Transition::BecameUnhealthy(mark) | Transition::StillUnhealthy(mark)) => {
                        assert_eq!(usize::try_from(mark.failures).unwrap(), tried.len());
                    }
                    other => panic!("{other:?}"),
                }
            } else {
                assert_eq!(selector.connected(attempt, now), None);
            }
        }
        let since = |at: &Tick| at.since(tried[0]).count() / Micros::MINUTE.count();
        assert_eq!(tried[1..].iter().map(since).collect::<Vec<_>>(), expected);
    };
    check(Settings::hub(), &[1, 2, 3, 4, 9, 14, 19, 24, 29, 34, 44, 54, 64, 74, 84, 94, 104, 114, 124]);
    check(Settings::edge(), &[1, 2, 3, 4, 14, 24, 34, 44, 54, 64, 94, 124]);
    let skip = Stage::new(Micros::MINUTE, 0).unwrap();
    let two = Stage::new(Micros::MINUTE.times(7), 2).unwrap();
    let schedule = Schedule::new(skip, two, Micros::MINUTE.times(50)).unwrap();
    check(Settings { schedule, ..Settings::hub() }, &[7, 14, 64, 114]);
}

#[test]
fn intervals_count_from_the_attempts_end() {
    let selector = proved(&[1, 1], Settings::hub(), &Health::default());
    let due = mark(&selector, 0, seconds(30));
    assert_eq!(due, seconds(90));
    let retry = pick(&selector, due);
    assert_eq!(number(&retry), 0);
    assert!(matches!(
        selector.failed(retry, Failure::TimedOut, seconds(120)).transition,
        Some(Transition::StillUnhealthy(mark))
            if mark.next_retry == seconds(180) && mark.last_attempt == seconds(120) && mark.retries() == 1
    ));
}

#[test]
fn any_success_takes_the_target_off_the_list_at_once() {
    let health = Health::default();
    let selector = proved(&[1, 1], Settings::hub(), &health);
    let early = pick(&selector, Tick::START);
    assert_eq!(number(&early), 0);
    mark(&selector, 0, seconds(1));
    match selector.connected(early, seconds(5)) {
        Some(Transition::HealthyAgain { mark, after }) => {
            assert_eq!(mark.address, address(0));
            assert_eq!(after, Micros::SECOND.times(4), "begun before the mark, and a success all the same");
        }
        other => panic!("{other:?}"),
    }
    assert!(health.unhealthy().is_empty());
    mark(&selector, 0, seconds(6));
    let heartbeat = selector.heartbeat(address(0)).unwrap();
    assert!(matches!(selector.connected(heartbeat, seconds(7)), Some(Transition::HealthyAgain { .. })));
    let retry = mark(&selector, 0, seconds(8));
    let retry = pick(&selector, retry);
    assert!(matches!(selector.connected(retry, seconds(70)), Some(Transition::HealthyAgain { .. })));
    assert_eq!(count(&connections(&selector, 10, seconds(70)), 0), 5);
}

#[test]
fn the_failure_of_an_attempt_begun_before_the_mark_changes_nothing() {
    let health = Health::default();
    let selector = proved(&[1, 1], Settings::hub(), &health);
    let mut early: Vec<_> = (0..6).map(|_| pick(&selector, Tick::START)).collect();
    early.retain(|attempt| number(attempt) == 0);
    let mut early = early.into_iter();
    let first = selector.failed(early.next().unwrap(), Failure::Refused, seconds(1));
    assert!(matches!(first.transition, Some(Transition::BecameUnhealthy(_))));
    let before = health.unhealthy();
    let second = selector.failed(early.next().unwrap(), Failure::TimedOut, seconds(30));
    assert_eq!(second.transition, None);
    assert_eq!(health.unhealthy(), before);
    // Nor when the target has come back meanwhile: what is known of it is younger.
    let retry = pick(&selector, seconds(61));
    assert!(selector.connected(retry, seconds(61)).is_some());
    let third = selector.failed(early.next().unwrap(), Failure::TimedOut, seconds(62));
    assert_eq!(third.transition, None);
    assert!(health.unhealthy().is_empty());
}

#[test]
fn the_failure_of_a_heartbeat_marks_a_healthy_target_and_never_moves_the_retries_of_an_unhealthy_one() {
    let health = Health::default();
    let selector = proved(&[1, 1], Settings::hub(), &health);
    mark(&selector, 0, Tick::START);
    let before = health.unhealthy();
    let heartbeat = selector.heartbeat(address(0)).unwrap();
    assert_eq!(selector.failed(heartbeat, Failure::Refused, seconds(20)).transition, None);
    assert_eq!(health.unhealthy(), before);
}

#[test]
fn our_own_errors_mark_nobody() {
    let health = Health::default();
    let selector = proved(&[1, 1], Settings::hub(), &health);
    for failure in Failure::ALL.into_iter().filter(|failure| !failure.marks()) {
        let attempt = pick(&selector, Tick::START);
        assert_eq!(selector.failed(attempt, failure, Tick::START).transition, None, "{failure}");
        assert!(health.unhealthy().is_empty(), "{failure}");
    }
    for failure in Failure::ALL.into_iter().filter(|failure| failure.marks()) {
        let attempt = selector.heartbeat(address(0)).unwrap();
        assert!(selector.failed(attempt, failure, Tick::START).transition.is_some(), "{failure}");
        let attempt = selector.heartbeat(address(0)).unwrap();
        assert!(selector.connected(attempt, Tick::START).is_some());
    }
}

#[test]
fn a_retry_that_our_own_error_ends_comes_again_at_the_same_interval() {
    let health = Health::default();
    let selector = proved(&[1, 1], Settings::hub(), &health);
    let due = mark(&selector, 0, Tick::START);
    let retry = pick(&selector, due);
    assert_eq!(retry.kind(), Kind::Retry);
    assert_eq!(selector.failed(retry, Failure::TooManyFiles, due).transition, None);
    let mark = health.unhealthy()[0];
    assert_eq!((mark.failures, mark.failure), (1, Failure::Refused));
    assert_eq!(mark.next_retry, due.plus(hub_interval(0)));
    assert_eq!(connect(&selector, due), 1, "nobody is held up");
}

#[test]
fn a_guard_that_is_dropped_gives_the_retry_back() {
    let selector = proved(&[1, 1], Settings::hub(), &Health::default());
    let due = mark(&selector, 0, Tick::START);
    let retry = pick(&selector, due);
    assert_eq!((number(&retry), retry.kind()), (0, Kind::Retry));
    assert_eq!(connections(&selector, 3, due), [1, 1, 1], "one attempt alone");
    drop(retry);
    let retry = pick(&selector, due);
    assert_eq!((number(&retry), retry.kind()), (0, Kind::Retry));
}

#[test]
fn a_guard_that_is_held_too_long_loses_the_retry_and_its_failure_changes_nothing() {
    let health = Health::default();
    let selector = proved(&[1, 1], Settings::hub(), &health);
    let due = mark(&selector, 0, Tick::START);
    let lost = pick(&selector, due);
    let late = due.plus(Settings::hub().attempt_timeout);
    assert_eq!(connections(&selector, 2, Tick::new(late.micros() - 1)), [1, 1]);
    let retry = pick(&selector, late);
    assert_eq!((number(&retry), retry.kind()), (0, Kind::Retry));
    let before = health.unhealthy();
    assert_eq!(selector.failed(lost, Failure::TimedOut, late).transition, None);
    assert_eq!(health.unhealthy(), before);
    assert_eq!(connect(&selector, late), 1, "the right is the second one's, also now");
    assert!(selector.failed(retry, Failure::TimedOut, late).transition.is_some());
}

#[test]
fn when_all_are_unhealthy_none_is_chosen_until_the_next_due_retry() {
    let selector = proved(&[1, 1, 1], Settings::hub(), &Health::default());
    for number in 0..3 {
        mark(&selector, number, seconds(10 * u64::try_from(number).unwrap()));
    }
    assert_eq!(none_until(&selector, seconds(25)), seconds(60));
    let retry = pick(&selector, seconds(60));
    assert_eq!(number(&retry), 0);
    assert_eq!(none_until(&selector, seconds(60)), seconds(70));
    let _ = selector.failed(retry, Failure::Refused, seconds(60));
    assert_eq!(none_until(&selector, seconds(61)), seconds(70));
    let retry = pick(&selector, seconds(70));
    assert_eq!(number(&retry), 1);
    assert!(selector.connected(retry, seconds(71)).is_some());
    assert_eq!(connections(&selector, 3, seconds(71)), [1, 1, 1]);
}

#[test]
fn all_are_used_when_all_are_unhealthy_and_the_administrator_wants_that() {
    let settings = Settings { all_down: AllDown::UseAll, ..Settings::hub() };
    let selector = proved(&[1, 1], settings, &Health::default());
    mark(&selector, 0, Tick::START);
    assert_eq!(connections(&selector, 2, Tick::START), [1, 1], "not before all are");
    mark(&selector, 1, Tick::START);
    let used: Vec<_> = (0..4).map(|_| number(&pick(&selector, seconds(1)))).collect();
    assert_eq!(used, [0, 1, 0, 1]);
    let attempt = pick(&selector, seconds(1));
    assert_eq!(number(&attempt), 0);
    assert!(selector.connected(attempt, seconds(1)).is_some());
    assert_eq!(connections(&selector, 2, seconds(1)), [0, 0], "the one that works is enough");
}

#[test]
fn retry_now_makes_one_attempt_due() {
    let health = Health::default();
    let selector = proved(&[1, 1], Settings::hub(), &health);
    mark(&selector, 0, Tick::START);
    assert_eq!(connections(&selector, 2, seconds(5)), [1, 1]);
    assert_eq!(health.retry_now(address(1), seconds(5)), Ok(None), "nothing to retry");
    let told = health.retry_now(address(0), seconds(5)).unwrap().unwrap();
    assert_eq!(told.next_retry, seconds(5));
    let retry = pick(&selector, seconds(5));
    assert_eq!((number(&retry), retry.kind()), (0, Kind::Retry));
    assert_eq!(connect(&selector, seconds(5)), 1);
}

#[test]
fn a_target_that_was_disabled_while_unhealthy_is_tried_as_soon_as_it_is_enabled() {
    let health = Health::default();
    let selector = proved(&[1, 1], Settings::hub(), &health);
    mark(&selector, 0, Tick::START);
    health.disable(address(0), seconds(1)).unwrap();
    assert_eq!(connections(&selector, 2, minutes(5)), [1, 1], "no retry of a disabled target");
    health.enable(address(0), minutes(6)).unwrap();
    let retry = pick(&selector, minutes(6));
    assert_eq!((number(&retry), retry.kind()), (0, Kind::Retry));
}

#[test]
fn a_target_gets_one_connection_first_and_keeps_its_turn() {
    let selector = selector(&[1, 1, 1], Settings::hub(), &Health::default());
    let first = pick(&selector, Tick::START);
    assert_eq!((number(&first), first.kind()), (0, Kind::First));
    assert_eq!(connections(&selector, 5, Tick::START), [1, 2, 1, 2, 1], "others skip it meanwhile");
    assert!(matches!(selector.connected(first, Tick::START), Some(Transition::Proved(_))));
    assert_eq!(connections(&selector, 4, Tick::START), [0, 2, 1, 0]);
}

#[test]
fn a_first_connection_that_is_dropped_may_be_made_by_another() {
    let selector = selector(&[1], Settings::hub(), &Health::default());
    let first = pick(&selector, Tick::START);
    let until = none_until(&selector, Tick::START);
    assert_eq!(until, Tick::START.plus(Settings::hub().attempt_timeout));
    drop(first);
    assert_eq!(pick(&selector, Tick::START).kind(), Kind::First);
}

#[test]
fn a_target_that_only_we_cannot_reach_holds_nobody_up() {
    let selector = selector(&[1, 1, 1], Settings::hub(), &Health::default());
    let mut got = [0usize; 3];
    for _ in 0..90 {
        let attempt = pick(&selector, Tick::START);
        let number = number(&attempt);
        got[number] += 1;
        if number == 0 {
            let _ = selector.failed(attempt, Failure::AddressNotAvailable, Tick::START);
        } else {
            let _ = selector.connected(attempt, Tick::START);
        }
    }
    assert_eq!(got, [30, 30, 30]);
}

#[test]
fn a_black_hole_costs_one_connect_timeout_and_not_one_a_message() {
    let selector = selector(&[1, 1, 1], Settings::hub(), &Health::default());
    let timeout = 30;
    let mut waiting = None;
    let mut waits = 0;
    // Twenty messages a second for five minutes; the connect to target 1 is never answered.
    for step in 0..20 * 300u64 {
        let now = Tick::START.plus(Micros::new(step * 50_000));
        if let Some((attempt, _)) = waiting.take_if(|(_, until)| *until <= now) {
            let _ = selector.failed(attempt, Failure::TimedOut, now);
        }
        let attempt = pick(&selector, now);
        if number(&attempt) == 1 {
            assert!(waiting.is_none(), "one at a time");
            waiting = Some((attempt, now.plus(Micros::SECOND.times(timeout))));
            waits += 1;
        } else {
            let _ = selector.connected(attempt, now);
        }
    }
    // At first, and at the retries, each a minute after the end of the attempt before: 0, 1:30, 3:00, 4:30.
    assert_eq!(waits, 4);
}

#[test]
fn all_selectors_share_one_list_and_one_retry() {
    let health = Health::default();
    let one = proved(&[1, 1], Settings::hub(), &health);
    let other = selector(&[1, 1], Settings::hub(), &health);
    let due = mark(&one, 0, Tick::START);
    assert_eq!(connections(&other, 3, Tick::START), [1, 1, 1]);
    let retry = pick(&other, due);
    assert_eq!(retry.kind(), Kind::Retry);
    assert_eq!(connections(&one, 3, due), [1, 1, 1]);
    assert!(other.connected(retry, due).is_some());
    assert_eq!(connections(&one, 4, due), [0, 1, 0, 1]);
}
