use super::*;

fn second(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

#[test]
fn the_delay_grows_linearly_from_the_start_to_half_a_second() {
    let check = |busy, start, expected: Option<u64>| {
        let delay = cpu_delay(Busy::new(busy), start);
        assert_eq!(delay, expected.map(Millis::new), "{busy} from {start:?}");
    };
    let start = Some(Percent::new(75));
    check(0, start, None);
    check(7499, start, None);
    check(7500, start, Some(0));
    check(8000, start, Some(100));
    check(8750, start, Some(250));
    check(9999, start, Some(500));
    check(10_000, start, Some(500));
    check(0, Some(Percent::new(0)), Some(0));
    check(5000, Some(Percent::new(0)), Some(250));
    check(10_000, Some(Percent::new(99)), Some(500));
    check(10_000, Some(Percent::new(100)), None);
    check(10_000, Some(Percent::new(101)), None);
    check(10_000, None, None);
}

#[test]
fn a_batch_of_a_hundred_items_waits_for_fifty_seconds_at_worst() {
    let each = cpu_delay(Busy::FULL, Some(Percent::new(75))).unwrap();
    assert_eq!(each.micros().times(100), Micros::SECOND.times(50));
}

#[test]
fn the_mean_is_taken_over_all_cores() {
    let mut window = CpuWindow::new(4);
    assert_eq!(window.busy(), Busy::default());
    window.record(Micros::ZERO, second(0));
    assert_eq!(window.busy(), Busy::default(), "one sample has no span");
    window.record(Micros::SECOND.times(3), second(1));
    assert_eq!(window.busy(), Busy::new(7500));
}

#[test]
fn the_mean_forgets_what_is_older_than_ten_seconds() {
    let mut window = CpuWindow::new(1);
    for at in 0..=20 {
        window.record(Micros::SECOND.times(at), second(at));
    }
    assert_eq!(window.busy(), Busy::FULL);
    for at in 21..=25 {
        window.record(Micros::SECOND.times(20), second(at));
    }
    assert_eq!(window.busy(), Busy::new(5000), "five seconds of ten");
    for at in 26..=30 {
        window.record(Micros::SECOND.times(20), second(at));
    }
    assert_eq!(window.busy(), Busy::new(0));
}

#[test]
fn a_spike_shorter_than_the_window_is_a_share_of_it() {
    let mut window = CpuWindow::new(1);
    for half in 0..=20 {
        window.record(Micros::new(if half < 18 { 0 } else { 1_000_000 }), Tick::new(half * 500_000));
    }
    assert_eq!(window.busy(), Busy::new(1000));
}

#[test]
fn samples_are_bounded_and_a_counter_that_goes_back_begins_anew() {
    let mut window = CpuWindow::new(1);
    for at in 0..1000 {
        window.record(Micros::new(at), Tick::new(at));
    }
    assert_eq!(window.samples.len(), SAMPLES_MAX);
    window.record(Micros::new(5000), Tick::new(999));
    assert_eq!(window.busy(), Busy::FULL, "a sample of the same moment is ignored");
    window.record(Micros::ZERO, Tick::new(2000));
    assert_eq!(window.samples.len(), 1);
}
