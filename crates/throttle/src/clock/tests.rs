use super::*;

fn micros(reading: Reading, at: u64) -> u64 {
    reading.total(Tick::new(at)).since(Sample(0))
}

#[test]
fn the_total_grows_with_each_call_that_runs_and_stands_when_none_does() {
    for hands in [[Hand::Shared; 2], [Hand::Lone, Hand::Shared]] {
        let clock = Clock::new();
        clock.start(hands[0], Tick::new(1_000_000));
        clock.start(hands[1], Tick::new(3_000_000));
        assert_eq!(clock.read().running(), 2);
        assert_eq!(micros(clock.read(), 4_000_000), 4_000_000);
        clock.stop(hands[0], Tick::new(5_000_000));
        clock.stop(hands[1], Tick::new(6_000_000));
        assert_eq!(micros(clock.read(), 6_000_000), 7_000_000);
        assert_eq!(micros(clock.read(), 900_000_000_000), 7_000_000);
        assert_eq!(clock.read().running(), 0);
    }
}

#[test]
fn a_reader_whose_time_is_a_little_behind_sees_nothing_used_and_never_a_huge_sum() {
    let clock = Clock::new();
    clock.start(Hand::Lone, Tick::new(1_000));
    assert_eq!(micros(clock.read(), 999), 0);
}

#[test]
fn sums_hold_when_the_count_of_microseconds_wraps() {
    for wrap in [1u64 << TOTAL_BITS, 1 << (64 - RUNNING_BITS)] {
        let clock = Clock::new();
        clock.start(Hand::Shared, Tick::new(wrap - 5_000_000));
        let before = clock.read().total(Tick::new(wrap - 1_000_000)).sample();
        let after = clock.read().total(Tick::new(wrap + 2_000_000));
        assert!(after.since(before).abs_diff(3_000_000) <= Sample::UNIT);
    }
}

#[test]
fn as_many_calls_as_a_budget_counts_can_run_for_a_minute() {
    let clock = Clock::new();
    let calls = u64::from(crate::PLACES_MAX);
    for _ in 0..calls {
        clock.start(Hand::Shared, Tick::START);
    }
    assert_eq!(micros(clock.read(), 65_000_000), calls * 65_000_000);
}
