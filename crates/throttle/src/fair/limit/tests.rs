use super::*;

const NOW: Tick = Tick::new(1_000_000);

#[test]
fn a_fixed_limit_stays_whatever_calls_take() {
    let mut limit = AdaptiveLimit::new(LimitRules::fixed(3).unwrap());
    for micros in 0..10_000 {
        let mark = limit.start(limit.places(), Kind::Light, NOW);
        limit.end(mark, Micros::new(micros), true, NOW);
        assert_eq!(limit.places(), 3);
    }
}

/// Runs so many calls one after the other, each of which starts as the last that may, and takes what `took` says of the
/// places then.
fn run(limit: &mut AdaptiveLimit, calls: u32, took: impl Fn(u32) -> u64) {
    for _ in 0..calls {
        let places = limit.places();
        let mark = limit.start(places, Kind::Heavy, NOW);
        limit.end(mark, Micros::new(took(places)), true, NOW);
    }
}

/// An origin that works on so many calls at once, each for 10 ms.
fn workers(count: u32) -> impl Fn(u32) -> u64 {
    move |places| 10_000 * u64::from(places.max(count)) / u64::from(count)
}

#[test]
fn the_limit_is_what_the_origin_works_on_and_a_little_more() {
    for (count, most) in [(1, 1), (2, 2), (3, 4), (4, 5), (8, 9), (16, 19), (100, 116), (700, 806)] {
        let mut limit = AdaptiveLimit::new(LimitRules::default());
        run(&mut limit, 100_000, workers(count));
        assert!((count..=most).contains(&limit.places) || count == 1, "{} for {count}", limit.places);
        assert!(limit.places <= most, "{} for {count}", limit.places);
    }
}

#[test]
fn the_limit_keeps_between_its_bounds() {
    let rules = LimitRules::new(4, 8, 20, Micros::ZERO).unwrap();
    for count in [1, 2, 100] {
        let mut limit = AdaptiveLimit::new(rules);
        for _ in 0..10_000 {
            run(&mut limit, 1, workers(count));
            assert!((4..=20).contains(&limit.places()));
        }
    }
}

#[test]
fn calls_that_fail_or_have_not_waited_teach_nothing() {
    let mut limit = AdaptiveLimit::new(LimitRules::default());
    run(&mut limit, 10_000, workers(8));
    let places = limit.places;
    for _ in 0..10_000 {
        let mark = limit.start(limit.places(), Kind::Light, NOW);
        limit.end(mark, Micros::new(50), false, NOW);
        let mark = limit.start(limit.places() - 1, Kind::Light, NOW);
        limit.end(mark, Micros::new(10_000), true, NOW);
    }
    assert_eq!(limit.places, places);
}
