use weir_throttle::Policy;

use super::*;

fn view(name: &str, default: bool, settings: &[(&str, Option<i64>)]) -> PolicyView {
    PolicyView {
        name: name.to_owned(),
        organisation: "example.com".to_owned(),
        default,
        settings: settings.iter().map(|(name, limit)| ((*name).to_owned(), *limit)).collect(),
        effective: SettingMap::new(),
        not_enforced: Vec::new(),
        mailboxes: 0,
        unreadable: None,
    }
}

#[test]
fn a_file_says_value_null_and_nothing_in_the_order_of_the_table() {
    let policies = [
        view("Foo \"Bar\"", false, &[("cpu_start_percent", None), ("ews_find_count_limit", Some(7))]),
        view("Default", true, &[]),
    ];
    let text = written(&policies).unwrap();
    let expected = "
[[policy]]
name = 'Foo \"Bar\"'
organisation = \"example.com\"

[policy.settings]
EWSFindCountLimit = 7
CPUStartPercent = \"null\"

[[policy]]
name = \"Default\"
organisation = \"example.com\"
default = true

[policy.settings]
";
    assert_eq!(text.strip_prefix(HEAD).unwrap(), expected);
}

#[test]
fn what_was_written_is_read_again() {
    let fallback = Policy::fallback();
    let settings: Vec<_> = fallback
        .settings()
        .map(|(parameter, setting)| (names::snake_case(parameter.name()), setting.to_string().parse().ok()))
        .collect();
    let settings: Vec<_> = settings.iter().map(|(name, limit)| (name.as_str(), *limit)).collect();
    let policies =
        [view("A\n'\"\\ü", true, &settings), view("B", false, &[("ews_max_concurrency", Some(0))])];
    let read = read(&written(&policies).unwrap()).unwrap();
    for (read, policy) in read.iter().zip(&policies) {
        assert_eq!((&read.name, read.default), (&policy.name, policy.default.then_some(true)));
        assert_eq!(read.organisation.as_ref(), Some(&policy.organisation));
        let spelt = |(name, limit): (&String, &Option<i64>)| (names::snake_case(name), *limit);
        assert_eq!(read.settings.iter().map(spelt).collect::<SettingMap>(), policy.settings);
    }
    assert_eq!(read.len(), 2);
}

#[test]
fn a_policy_that_cannot_be_read_is_not_written() {
    let broken = PolicyView { unreadable: Some("EOF".to_owned()), ..view("Foo", false, &[]) };
    assert_eq!(written(&[broken]), Err(("Foo".to_owned(), "EOF".to_owned())));
}

#[test]
fn every_mistake_is_told_with_its_line() {
    let text = "[[policy]]
name = \"A\"
defalt = true
[policy.settings]
EWSFindContLimit = 1
CPUStartPercent = 101
EWSMaxConcurrency = \"many\"
EWSPercentTimeInCAS = -1
EASMaxDevices = 99999999999999999999
eas_max_concurrency = 1
EASMaxConcurrency = 1
FairShareWeight = 0
ForwardeeLimit = 1.5
[[policy]]
organisation = \"example.com\"
[[polcy]]
";
    let told: Vec<_> = read(text).unwrap_err().into_iter().map(|it| (it.line, it.text)).collect();
    let expected = [
        (3, "unknown key policy.defalt; did you mean default?"),
        (5, "no policy parameter is called \"EWSFindContLimit\"; close names are EWSFindCountLimit"),
        (6, "CPUStartPercent is 101; allowed is 0 to 100, or null for no limit"),
        (7, "EWSMaxConcurrency is a whole number from 0 to 2147483647, or \"null\" for no limit"),
        (8, "EWSPercentTimeInCAS is -1; allowed is 0 to 2147483647"),
        (9, "EASMaxDevices is 99999999999999999999; allowed is 0 to 2147483647"),
        (11, "EASMaxConcurrency is set twice; name it once"),
        (12, "FairShareWeight is 0; allowed is 1 to 1000"),
        (13, "ForwardeeLimit is a whole number from 0 to 2147483647"),
        (14, "policy.name is missing"),
        (16, "unknown key polcy; did you mean policy?"),
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for ((line, text), (expected_line, expected)) in told.iter().zip(expected) {
        assert_eq!(*line, expected_line, "{text}");
        assert!(text.contains(expected), "{expected} in {text}");
    }
}
