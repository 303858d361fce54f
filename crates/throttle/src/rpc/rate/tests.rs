use super::*;

fn millis(count: u64) -> Tick {
    Tick::new(count * 1000)
}

#[test]
fn a_minute_is_the_current_sample_two_full_ones_and_the_rest_of_the_oldest() {
    let mut rate = RopRate::default();
    for (at, rops) in [(19_999, 100), (20_000, 10), (40_000, 20), (60_000, 30)] {
        rate.add(rops, millis(at));
    }
    let check = |at, rops| assert_eq!(rate.last_minute(millis(at)).count(), rops, "at {at} ms");
    check(60_000, 160);
    check(65_000, 135);
    check(79_999, 60);
    check(80_000, 60);
    check(90_000, 55);
    check(120_000, 30);
    check(140_000, 0);
    check(10_000_000, 0);
}

#[test]
fn a_session_younger_than_a_minute_was_idle_before() {
    let mut rate = RopRate::default();
    rate.add(600, millis(1_000_000));
    let minute = rate.last_minute(millis(1_001_000));
    assert_eq!((minute.count(), minute.mean_gap()), (600, Some(Micros::new(100_000))));
}

#[test]
fn a_session_without_operations_has_no_gap_and_outruns_nobody() {
    let none = RopRate::default().last_minute(millis(5));
    assert_eq!(none.mean_gap(), None);
    assert!(!none.outruns(Micros::new(u64::MAX)));
}

#[test]
fn a_gap_lower_than_the_latency_outruns_it_and_an_equal_or_higher_one_does_not() {
    let check = |rops, latency, outruns| {
        let mut rate = RopRate::default();
        rate.add(rops, millis(0));
        assert_eq!(
            rate.last_minute(millis(0)).outruns(Micros::new(latency)),
            outruns,
            "{rops}, {latency} µs"
        );
    };
    // The documents' example: 40 and 10 operations a second.
    check(2_400, 25_000, false);
    check(2_400, 25_001, true);
    check(2_401, 25_000, true);
    check(2_400, 100_000, true);
    check(600, 100_000, false);
    check(601, 100_000, true);
    check(u32::MAX, 0, false);
    check(1, 60_000_000, false);
    check(1, 60_000_001, true);
}

#[test]
fn a_thread_that_was_overtaken_counts_into_the_current_sample() {
    let mut rate = RopRate::default();
    rate.add(5, millis(20_000));
    rate.add(6, millis(19_999));
    assert_eq!(rate.last_minute(millis(19_999)).count(), 11);
    assert_eq!(rate.last_minute(millis(90_000)).count(), 6, "half of eleven, rounded");
}

#[test]
fn counts_stop_at_the_highest_and_time_at_the_last_sample() {
    let mut rate = RopRate::default();
    rate.add(u32::MAX, millis(0));
    rate.add(u32::MAX, millis(0));
    assert_eq!(rate.last_minute(millis(0)).count(), u64::from(u32::MAX));
    rate.add(1, Tick::NEVER);
    assert_eq!(rate.last_minute(Tick::NEVER).count(), 1);
}
