use super::*;

#[test]
fn a_weight_is_brought_into_its_range() {
    let counts = [0, 1, 2, 999, 1000, 1001, u32::MAX].map(|weight| Weight::new(weight).count());
    assert_eq!(counts, [1, 1, 2, 999, 1000, 1000, 1000]);
}

#[test]
fn who_may_not_wait_is_told_the_bound() {
    let text = Crowded::Owner { limit: 100 }.to_string();
    assert_eq!(text, "100 calls of this owner wait for the server already, and no more may");
}

#[test]
fn rules_rise_and_begin_at_one() {
    let goal = Micros::new(100_000);
    for (min, initial, max) in [(0, 1, 2), (2, 1, 3), (1, 4, 3), (3, 3, 2)] {
        assert_eq!(LimitRules::new(min, initial, max, goal), Err(LimitRulesError { min, initial, max }));
    }
    assert!(LimitRules::new(1, 1, 1, goal).is_ok());
    assert!(LimitRules::fixed(0).is_err());
}
