use super::*;

/// When a target that never answers is tried, in `unit`s after the first failure.
fn table(schedule: &Schedule, unit: Micros, retries: u32) -> Vec<u64> {
    let mut at = Micros::ZERO;
    (0..retries)
        .map(|made| {
            at = at.plus(schedule.interval(made));
            at.count() / unit.count()
        })
        .collect()
}

fn minutes(count: u64) -> Micros {
    Micros::MINUTE.times(count)
}

#[test]
fn the_named_schedules_are_the_documents_tables() {
    let check = |schedule: Schedule, unit, expected: &[u64]| {
        let retries = u32::try_from(expected.len()).unwrap();
        assert_eq!(table(&schedule, unit, retries), expected, "{schedule:?}");
    };
    check(Schedule::hub(), Micros::MINUTE, &[1, 2, 3, 4, 9, 14, 19, 24, 29, 34, 44, 54, 64, 74]);
    check(Schedule::edge(), Micros::MINUTE, &[1, 2, 3, 4, 14, 24, 34, 44, 54, 64, 94, 124, 154]);
    check(Schedule::origin(), Micros::SECOND, &[5, 10, 15, 20, 35, 50, 65, 80, 95, 110, 170, 230, 290]);
}

#[test]
fn a_count_of_zero_skips_its_stage() {
    let check = |glitch, transient, expected: &[u64]| {
        let stage = |interval, count| Stage::new(minutes(interval), count).unwrap();
        let schedule = Schedule::new(stage(1, glitch), stage(5, transient), minutes(10)).unwrap();
        assert_eq!(table(&schedule, Micros::MINUTE, 4), expected, "{glitch} and {transient}");
    };
    check(0, 2, &[5, 10, 20, 30]);
    check(2, 0, &[1, 2, 12, 22]);
    check(0, 0, &[10, 20, 30, 40]);
    check(1, 1, &[1, 6, 16, 26]);
    check(15, 15, &[1, 2, 3, 4]);
}

#[test]
fn counts_and_intervals_outside_their_ranges_are_refused() {
    let count = |given| Stage::new(Micros::MINUTE, given).map(|_| ());
    assert_eq!(count(15), Ok(()));
    assert_eq!(count(16), Err(ScheduleError::Count { given: 16 }));
    let check = |given: Micros, good: bool| {
        let expected = if good { Ok(()) } else { Err(ScheduleError::Interval { given }) };
        assert_eq!(Stage::new(given, 1).map(|_| ()), expected);
        let stage = Stage::new(Micros::MINUTE, 1).unwrap();
        assert_eq!(Schedule::new(stage, stage, given).map(|_| ()), expected);
    };
    check(Micros::ZERO, false);
    check(Micros::new(999_999), false);
    check(Micros::SECOND, true);
    check(minutes(24 * 60), true);
    check(minutes(24 * 60).plus(Micros::new(1)), false);
    let told = ScheduleError::Interval { given: Micros::new(10_000) }.to_string();
    assert_eq!(told, "an interval of a retry schedule is 1 s to 24 h, and 10 ms is not");
}

#[test]
fn the_last_stage_lasts_for_ever() {
    assert_eq!(Schedule::hub().interval(u32::MAX), minutes(10));
}
