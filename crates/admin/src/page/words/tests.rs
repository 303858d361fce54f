use super::*;

#[test]
fn durations_read_as_one_would_say_them() {
    for (milliseconds, told) in [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_000, "1 s"),
        (3_540, "3.5 s"),
        (36_907, "36 s"),
        (90_000, "1.5 min"),
        (720_000, "12 min"),
        (5_400_000, "1.5 h"),
        (u64::MAX, "213503982334 d"),
    ] {
        assert_eq!(duration(milliseconds).replace('\u{a0}', " "), told);
    }
}

#[test]
fn latencies_read_to_the_tenth_where_that_says_something() {
    for (microseconds, told) in [
        (0, "0 ms"),
        (99, "0 ms"),
        (430, "0.4 ms"),
        (2_000, "2 ms"),
        (9_990, "9.9 ms"),
        (25_400, "25 ms"),
        (1_250_000, "1.2 s"),
    ] {
        assert_eq!(latency(microseconds).replace('\u{a0}', " "), told);
    }
}

#[test]
fn thousands_stand_apart() {
    for (number, told) in
        [(0, "0"), (999, "999"), (1_000, "1 000"), (54_000, "54 000"), (1_234_567, "1 234 567")]
    {
        assert_eq!(count(number).replace('\u{202f}', " "), told);
    }
}

#[test]
fn a_logs_moment_is_told_to_the_second() {
    let told = told_moment("2026-11-30T07:38:41.123456Z").0;
    assert_eq!(
        told,
        "<time datetime=\"2026-11-30T07:38:41.123456Z\"><span class=\"quiet\">2026-11-30</span> 07:38:41</time>"
    );
}
