use super::*;

#[test]
fn an_address_space_is_a_pattern_and_a_cost() {
    let check = |text: &str, pattern: &str, cost: u8| {
        let space: AddressSpace = text.parse().unwrap();
        assert_eq!((space.pattern.to_string().as_str(), space.cost.count()), (pattern, cost), "{text}");
    };
    check("Pool.Test;1", "pool.test", 1);
    check("pool.test", "pool.test", 1);
    check("*;100", "*", 100);
    check("*.pool.test;7", "*.pool.test", 7);
    for bad in ["", ";1", "*;0", "*;101", "*;+1", "*;", "*pool.test", "*.*", "a;1;2", "a b", "*."] {
        assert!(bad.parse::<AddressSpace>().is_err(), "{bad}");
    }
}

#[test]
fn the_domain_itself_is_more_specific_than_what_is_below_a_longer_one() {
    let order = ["*", "*.test", "*.pool.test", "eu.pool.test"];
    let specificity = |text: &str| text.parse::<AddressSpace>().unwrap().pattern.specificity();
    assert!(order.windows(2).all(|pair| specificity(pair[0]) < specificity(pair[1])));
    let domain = "eu.pool.test".parse().unwrap();
    assert!(order.iter().all(|text| text.parse::<AddressSpace>().unwrap().pattern.matches(&domain)));
}
