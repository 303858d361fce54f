use super::*;

fn second(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

#[test]
fn a_cost_counts_for_a_minute_and_less_than_a_slice_more() {
    for (at, until) in [(0, 65), (4, 65), (5, 70), (9, 70), (3_600, 3_665)] {
        let mut quantum = Quantum::default();
        quantum.record(Micros::new(7), second(at));
        assert_eq!(quantum.largest(second(at + 60)), Micros::new(7));
        assert_eq!(quantum.largest(second(until - 1)), Micros::new(7), "recorded at {at} s");
        assert_eq!(quantum.largest(second(until)), Micros::ZERO, "recorded at {at} s");
    }
}

#[test]
fn the_largest_is_followed_by_the_largest_after_it() {
    let mut quantum = Quantum::default();
    for (at, cost) in [(0, 900), (10, 5), (20, 300), (21, 200), (40, 100)] {
        quantum.record(Micros::new(cost), second(at));
    }
    let seen = [41, 64, 65, 84, 85, 104, 105].map(|at| quantum.largest(second(at)).count());
    assert_eq!(seen, [900, 900, 300, 300, 100, 100, 0]);
}

#[test]
fn a_clock_that_steps_back_changes_nothing() {
    let mut quantum = Quantum::default();
    quantum.record(Micros::new(7), second(100));
    quantum.record(Micros::new(9), second(20));
    assert_eq!(quantum.largest(second(0)), Micros::new(9));
    assert_eq!(quantum.largest(second(165)), Micros::ZERO);
}
