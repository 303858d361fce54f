use super::*;

fn policy() -> PolicyView {
    PolicyView {
        name: "Foo".to_owned(),
        organisation: "example.com".to_owned(),
        default: false,
        settings: [("ews_find_count_limit".to_owned(), Some(5)), ("ews_max_concurrency".to_owned(), None)]
            .into(),
        effective: SettingMap::new(),
        not_enforced: Vec::new(),
        mailboxes: 0,
        unreadable: None,
    }
}

fn named(name: &str) -> Parameter {
    Parameter::from_name(name).unwrap()
}

/// What the form `sent` changes, or what is wrong with it.
fn edited(sent: &str) -> Result<Vec<Change>, Vec<String>> {
    let lines = lines(&policy(), &Fields::parse(sent.as_bytes()));
    let errors: Vec<_> = lines.iter().filter_map(|line| line.error.clone()).collect();
    if errors.is_empty() { Ok(changes(&policy(), &lines)) } else { Err(errors) }
}

#[test]
fn a_form_that_says_what_is_stored_changes_nothing() {
    for sent in [
        "",
        "how.EWSFindCountLimit=limit&value.EWSFindCountLimit=5",
        "how.EWSMaxConcurrency=none&value.EWSMaxConcurrency=17",
        "how.EWSMaxSubscriptions=inherit&value.EWSMaxSubscriptions=nonsense",
        "value.EWSFindCountLimit=7",
        "how.EWSFindCountLimit=whatever",
        "how.NoSuchParameter=limit&value.NoSuchParameter=1",
    ] {
        assert_eq!(edited(sent), Ok(vec![]), "{sent}");
    }
}

#[test]
fn value_null_and_left_out_are_three_choices() {
    let changes = edited(
        "how.EWSFindCountLimit=inherit&how.EWSMaxConcurrency=limit&value.EWSMaxConcurrency=+3+&how.CPUStartPercent=none",
    )
    .unwrap();
    let told: Vec<_> = changes.iter().map(|change| (change.parameter, change.before, change.after)).collect();
    assert_eq!(
        told,
        [
            (named("EWSMaxConcurrency"), Setting::Null, Setting::Value(3)),
            (named("EWSFindCountLimit"), Setting::Value(5), Setting::LeftOut),
            (named("CPUStartPercent"), Setting::LeftOut, Setting::Null),
        ]
    );
    let request = request(&changes);
    assert_eq!(request.leave_out, ["ews_find_count_limit"]);
    assert_eq!(request.settings["ews_max_concurrency"], Some(3));
    assert_eq!(request.settings["cpu_start_percent"], None);
}

#[test]
fn a_limit_that_cannot_be_is_told_with_the_range() {
    for (sent, told) in [
        (
            "how.CPUStartPercent=limit&value.CPUStartPercent=101",
            "CPUStartPercent is 101; allowed is 0 to 100, or null for no limit",
        ),
        (
            "how.CPUStartPercent=limit&value.CPUStartPercent=-1",
            "\"-1\" is no number; allowed is 0 to 100, or choose “no limit”",
        ),
        ("how.CPUStartPercent=limit", "\"\" is no number; allowed is 0 to 100, or choose “no limit”"),
        (
            "how.CPUStartPercent=limit&value.CPUStartPercent=null",
            "\"null\" is no number; allowed is 0 to 100, or choose “no limit”",
        ),
    ] {
        assert_eq!(edited(sent), Err(vec![told.to_owned()]), "{sent}");
    }
}
