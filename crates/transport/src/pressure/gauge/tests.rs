use proptest::prelude::*;
use weir_units::Micros;

use super::super::settings::{MarksError, PressureSettings, Resource};
use super::*;

fn seconds(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

fn check(marks: Marks, steps: &[(u64, u64, Level)]) {
    let mut gauge = Gauge::new(marks);
    for (second, value, expected) in steps {
        let before = gauge.level();
        let change = gauge.observe(*value, seconds(*second));
        assert_eq!(gauge.level(), *expected, "{value} at {second} s");
        assert_eq!(change.is_some(), before != *expected);
    }
}

#[test]
fn a_level_rises_at_once_and_falls_at_a_lower_mark() {
    use Level::{High, Low, Medium};
    let disk = PressureSettings::default().disk;
    check(
        disk,
        &[(0, 89, Low), (1, 90, Medium), (2, 99, Medium), (3, 100, High), (4, 91, High), (5, 90, Medium)],
    );
    check(disk, &[(0, 100, High), (1, 81, Medium), (2, 80, Low), (3, 89, Low)]);
    check(disk, &[(0, 100, High), (1, 0, Low)]);
}

#[test]
fn the_queue_has_to_be_short_for_ten_minutes() {
    use Level::{High, Low, Medium};
    let queue = PressureSettings::default().queue_length;
    check(
        queue,
        &[
            (0, 9_999, Low),
            (1, 10_000, Medium),
            (2, 15_001, High),
            (3, 10_000, High),
            (602, 10_000, High),
            (603, 10_000, Medium),
            (604, 2_000, Medium),
            (900, 2_001, Medium),
            (901, 2_000, Medium),
            (1500, 2_000, Medium),
            (1501, 0, Low),
        ],
    );
    check(queue, &[(0, 20_000, High), (1, 0, High), (601, 0, Low)]);
}

#[test]
fn marks_that_let_a_level_flicker_are_refused() {
    let disk = PressureSettings::default().disk;
    let check = |marks: Marks, expected: &str| {
        assert_eq!(marks.checked(Resource::Disk).unwrap_err().to_string(), expected);
    };
    check(Marks { low_to_medium: 99, ..disk }, "disk: low_to_medium must be below medium_to_high");
    check(Marks { high_to_medium: 100, ..disk }, "disk: high_to_medium must not be above medium_to_high");
    check(Marks { medium_to_low: 90, ..disk }, "disk: medium_to_low must not be above low_to_medium");
    check(
        Marks { medium_to_low: 85, high_to_medium: 84, ..disk },
        "disk: medium_to_low must not be above high_to_medium",
    );
    assert!(PressureSettings::default().checked().is_ok());
    assert!(matches!(
        PressureSettings { memory: Marks { low_to_medium: 99, ..disk }, ..PressureSettings::default() }
            .checked(),
        Err(MarksError::Order { resource: "memory" })
    ));
}

/// All that was ever seen is looked at again each time.
fn slowly(marks: Marks, history: &[(u64, u64)]) -> Level {
    let mut level = Level::Low;
    for (end, (now, value)) in history.iter().enumerate() {
        let calm_for = |mark: u64| {
            let run = history[..=end].iter().rev().take_while(|(_, value)| *value <= mark);
            run.last().is_some_and(|(since, _)| seconds(*now).since(seconds(*since)) >= marks.calm)
        };
        if level == Level::High && calm_for(marks.high_to_medium) {
            level = Level::Medium;
        }
        if level == Level::Medium && calm_for(marks.medium_to_low) {
            level = Level::Low;
        }
        if *value > marks.low_to_medium {
            level = level.max(Level::Medium);
        }
        if *value > marks.medium_to_high {
            level = Level::High;
        }
    }
    level
}

proptest! {
    #[test]
    fn the_level_is_what_the_whole_history_says(
        steps in prop::collection::vec((0..20_u64, 0..12_u64), 1..60),
        calm in 0..40_u64,
    ) {
        let marks = Marks {
            low_to_medium: 6,
            medium_to_high: 9,
            high_to_medium: 7,
            medium_to_low: 3,
            calm: Micros::SECOND.times(calm),
        };
        let mut gauge = Gauge::new(marks);
        let (mut now, mut history) = (0, Vec::new());
        for (gap, value) in steps {
            now += gap;
            history.push((now, value));
            gauge.observe(value, seconds(now));
            prop_assert_eq!(gauge.level(), slowly(marks, &history), "{:?}", history);
        }
    }
}
