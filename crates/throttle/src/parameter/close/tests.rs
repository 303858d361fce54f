use super::*;

#[test]
fn a_slip_of_the_finger_is_answered_with_the_close_name_first() {
    assert_eq!(Parameter::close_to("EWSFindContLimit").first(), Some(&"EWSFindCountLimit"));
    assert_eq!(Parameter::close_to("ews_findcount_limits").first(), Some(&"EWSFindCountLimit"));
}

#[test]
fn a_name_that_is_like_nothing_gets_no_suggestion() {
    assert!(Parameter::close_to("zzzzzz").is_empty());
    assert!(Parameter::close_to(&"E".repeat(10_000)).is_empty());
}

#[test]
fn distance_counts_single_changes() {
    for (left, right, count) in
        [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("abc", "abd", 1), ("kitten", "sitting", 3)]
    {
        assert_eq!(distance(left, right), count, "{left} {right}");
        assert_eq!(distance(right, left), count, "{right} {left}");
    }
}
