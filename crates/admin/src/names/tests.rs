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
fn a_name_that_does_not_exist_is_answered_with_close_ones() {
    assert_eq!(
        unknown_parameter("EWSFindContLimit"),
        "no policy parameter is called \"EWSFindContLimit\"; close names are EWSFindCountLimit"
    );
    assert_eq!(
        unknown_parameter("zzzzzz"),
        "no policy parameter is called \"zzzzzz\"; `mailweir policy show NAME` lists the names there are"
    );
}
