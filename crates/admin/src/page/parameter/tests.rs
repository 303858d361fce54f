use super::*;

#[test]
fn every_parameter_has_a_meaning_of_its_own_within_its_component() {
    let mut seen = std::collections::BTreeSet::new();
    for parameter in Parameter::all() {
        let component = parameter.component().map(weir_units::Component::name);
        assert!(!meaning(parameter).is_empty(), "{parameter}");
        // The one parameter that has two names.
        let twice = parameter.name() == "ExchangeMaxCmdlets";
        assert!(seen.insert((component, meaning(parameter))) || twice, "{parameter}");
    }
}

#[test]
fn values_carry_their_units() {
    let named = |name| Parameter::from_name(name).unwrap();
    assert_eq!(value(named("EWSPercentTimeInCAS"), Some(90)), "90\u{a0}%");
    assert_eq!(value(named("EWSMaxConcurrency"), Some(10)), "10");
    assert_eq!(value(named("EWSMaxConcurrency"), None), "no limit");
    assert_eq!(value(named("EWSFastSearchTimeoutInSeconds"), Some(60)), "60\u{a0}s");
    assert_eq!(value(named("ObserveOnly"), Some(1)), "on");
    assert_eq!(value(named("ObserveOnly"), None), "off");
}
