//! Policies through the command line, in both spellings.

use serde_json::json;

use crate::program::Server;

#[test]
fn a_policy_is_made_shown_changed_assigned_and_removed() {
    let server = Server::demo();
    let made = server.run("policy new FooPolicy --set EWSFindCountLimit=1 --json").json();
    assert_eq!(made["settings"], json!({ "ews_find_count_limit": 1 }));
    assert_eq!(made["effective"]["ews_max_concurrency"], json!(10), "left out, so inherited");

    server.run("policy set FooPolicy --set CPUStartPercent=null --set EWSFindCountLimit=7").good();
    let shown = server.run("policy show FooPolicy --json").json();
    assert_eq!(shown["settings"], json!({ "cpu_start_percent": null, "ews_find_count_limit": 7 }));
    let card = server.run("policy show FooPolicy").good();
    let row = card.lines().find(|line| line.starts_with("EWSFindCountLimit ")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["EWSFindCountLimit", "7", "7"]);
    server.run("policy set FooPolicy --leave-out CPUStartPercent").good();
    let shown = server.run("policy show FooPolicy --json").json();
    assert_eq!(shown["settings"], json!({ "ews_find_count_limit": 7 }));
    assert_eq!(shown["effective"]["cpu_start_percent"], json!(75));

    server.run("mailbox set JohnDoe --policy FooPolicy").good();
    assert_eq!(server.run("mailbox show JohnDoe --json").json()["throttling_policy"], json!("FooPolicy"));
    let why = server.run("policy remove FooPolicy").refused();
    assert!(why.contains("1 mailbox uses it"), "{why}");
    server.run("mailbox set JaneDoe --policy FooPolicy").good();
    let why = server.run("policy remove FooPolicy").refused();
    assert!(why.contains("2 mailboxes use it"), "{why}");
    for name in ["JohnDoe", "JaneDoe"] {
        server.run(&format!("mailbox set {name} --policy null")).good();
    }
    assert_eq!(server.run("mailbox show JohnDoe --json").json()["throttling_policy"], json!(null));
    assert_eq!(server.run("policy remove FooPolicy").good(), "removed the policy FooPolicy\n");
    server.run("policy show FooPolicy").refused();
}

#[test]
fn the_cmdlet_spelling_does_the_same() {
    let server = Server::demo();
    server.run("New-ThrottlingPolicy -Name FooPolicy -EWSFindCountLimit 1").good();
    server.run("set-throttlingpolicy FooPolicy –CPUStartPercent $null").good();
    let shown = server.run("Get-ThrottlingPolicy FooPolicy --json").json();
    assert_eq!(shown["settings"], json!({ "cpu_start_percent": null, "ews_find_count_limit": 1 }));
    server.run("Set-Mailbox JohnDoe -ThrottlingPolicy FooPolicy").good();
    assert_eq!(server.run("Get-Mailbox JohnDoe --json").json()["throttling_policy"], json!("FooPolicy"));
    assert_eq!(server.run("budget show JohnDoe --json").json()["policy"]["name"], json!("FooPolicy"));
    server.run("Set-Mailbox JohnDoe -ThrottlingPolicy $null").good();
    server.run("Remove-ThrottlingPolicy FooPolicy -Confirm:$false").good();
    let policies = server.run("--json Get-ThrottlingPolicy").json();
    assert_eq!(policies.as_array().unwrap().len(), 1, "the default policy stays");
}

#[test]
fn the_default_policy_can_be_another_one_and_is_never_removed() {
    let server = Server::demo();
    server.run("policy new Strict --set EWSMaxConcurrency=2").good();
    server.run("policy default Strict").good();
    let policies = server.run("policy list --json").json();
    let defaults: Vec<_> =
        policies.as_array().unwrap().iter().filter(|policy| policy["default"] == json!(true)).collect();
    assert_eq!(defaults.iter().map(|policy| &policy["name"]).collect::<Vec<_>>(), [&json!("Strict")]);
    let why = server.run("policy remove Strict").refused();
    assert!(why.contains("default"), "{why}");
    let budget = server.run("budget show JohnDoe --json").json();
    assert_eq!(
        (&budget["policy"]["name"], &budget["policy"]["source"]),
        (&json!("Strict"), &json!("default"))
    );
    assert_eq!(budget["components"][0]["max_concurrency"], json!(2));
}

#[test]
fn what_is_wrong_with_a_setting_is_told() {
    let server = Server::demo();
    let said = server.run("policy new FooPolicy --set EWSFindCountLimt=1");
    assert_eq!(said.status, 2);
    assert!(said.err.contains("EWSFindCountLimit"), "{said:?}");
    let why = server.run("policy new FooPolicy --set CPUStartPercent=101").refused();
    assert!(why.contains("CPUStartPercent") && why.contains("100"), "the range is told: {why}");
    let why = server.run("New-ThrottlingPolicy FooPolicy -EWSFindCountLimit -1").refused();
    assert!(why.contains("EWSFindCountLimit") && why.contains("-1"), "{why}");
    assert_eq!(server.run("policy set FooPolicy").status, 2, "nothing to change is wrong usage");
    server.run("policy show FooPolicy").refused();
}

#[test]
fn the_listing_is_a_table_with_headings() {
    let server = Server::demo();
    server.run("policy new A --set EWSMaxConcurrency=1").good();
    let listing = server.run("policy list").good();
    let heads: Vec<_> = listing.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads, ["NAME", "ORGANISATION", "DEFAULT", "MAILBOXES", "SETTINGS"]);
    let rows: Vec<Vec<_>> = listing.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0], ["A", "example.com", "no", "0", "1"]);
}
