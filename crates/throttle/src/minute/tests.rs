use super::*;
use crate::clock::Hand;

const CAS: TimePart = TimePart::Cas;

fn second(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

fn start(minute: &Minute, at: Tick) {
    minute.settle(at);
    minute.clock(CAS).start(Hand::Shared, at);
}

fn stop(minute: &Minute, at: Tick) {
    minute.settle(at);
    minute.clock(CAS).stop(Hand::Shared, at);
}

fn used_millis(minute: &Minute, at: Tick) -> u64 {
    minute.view(at).used(CAS).plus(Micros::new(500)).floor_millis().count()
}

#[test]
fn a_ten_minute_call_counts_its_last_sixty_seconds() {
    for touched in [true, false] {
        let minute = Minute::new();
        start(&minute, second(3));
        for at in 4..603 {
            if touched {
                minute.settle(second(at));
            }
            let (used, expected) = (used_millis(&minute, second(at)), (at - 3).min(60) * 1000);
            assert!(used <= expected && used + 5_000 >= expected, "{used} ms at second {at}");
            assert!(at < 65 || used == 60_000, "{used} ms at second {at}");
        }
    }
}

#[test]
fn a_call_of_seventeen_seconds_is_visible_while_it_runs() {
    let minute = Minute::new();
    start(&minute, second(100));
    for ran in 0..=17 {
        assert_eq!(used_millis(&minute, second(100 + ran)), ran * 1000);
    }
    stop(&minute, second(117));
    assert_eq!(used_millis(&minute, second(160)), 17_000);
    assert_eq!(used_millis(&minute, second(165)), 12_000, "the first slice has expired");
    assert_eq!(used_millis(&minute, second(180)), 0);
}

#[test]
fn what_was_used_expires_to_nothing_and_stays_nothing() {
    let minute = Minute::new();
    for at in [0, 7, 13] {
        start(&minute, second(at));
        stop(&minute, second(at).plus(Micros::new(123_500)));
    }
    for at in [78, 100, 1_000, 100_000, 10_000_000] {
        assert!(minute.view(second(at)).used(CAS) <= Micros::new(Sample::UNIT / 2), "at second {at}");
    }
}

#[test]
fn a_budget_that_lay_idle_for_any_time_begins_anew() {
    for gap in [50, 59, 60, 61, 64, 65, 66, 70, 130, 500, 520, 5_000, 1_000_000] {
        let minute = Minute::new();
        start(&minute, second(2));
        stop(&minute, second(5));
        let at = second(5 + gap);
        start(&minute, at);
        let later = at.plus(Micros::SECOND);
        let left = if gap + 6 < 65 { 3_000 * (65 - gap - 6) / 5 } else { 0 };
        assert!(used_millis(&minute, later).abs_diff(1_000 + left.min(3_000)) <= 1, "after {gap} s");
        assert_eq!(used_millis(&minute, at.plus(Micros::SECOND.times(65))), 60_000);
    }
}

#[test]
fn a_late_clock_changes_nothing_that_counts() {
    let minute = Minute::new();
    start(&minute, second(10));
    minute.settle(second(15));
    let late = Tick::new(14_999_990);
    start(&minute, late);
    assert_eq!(used_millis(&minute, late), 5_000, "seen from the border that is written");
    stop(&minute, second(16));
    stop(&minute, second(16));
    assert_eq!(used_millis(&minute, second(16)), 7_000);
}

#[test]
fn the_moment_to_look_again_is_the_first_with_something_left() {
    let check = |calls: &[(u64, u64)], allowance: u64, now: u64, expected: u64| {
        let minute = Minute::new();
        for (from, to) in calls {
            start(&minute, second(*from));
            stop(&minute, second(*to));
        }
        let allowance = Micros::SECOND.times(allowance);
        let clear = minute.clear_at(CAS, allowance, second(now));
        let expected = second(expected);
        let off = clear.since(expected).plus(expected.since(clear));
        assert!(off <= Micros::new(1_000), "{calls:?} of {allowance:?} at {now}: {clear:?}");
        assert!(minute.view(clear).used(CAS) < allowance);
        if clear > second(now) {
            assert!(minute.view(Tick::new(clear.micros() - 1)).used(CAS) >= allowance);
        }
    };
    check(&[(0, 3)], 5, 4, 4);
    check(&[(0, 5)], 5, 5, 60);
    check(&[(0, 5)], 4, 5, 61);
    check(&[(0, 10)], 5, 10, 65);
    check(&[(0, 10)], 1, 10, 69);
    check(&[(0, 5), (30, 35)], 5, 40, 90);
    check(&[(0, 5), (30, 35)], 4, 40, 91);
    check(&[(0, 5), (30, 35)], 4, 62, 91);
    check(&[(10, 60)], 50, 61, 70);
}

#[test]
fn looking_again_is_never_too_early_by_a_fraction() {
    for (used, allowance) in [(3_000_000, 2_000_000), (4_999_999, 1_234_567), (1_000_001, 333_333)] {
        let minute = Minute::new();
        start(&minute, Tick::START);
        stop(&minute, Tick::new(used));
        let allowance = Micros::new(allowance);
        let clear = minute.clear_at(CAS, allowance, second(6));
        assert!(minute.view(clear).used(CAS) < allowance, "{used} of {allowance:?}");
        assert!(minute.view(Tick::new(clear.micros() - 1)).used(CAS) >= allowance, "{used} of {allowance:?}");
    }
}

#[test]
fn nothing_allowed_is_never_clear() {
    assert_eq!(Minute::new().clear_at(CAS, Micros::ZERO, second(1)), Tick::NEVER);
}

#[test]
fn parts_do_not_disturb_one_another() {
    let minute = Minute::new();
    for (part, at) in TimePart::ALL.into_iter().zip(1..) {
        minute.settle(second(at));
        minute.clock(part).start(Hand::Lone, second(at));
    }
    let view = minute.view(second(20));
    for (part, at) in TimePart::ALL.into_iter().zip(1..) {
        assert!(view.used(part).floor_millis().count().abs_diff((20 - at) * 1000) <= 1, "{part:?}");
    }
}
