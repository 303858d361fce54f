use super::*;

#[test]
fn a_slip_of_the_hand_finds_the_word_that_was_meant() {
    let known = ["max_delay", "over_budget", "enforce"];
    for (typed, meant) in [
        ("max_dealy", Some("max_delay")),
        ("maxdelay", Some("max_delay")),
        ("Enforce", Some("enforce")),
        ("overbudgets", Some("over_budget")),
        ("colour", None),
        ("", None),
    ] {
        assert_eq!(nearest(typed, known), meant, "{typed}");
    }
}
