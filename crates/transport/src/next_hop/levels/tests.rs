use std::net::SocketAddr;

use weir_balance::{Failure, Target};
use weir_units::Micros;

use super::*;

fn level(preference: u16, last: &[u8]) -> Level {
    let target = |last: &u8| Target::new(SocketAddr::from(([10, 0, 2, *last], 25)), &format!("mx{last}"));
    Level { preference, targets: last.iter().map(target).collect() }
}

fn levels(health: &Health) -> Levels {
    let levels = [level(10, &[1, 2]), level(20, &[3])];
    Levels::new(&levels, None, Settings::hub(), health).unwrap()
}

fn seconds(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

/// Picks, and reports what happens to `dead` targets and to others; the last part of the address that was picked.
fn go(levels: &Levels, dead: &[u8], now: Tick) -> Option<u8> {
    let Choice::Target { level, attempt } = levels.pick(now) else { return None };
    let selector = levels.selector(level).unwrap();
    let SocketAddr::V4(address) = attempt.address() else { panic!("all are IPv4") };
    let last = address.ip().octets()[3];
    if dead.contains(&last) {
        let _ = selector.failed(attempt, Failure::Refused, now);
    } else {
        let _ = selector.connected(attempt, now);
    }
    Some(last)
}

#[test]
fn the_next_level_is_used_when_every_target_before_it_is_unhealthy() {
    let health = Health::default();
    let levels = levels(&health);
    let found: Vec<_> = (0..6).map(|_| go(&levels, &[1, 2], Tick::START)).collect();
    assert_eq!(found, [1, 2, 3, 3, 3, 3].map(Some));
    assert_eq!(go(&levels, &[2], seconds(60)), Some(1), "its retry is due");
    assert_eq!(go(&levels, &[2], seconds(61)), Some(2), "and so is the other's");
    assert_eq!(go(&levels, &[2], seconds(62)), Some(1), "the first level has a target again");
}

#[test]
fn while_a_better_target_proves_itself_nothing_runs_over_to_the_next_level() {
    let health = Health::default();
    let levels = levels(&health);
    let Choice::Target { attempt: first, .. } = levels.pick(Tick::START) else { panic!("both may be tried") };
    let Choice::Target { attempt: second, .. } = levels.pick(Tick::START) else { panic!("one may be tried") };
    assert!(matches!(levels.pick(Tick::START), Choice::NoneUntil(_)), "both prove themselves");
    let selector = levels.selector(0).unwrap();
    let _ = selector.failed(first, Failure::TimedOut, seconds(30));
    assert!(matches!(levels.pick(seconds(30)), Choice::NoneUntil(_)), "the other still does");
    let _ = selector.connected(second, seconds(30));
    assert_eq!(go(&levels, &[], seconds(31)), Some(2));
}

#[test]
fn when_no_level_has_a_target_the_earliest_retry_is_told() {
    let health = Health::default();
    let levels = levels(&health);
    for second in 0..3 {
        go(&levels, &[1, 2, 3], seconds(second));
    }
    let Choice::NoneUntil(until) = levels.pick(seconds(3)) else { panic!("all are down") };
    assert_eq!(until, seconds(60));
}

#[test]
fn levels_that_were_resolved_again_go_on_with_their_rotation() {
    let health = Health::default();
    let before = levels(&health);
    let first = go(&before, &[], Tick::START);
    let again = Levels::new(&[level(10, &[1, 2])], Some(&before), Settings::hub(), &health).unwrap();
    assert_ne!(go(&again, &[], Tick::START), first);
    let has = |last| again.has(SocketAddr::from(([10, 0, 2, last], 25)));
    assert!(has(1) && has(2) && !has(3));
}
