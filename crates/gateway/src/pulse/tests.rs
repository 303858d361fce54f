use weir_throttle::Busy;
use weir_units::WallTime;

use super::{BEATS, Pulse, Traffic};
use crate::request_log::Verdict;

fn at(second: i64) -> WallTime {
    WallTime::from_unix_micros(second * 1_000_000)
}

#[test]
fn a_beat_holds_what_happened_since_the_one_before() {
    let pulse = Pulse::default();
    for verdict in [Verdict::Run, Verdict::Unjudged, Verdict::Refuse, Verdict::Delay] {
        pulse.note(verdict);
    }
    pulse.beat(3, Busy::new(4_200), at(1));
    pulse.note(Verdict::WouldRefuse);
    pulse.note(Verdict::WouldDelay);
    pulse.beat(2, Busy::new(10), at(2));
    let beats = pulse.beats();
    let first = Traffic { requests: 4, refused: 1, delayed: 1, ..Traffic::default() };
    let second = Traffic { requests: 2, would_refuse: 1, would_delay: 1, ..Traffic::default() };
    assert_eq!((beats[0].at, beats[0].traffic, beats[0].connections), (at(1), first, 3));
    assert_eq!((beats[1].at, beats[1].traffic, beats[1].connections), (at(2), second, 2));
    assert_eq!((beats[0].cpu, beats[1].cpu), (Busy::new(4_200), Busy::new(10)));
}

#[test]
fn ten_minutes_are_remembered_and_no_more() {
    let pulse = Pulse::default();
    for second in 0..700 {
        pulse.beat(0, Busy::default(), at(second));
    }
    let beats = pulse.beats();
    assert_eq!((beats.len(), beats[0].at, beats[BEATS - 1].at), (BEATS, at(100), at(699)));
}
