use super::*;

fn parameter(name: &str) -> Parameter {
    Parameter::from_name(name).unwrap()
}

#[test]
fn value_null_and_left_out_stay_apart() {
    let mut policy = Policy::new();
    policy.set_named("EWSFindCountLimit", "1").unwrap();
    policy.set_named("cpustartpercent", "$null").unwrap();
    assert_eq!(policy.setting(parameter("EWSFindCountLimit")), Setting::Value(1));
    assert_eq!(policy.setting(parameter("CPUStartPercent")), Setting::Null);
    assert_eq!(policy.setting(parameter("EWSMaxConcurrency")), Setting::LeftOut);
    assert_eq!(policy.settings().count(), 2);
    policy.set(parameter("EWSFindCountLimit"), Setting::LeftOut).unwrap();
    assert_eq!(policy.settings().count(), 1);
}

#[test]
fn a_policy_is_stored_as_a_map_and_comes_back_the_same() {
    let mut policy = Policy::new();
    policy.set_named("EWSFindCountLimit", "1").unwrap();
    policy.set_named("CPUStartPercent", "null").unwrap();
    let text = serde_json::to_string(&policy).unwrap();
    assert_eq!(text, r#"{"EWSFindCountLimit":1,"CPUStartPercent":null}"#);
    assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), policy);
    assert_eq!(serde_json::from_str::<Policy>("{}").unwrap(), Policy::new());
    let fallback = serde_json::to_string(&Policy::fallback()).unwrap();
    assert_eq!(serde_json::from_str::<Policy>(&fallback).unwrap(), Policy::fallback());
}

#[test]
fn what_cannot_be_is_an_error_that_says_what_is_allowed() {
    let check = |text: &str, said: &[&str]| {
        let error = serde_json::from_str::<Policy>(text).unwrap_err().to_string();
        for word in said {
            assert!(error.contains(word), "{text}: {error}");
        }
    };
    check(r#"{"EWSFindCount":1}"#, &["no policy parameter is called \"EWSFindCount\"", "EWSFindCountLimit"]);
    check(r#"{"CPUStartPercent":101}"#, &["CPUStartPercent is 101", "0 to 100"]);
    check(r#"{"EWSMaxConcurrency":-1}"#, &["EWSMaxConcurrency is -1", "0 to 2147483647"]);
    check(r#"{"EWSMaxConcurrency":2147483648}"#, &["0 to 2147483647"]);
    check(r#"{"EWSMaxConcurrency":99999999999}"#, &["99999999999", "0 to 2147483647"]);
    check(r#"{"EWSMaxConcurrency":1,"ewsmaxconcurrency":2}"#, &["EWSMaxConcurrency is given twice"]);
    check(r#"{"EWSMaxConcurrency":"1"}"#, &["invalid type"]);
    check("[]", &["a map of parameter names"]);
}

#[test]
fn a_refused_setting_changes_nothing() {
    let mut policy = Policy::new();
    policy.set_named("CPUStartPercent", "50").unwrap();
    let error = policy.set_named("CPUStartPercent", "101").unwrap_err();
    assert_eq!(error, PolicyError::OutOfRange { parameter: parameter("CPUStartPercent"), value: 101 });
    assert!(matches!(policy.set_named("CPUStart", "1"), Err(PolicyError::UnknownParameter { .. })));
    assert!(matches!(policy.set_named("CPUStartPercent", "ten"), Err(PolicyError::NotANumber { .. })));
    assert!(matches!(policy.set_named("CPUStartPercent", "-1"), Err(PolicyError::NotANumber { .. })));
    assert!(matches!(policy.set_named("CPUStartPercent", ""), Err(PolicyError::NotANumber { .. })));
    assert!(policy.set_named("FairShareWeight", "0").is_err());
    assert_eq!(policy.setting(parameter("CPUStartPercent")), Setting::Value(50));
}

#[test]
fn a_setting_reads_what_it_prints() {
    for setting in [Setting::Null, Setting::Value(0), Setting::Value(1000), Setting::Value(u32::MAX)] {
        assert_eq!(setting.to_string().parse(), Ok(setting));
    }
    assert_eq!("NULL".parse(), Ok(Setting::Null));
    assert_eq!(" $Null ".parse(), Ok(Setting::Null));
}

#[test]
fn the_fallback_policy_has_the_documents_values_and_null_for_all_else() {
    let values = [
        ("AnonymousMaxConcurrency", 1),
        ("EASMaxConcurrency", 10),
        ("EASMaxDevices", 10),
        ("EWSMaxConcurrency", 10),
        ("EWSPercentTimeInAD", 50),
        ("EWSPercentTimeInCAS", 90),
        ("EWSPercentTimeInAddressBook", 50),
        ("EWSPercentTimeInMailboxRPC", 60),
        ("EWSMaxSubscriptions", 5000),
        ("EWSFastSearchTimeoutInSeconds", 60),
        ("EWSFindCountLimit", 1000),
        ("OWAMaxConcurrency", 5),
        ("OWAPercentTimeInAD", 30),
        ("OWAPercentTimeInCAS", 150),
        ("OWAPercentTimeInMailboxRPC", 150),
        ("POPMaxConcurrency", 20),
        ("RCAMaxConcurrency", 20),
        ("CPAMaxConcurrency", 20),
        ("PowerShellMaxConcurrency", 18),
        ("CPUStartPercent", 75),
    ];
    let fallback = Policy::fallback();
    for parameter in Parameter::all() {
        let value = values.iter().find(|(name, _)| *name == parameter.name());
        let expected = value.map_or(Setting::Null, |(_, value)| Setting::Value(*value));
        assert_eq!(fallback.setting(parameter), expected, "{parameter}");
    }
}

#[test]
fn every_number_out_of_range_is_told_with_the_range() {
    for parameter in Parameter::all() {
        let (least, most) = parameter.range();
        for value in [least.checked_sub(1), most.checked_add(1)].into_iter().flatten() {
            let error = Policy::new().set(parameter, Setting::Value(value)).unwrap_err().to_string();
            let told = format!("{parameter} is {value}; allowed is {least} to {most}, or null for no limit");
            assert_eq!(error, told);
        }
        for inside in [least, most] {
            Policy::new().set(parameter, Setting::Value(inside)).unwrap();
        }
    }
}
