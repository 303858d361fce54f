use proptest::prelude::*;

use super::{BlockList, Protocol, Rule};

const OFFICE: &str = "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.4266; Pro)";

fn rule(protocol: Protocol, program: &str, versions: &str) -> Rule {
    Rule {
        protocol,
        program: (!program.is_empty()).then(|| program.parse().unwrap()),
        process: None,
        versions: (!versions.is_empty()).then(|| versions.parse().unwrap()),
        message: None,
    }
}

fn process(name: &str, program: &str, versions: &str) -> Rule {
    Rule { process: Some(name.parse().unwrap()), ..rule(Protocol::Mapi, program, versions) }
}

/// The number of the rule that keeps the client out.
fn mapi(rules: &[Rule], application: &str, process: Option<&str>) -> Option<u64> {
    BlockList::new(rules.to_vec()).mapi(Some(application), process).map(|blocked| blocked.number)
}

#[test]
fn the_first_rule_that_holds_is_the_one_that_counts() {
    let rules = [
        rule(Protocol::Http, "Outlook", ""),
        rule(Protocol::Mapi, "Outlook", "-14"),
        rule(Protocol::Mapi, "Outlook", "-15"),
    ];
    for (application, number) in [
        ("Outlook/12.0.4518.1014", Some(2)),
        ("Outlook/15.0.4420.1017", Some(3)),
        ("Outlook/16.0.4266.1001", None),
        ("OUTLOOK/15.0", Some(3)),
        ("Outlook", Some(2)),
        ("MacOutlook/15.0", None),
        ("", None),
    ] {
        assert_eq!(mapi(&rules, application, None), number, "{application}");
    }
}

#[test]
fn a_process_is_kept_out_whatever_program_it_belongs_to() {
    let rules = [process("SearchIndexer.exe", "", ""), process("OUTLOOK.EXE", "Outlook", "-14")];
    let outlook = "Outlook/15.0.4420.1017";
    assert_eq!(mapi(&rules, outlook, Some("SearchIndexer.exe")), Some(1));
    assert_eq!(mapi(&rules, outlook, Some("OUTLOOK.EXE")), None);
    assert_eq!(mapi(&rules, "Outlook/14.0", Some("outlook.exe")), Some(2), "both have to be there");
    assert_eq!(mapi(&rules, "Outlook/14.0", None), None, "it does not name its process");
}

#[test]
fn versions_of_a_process_are_those_of_its_program() {
    let rules = [process("SearchIndexer.exe", "", "-15.0.4420")];
    assert_eq!(mapi(&rules, "Outlook/15.0.4420.1017", Some("SearchIndexer.exe")), Some(1));
    assert_eq!(mapi(&rules, "Outlook/16.0.4266.1001", Some("SearchIndexer.exe")), None);
}

#[test]
fn http_clients_are_known_by_any_program_of_their_user_agent() {
    let check = |program: &str, versions: &str, agent: Option<&str>| {
        let list = BlockList::new(vec![rule(Protocol::Http, program, versions)]);
        list.http(agent).is_some()
    };
    assert!(check("Microsoft Outlook", "16.0.4266", Some(OFFICE)));
    assert!(check("Outlook", "-16", Some(OFFICE)));
    assert!(!check("Outlook", "16.1-", Some(OFFICE)));
    assert!(check("python-requests", "-2.32", Some("exchangelib/5.6.0 (python-requests/2.32.3)")));
    assert!(!check("exchangelib", "-5.5", Some("exchangelib/5.6.0 (python-requests/2.32.3)")));
    assert!(!check("*", "", None), "who does not introduce himself is nobody");
}

#[test]
fn a_version_that_is_stated_counts_and_none_is_older_than_any() {
    let list =
        BlockList::new(vec![rule(Protocol::Http, "Microsoft", "-15"), rule(Protocol::Http, "Pro", "2-")]);
    assert!(list.http(Some("Microsoft Agent")).is_some());
    assert!(list.http(Some("Microsoft Agent, Microsoft 16.0")).is_none());
    assert!(list.http(Some("Pro")).is_none());
}

#[test]
fn devices_are_known_by_their_kind_or_their_user_agent() {
    let check = |program: &str, versions: &str, device: Option<&str>, agent: Option<&str>| {
        let list = BlockList::new(vec![rule(Protocol::Eas, program, versions)]);
        list.eas(device, agent).is_some()
    };
    let iphone = (Some("iPhone"), Some("Apple-iPhone6C2/1405.526000005"));
    assert!(check("iphone", "", iphone.0, iphone.1));
    assert!(check("iPhone", "-1405", iphone.0, iphone.1), "the user agent tells the version");
    assert!(!check("iPhone", "1406-", iphone.0, iphone.1));
    assert!(check("Apple-iPhone*", "-1406", iphone.0, iphone.1));
    assert!(check("Android-Mail", "", None, Some("Android-Mail/7.8.30")));
    assert!(!check("iPhone", "", Some("iPad"), None));
    assert!(!check("*", "", None, None));
}

#[test]
fn each_protocol_has_its_own_rules() {
    let all = |protocol| BlockList::new(vec![rule(protocol, "Outlook", "")]);
    let asked = |list: &BlockList| {
        let text = Some("Outlook/15.0");
        [list.mapi(text, None).is_some(), list.http(text).is_some(), list.eas(text, text).is_some()]
    };
    assert_eq!(asked(&all(Protocol::Mapi)), [true, false, false]);
    assert_eq!(asked(&all(Protocol::Http)), [false, true, false]);
    assert_eq!(asked(&all(Protocol::Eas)), [false, false, true]);
    assert_eq!(asked(&BlockList::default()), [false; 3]);
}

#[test]
fn a_rule_without_a_name_keeps_nobody_out() {
    assert_eq!(mapi(&[rule(Protocol::Mapi, "", "")], "Outlook/15.0", Some("OUTLOOK.EXE")), None);
}

#[test]
fn a_client_is_told_the_rules_words_or_usual_ones() {
    let usual = rule(Protocol::Http, "curl", "");
    assert!(usual.message().contains("ask the administrator"));
    let own = Rule { message: Some("Please update to 5.7".to_owned()), ..usual };
    assert_eq!(own.message(), "Please update to 5.7");
}

proptest! {
    #[test]
    fn whatever_a_client_says_of_itself_is_judged(said in "\\PC{0,200}", process in "\\PC{0,40}") {
        let list = BlockList::new(vec![
            rule(Protocol::Http, "no such*program", "-1"),
            rule(Protocol::Eas, "no such*program", "-1"),
            process_rule(),
        ]);
        prop_assert!(list.http(Some(&said)).is_none());
        prop_assert!(list.eas(Some(&said), Some(&process)).is_none());
        prop_assert!(list.mapi(Some(&said), Some(&process)).is_none());
    }
}

fn process_rule() -> Rule {
    process("no-such-process.exe", "no-such-program", "1-")
}
