use super::*;

#[test]
fn a_run_of_capitals_is_one_word() {
    for (name, snake) in [
        ("EWSFindCountLimit", "ews_find_count_limit"),
        ("EWSPercentTimeInAD", "ews_percent_time_in_ad"),
        ("EWSPercentTimeInCAS", "ews_percent_time_in_cas"),
        ("EWSPercentTimeInMailboxRPC", "ews_percent_time_in_mailbox_rpc"),
        ("EWSFastSearchTimeoutInSeconds", "ews_fast_search_timeout_in_seconds"),
        ("CPUStartPercent", "cpu_start_percent"),
        ("PowerShellMaxCmdlets", "power_shell_max_cmdlets"),
        ("RCAMaxConcurrency", "rca_max_concurrency"),
        ("OWAPercentTimeInAddressBook", "owa_percent_time_in_address_book"),
        ("AnonymousMaxConcurrency", "anonymous_max_concurrency"),
        ("MessageRateLimit", "message_rate_limit"),
        ("already_small", "already_small"),
        ("", ""),
    ] {
        assert_eq!(snake_case(name), snake, "{name}");
    }
}

#[test]
fn both_spellings_of_every_parameter_are_found() {
    for known in Parameter::all() {
        let snake = snake_case(known.name());
        assert_eq!(parameter(&snake).map(Parameter::name), Some(known.name()), "{snake}");
        assert_eq!(parameter(known.name()).map(Parameter::name), Some(known.name()));
        assert_eq!(parameter(&known.name().to_lowercase()).map(Parameter::name), Some(known.name()));
    }
    assert!(parameter("ews").is_none());
}

#[test]
fn no_two_parameters_share_a_json_name() {
    let mut names: Vec<String> = Parameter::all().map(|known| snake_case(known.name())).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn a_slip_of_the_finger_is_answered_with_the_close_name_first() {
    let close = close_names("EWSFindContLimit");
    assert_eq!(close.first(), Some(&"EWSFindCountLimit"));
    assert!(unknown_parameter("ews_findcount_limits").contains("EWSFindCountLimit"));
}

#[test]
fn a_name_that_is_like_nothing_gets_no_suggestion() {
    assert_eq!(
        unknown_parameter("zzzzzz"),
        "no policy parameter is called \"zzzzzz\"; `mailweir policy show NAME` lists the names there are"
    );
    assert!(close_names(&"E".repeat(10_000)).is_empty());
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
