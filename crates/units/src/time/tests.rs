//! Time arithmetic saturates and rounds in favour of whoever would wait.

use std::time::Duration;

use super::{Micros, Millis, Tick, WallTime};

#[test]
fn a_started_millisecond_is_waited_for_whole() {
    for (micros, floor, ceil) in [(0, 0, 0), (1, 0, 1), (999, 0, 1), (1000, 1, 1), (1001, 1, 2)] {
        assert_eq!(Micros::new(micros).floor_millis(), Millis::new(floor), "{micros}");
        assert_eq!(Micros::new(micros).ceil_millis(), Millis::new(ceil), "{micros}");
    }
}

#[test]
fn arithmetic_saturates() {
    let most = Micros::new(u64::MAX);
    assert_eq!(most.plus(Micros::SECOND), most);
    assert_eq!(most.times(2), most);
    assert_eq!(Micros::ZERO.minus(Micros::SECOND), Micros::ZERO);
    assert_eq!(Tick::NEVER.plus(Micros::SECOND), Tick::NEVER);
    assert_eq!(Millis::new(u64::MAX).micros(), most);
    assert_eq!(WallTime::from_unix_micros(i64::MAX).plus(most).unix_micros(), i64::MAX);
}

#[test]
fn durations_convert_both_ways() {
    assert_eq!(Micros::from(Duration::from_millis(3)), Millis::new(3).micros());
    assert_eq!(Duration::from(Micros::MINUTE), Duration::from_mins(1));
}

#[test]
fn seconds_before_the_epoch_round_down() {
    assert_eq!(WallTime::from_unix_micros(-1).unix_seconds(), -1);
    assert_eq!(WallTime::from_unix_micros(1_999_999).unix_seconds(), 1);
}
