use std::collections::BTreeMap;
use std::thread;

use super::*;

fn turns(wheel: &Wheel, count: usize) -> Vec<u16> {
    (0..count).map(|_| wheel.next().unwrap().member).collect()
}

#[test]
fn an_empty_wheel_gives_no_turn() {
    let wheel = Wheel::new(3);
    assert_eq!(wheel.next(), None);
    assert_eq!(wheel.close(), 0);
    wheel.open([].into_iter(), false);
    assert_eq!(wheel.next(), None);
    assert_eq!(wheel.member(0), None);
}

#[test]
fn it_goes_round_and_a_closed_one_says_how_many_turns_it_gave() {
    let wheel = Wheel::new(3);
    wheel.open([7, 8, 9].into_iter(), false);
    assert_eq!(turns(&wheel, 7), [7, 8, 9, 7, 8, 9, 7]);
    assert_eq!(wheel.count_if_open(), 7);
    assert_eq!(wheel.close(), 7);
    assert_eq!(wheel.next(), None, "it is closed");
    assert_eq!(wheel.count_if_open(), 0);
    assert_eq!(wheel.close(), 0, "turns that failed are none");
    wheel.open([8, 9].into_iter(), true);
    assert!(wheel.is_forced());
    assert_eq!(wheel.next(), Some(Turn { member: 8, count: 0, forced: true }));
    assert_eq!(wheel.member(3), Some(9));
}

#[test]
fn what_has_no_room_is_left_out() {
    let wheel = Wheel::new(2);
    wheel.open([1, 2, 3].into_iter(), false);
    assert_eq!(wheel.length(), 2);
}

#[test]
fn wheel_numbers_come_round_without_harm() {
    let wheel = Wheel::new(1);
    for _ in 0..=NUMBERS + 1 {
        let _ = wheel.close();
        wheel.open([5].into_iter(), false);
        assert_eq!(wheel.next().map(|turn| turn.member), Some(5));
    }
}

#[test]
fn every_turn_is_given_once_however_many_ask() {
    const EACH: u32 = 30_000;
    let wheel = Wheel::new(3);
    wheel.open([0, 1, 2].into_iter(), false);
    let mut seen: BTreeMap<u16, u32> = BTreeMap::new();
    thread::scope(|scope| {
        let work = || {
            let mut mine = [0; 3];
            for _ in 0..EACH {
                mine[usize::from(wheel.next().unwrap().member)] += 1;
            }
            mine
        };
        for counts in (0..4).map(|_| scope.spawn(work)).collect::<Vec<_>>() {
            for (member, count) in (0..).zip(counts.join().unwrap()) {
                *seen.entry(member).or_default() += count;
            }
        }
    });
    assert_eq!(seen.into_values().collect::<Vec<_>>(), [4 * EACH / 3; 3]);
}

#[test]
fn no_turn_of_a_wheel_that_is_changed_all_the_time_is_lost_or_given_twice() {
    let wheel = Wheel::new(4);
    wheel.open([0, 1, 2, 3].into_iter(), false);
    let (taken, given) = thread::scope(|scope| {
        let takers: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| (0..20_000u64).filter(|_| wheel.next().is_some()).count()))
            .collect();
        let mut given = 0;
        for round in 0..500u16 {
            given += wheel.close();
            wheel.open((0..=round % 4).rev(), false);
            thread::yield_now();
        }
        let taken: usize = takers.into_iter().map(|taker| taker.join().unwrap()).sum();
        (u64::try_from(taken).unwrap(), given + wheel.close())
    });
    // A turn that was counted just before its wheel was stopped may find the next wheel's head, and is not taken.
    assert!(taken <= given && given - taken <= 3 * 500, "{taken} of {given}");
}

#[test]
fn a_counter_that_runs_into_the_number_stops_the_wheel_until_it_is_started_again() {
    let wheel = Wheel::new(1);
    assert!(wheel.is_worn(), "it was never started");
    wheel.open([5].into_iter(), false);
    assert!(!wheel.is_worn());
    wheel.counter.0.fetch_add(COUNT_MASK, Ordering::Relaxed);
    assert_eq!(wheel.next().map(|turn| turn.count), Some(COUNT_MASK));
    assert_eq!(wheel.next(), None);
    assert!(wheel.is_worn());
    let _ = wheel.close();
    wheel.open([5].into_iter(), false);
    assert_eq!(wheel.next().map(|turn| turn.count), Some(0));
}
