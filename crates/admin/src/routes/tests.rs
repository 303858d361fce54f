use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

#[test]
fn no_two_endpoints_share_a_route() {
    let routes: BTreeSet<(&str, &str)> =
        Endpoint::ALL.iter().map(|endpoint| (endpoint.route().0.name(), endpoint.route().1)).collect();
    assert_eq!(routes.len(), Endpoint::ALL.len());
}

#[test]
fn only_what_tells_no_secret_is_open() {
    for endpoint in Endpoint::ALL {
        assert_eq!(endpoint.is_open(), !endpoint.route().1.starts_with("/api/"), "{endpoint:?}");
    }
}

#[test]
fn the_documentation_lists_exactly_the_endpoints_there_are() {
    let text = include_str!("../../../../docs/api.md");
    let documented: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`')).collect();
    let built: Vec<String> = Endpoint::ALL
        .iter()
        .map(|endpoint| format!("{} {}", endpoint.route().0.name(), endpoint.route().1))
        .collect();
    assert_eq!(documented, built.iter().map(String::as_str).collect());
}

#[test]
fn a_name_with_a_slash_stays_one_segment() {
    let path = Endpoint::MailboxShow.path("EXAMPLE\\john/ä?");
    assert_eq!(path, "/api/v1/mailboxes/EXAMPLE%5Cjohn%2F%C3%A4%3F");
}

proptest! {
    #[test]
    fn an_encoded_name_holds_nothing_that_ends_a_segment(name in ".*") {
        let encoded = encoded(&name);
        prop_assert!(encoded.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~%".contains(&b)));
    }
}
