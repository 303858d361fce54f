use super::*;

#[test]
fn a_slip_of_the_finger_is_answered_with_the_close_name_first() {
    assert_eq!(Parameter::close_to("EWSFindContLimit").first(), Some(&"EWSFindCountLimit"));
    assert_eq!(Parameter::close_to("ews_findcount_limits").first(), Some(&"EWSFindCountLimit"));
    assert_eq!(Parameter::close_to("EWSFindCuontLimit").first(), Some(&"EWSFindCountLimit"), "two swapped");
}

#[test]
fn a_name_that_is_like_nothing_gets_no_suggestion() {
    assert!(Parameter::close_to("zzzzzz").is_empty());
    assert!(Parameter::close_to(&"E".repeat(10_000)).is_empty());
}
