use super::*;

const OVER: Micros = Micros::MINUTE;

fn at(seconds: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(100 + seconds))
}

#[test]
fn the_share_grows_linearly_from_a_tenth_and_never_shrinks() {
    let check = |seconds, expected| assert_eq!(share(at(0), OVER, at(seconds)), expected, "{seconds}");
    check(0, FIRST);
    check(6, FIRST.max(WHOLE * 6 / 60));
    check(15, WHOLE / 4);
    check(30, WHOLE / 2);
    check(60, WHOLE);
    check(1_000, WHOLE);
    let mut before = 0;
    for seconds in 0..70 {
        let share = share(at(0), OVER, at(seconds));
        assert!(share >= before, "{seconds}");
        before = share;
    }
}

#[test]
fn who_never_went_has_its_whole_share_and_so_has_everybody_without_a_slow_start() {
    assert_eq!(share(Tick::NEVER, OVER, at(0)), WHOLE);
    assert_eq!(share(at(0), Micros::ZERO, at(0)), WHOLE);
}

#[test]
fn the_number_of_turns_taken_is_exact_to_one() {
    for part in [WHOLE / 10, WHOLE / 4, WHOLE / 3, WHOLE / 2, WHOLE * 9 / 10] {
        let thinning = Thinning::default();
        let mut taken = 0;
        for turn in 1..=1_000u64 {
            taken += u64::from(thinning.takes(part));
            assert_eq!(taken, turn * part / WHOLE, "{turn} turns at {part}");
        }
    }
}
