use super::*;

/// A trial in which so many calls of each kind took so long on either side, and as many ended on both.
fn trial(few: u32, many: u32, light: [(u32, f64); 2], heavy: [(u32, f64); 2]) -> Trial {
    let mut trial = Trial::default().after(few, many);
    for (kind, sides) in [(Kind::Light, light), (Kind::Heavy, heavy)] {
        for (side, (count, took)) in [Side::Few, Side::Many].into_iter().zip(sides) {
            (0..count).for_each(|_| trial.end(side, kind, Some((took, false))));
        }
    }
    trial
}

fn places(trial: &Trial) -> f64 {
    trial.seen(&ByKind::default()).unwrap().places
}

#[test]
fn what_the_origin_works_on_at_once_is_told_however_kinds_are_mixed() {
    // Six of six at once; then nine, of which six are worked on and three wait as long as the mean call lasts by then.
    for (with_few, with_many) in [((20, 10), (20, 10)), ((25, 5), (10, 40)), ((5, 25), (40, 10))] {
        let (light, heavy) = (10.0, 100.0);
        let work = f64::from(with_many.0) * light + f64::from(with_many.1) * heavy;
        let wait = work * 0.5 / f64::from(with_many.0 + with_many.1);
        let trial = trial(
            6,
            9,
            [(with_few.0, light), (with_many.0, light + wait)],
            [(with_few.1, heavy), (with_many.1, heavy + wait)],
        );
        assert!((places(&trial) - 6.0).abs() < 1e-9, "{} places", places(&trial));
    }
}

#[test]
fn calls_that_take_as_long_with_more_places_show_that_there_is_room() {
    let trial = trial(4, 8, [(32, 10.0), (32, 10.0)], [(0, 0.0), (0, 0.0)]);
    assert!((places(&trial) - 8.0).abs() < 1e-9);
    assert!((trial.expects(8.0)).abs() < 1e-9);
    assert!((trial.expects(2.0) - trial.expects(4.0)).abs() < 1e-9, "nothing is told beyond either side");
}

#[test]
fn times_of_calls_that_waited_for_one_another_say_less_than_as_many_others() {
    let varied = |mean: f64| [(16, mean * 0.5), (16, mean * 1.5)];
    let error = |with_few: f64, with_many: f64| {
        let mut trial = Trial::default().after(8, 16);
        for (side, mean) in [(Side::Few, with_few), (Side::Many, with_many)] {
            for (count, took) in varied(mean) {
                (0..count).for_each(|_| trial.end(side, Kind::Light, Some((took, false))));
            }
        }
        trial.seen(&ByKind::default()).unwrap().error()
    };
    let (nobody_waits, most_wait) = (error(10.0, 10.0), error(40.0, 80.0));
    assert!(most_wait > 1.4 * nobody_waits, "{most_wait}, and {nobody_waits}");
}

#[test]
fn a_trial_in_which_most_calls_fail_or_take_for_ever_says_nothing() {
    let sound = trial(4, 8, [(32, 10.0), (32, 20.0)], [(0, 0.0), (0, 0.0)]);
    let (mut failed, mut stood) = (sound, sound);
    (0..65).for_each(|_| failed.end(Side::Many, Kind::Light, None));
    (0..10).for_each(|_| stood.end(Side::Many, Kind::Light, Some((80.0, true))));
    assert!(sound.seen(&ByKind::default()).is_some());
    assert!(failed.seen(&ByKind::default()).is_none());
    assert!(stood.seen(&ByKind::default()).is_none());
}
