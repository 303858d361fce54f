use super::*;

#[test]
fn times_are_told_in_their_largest_unit() {
    for (milliseconds, told) in [
        (0, "0 ms"),
        (999, "999 ms"),
        (12_900, "12 s"),
        (300_000, "5 min"),
        (10_800_000, "3 h"),
        (200_000_000, "2 d"),
    ] {
        assert_eq!(duration(milliseconds), told);
    }
}

#[test]
fn latencies_are_told_to_the_tenth_where_that_says_something() {
    for (microseconds, told) in [
        (0, "0.0 ms"),
        (430, "0.4 ms"),
        (9_999, "9.9 ms"),
        (25_400, "25 ms"),
        (9_999_000, "9999 ms"),
        (60_000_000, "1 min"),
    ] {
        assert_eq!(latency(microseconds), told);
    }
}

#[test]
fn a_moment_is_told_to_the_second() {
    assert_eq!(to_the_second("2026-11-30T10:14:07.004132Z"), "2026-11-30 10:14:07Z");
    assert_eq!(to_the_second("-"), "-");
}
