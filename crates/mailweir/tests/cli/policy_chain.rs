//! What somebody does to policies in the database itself, with the server running or stopped: the chain goes on to its
//! next step, and whoever asks is told why (T13, T15, T16, T21).

use std::path::Path;

use serde_json::{Value, json};

use crate::program::Server;

/// Changes the directory behind Mailweir's back.
fn behind_its_back(data: &Path, sql: &str) {
    let directory = rusqlite::Connection::open(data.join("directory.sqlite3")).unwrap();
    assert!(directory.execute(sql, []).unwrap() > 0, "{sql}");
}

/// A server on which John has a policy of his own.
fn server() -> Server {
    let server = Server::demo();
    server.run("policy new Foo --set EWSFindCountLimit=7").good();
    server.run("mailbox set JohnDoe --policy Foo").good();
    server
}

/// A server that goes on where `server`, which was stopped, ended – with `sql` carried out in between.
fn started_after(server: Server, sql: &str) -> Server {
    server.signal("TERM");
    let (status, folder) = server.end();
    assert_eq!(status, 0);
    behind_its_back(&folder.path().join("mailweir-data"), sql);
    Server::start(folder, &["serve"])
}

/// Which policy holds for John, from which step of the chain, and why.
fn policy_of_john(server: &Server) -> Value {
    server.run("budget show JohnDoe --json").json()["policy"].clone()
}

#[track_caller]
fn check(policy: &Value, source: &str, reasons: &[&str]) {
    assert_eq!(policy["source"], json!(source), "{policy}");
    let told = policy["reasons"].as_array().unwrap();
    assert_eq!(told.len(), reasons.len(), "{policy}");
    for (told, reason) in told.iter().zip(reasons) {
        assert!(told.as_str().unwrap().contains(reason), "{reason:?} in {policy}");
    }
}

/// The events of this number, the newest first, once there is one: the log's thread may be a moment behind.
fn events(server: &Server, id: u16) -> Vec<Value> {
    for _ in 0..100 {
        let found = server.run(&format!("events --id {id} --since 1h --json")).json();
        let found = found.as_array().unwrap();
        if !found.is_empty() {
            return found.clone();
        }
    }
    panic!("there is no event {id}: {}", server.run("events").good());
}

#[test]
fn a_policy_deleted_while_the_server_runs_is_told_listed_and_repaired() {
    let server = server();
    behind_its_back(&server.data(), "DELETE FROM policy WHERE name = 'Foo'");
    // Whatever was changed through the API has the cache read again.
    server.run("mailbox set JaneDoe --display-name Jane").good();
    let policy = policy_of_john(&server);
    check(&policy, "default", &["a deleted throttling policy is referenced, Foo\\nDEL:"]);
    let event = &events(&server, 2914)[0];
    assert_eq!(event["fields"]["owner"], json!("john.doe@example.com"));
    let tombstone = event["fields"]["policy"].as_str().unwrap();
    assert!(tombstone.starts_with("Foo\nDEL:"), "{event}");
    let listed = server.run("mailbox list --deleted-policy --json").json();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["throttling_policy"], json!(tombstone));
    assert!(server.run("mailbox list --deleted-policy").good().contains("Foo (deleted)"));
    let repaired = server.run("mailbox repair").good();
    assert_eq!(repaired, "these mailboxes have the default policy again: john.doe@example.com\n");
    check(&policy_of_john(&server), "default", &[]);
    assert_eq!(server.run("mailbox list --deleted-policy").good(), "no mailbox has a deleted policy\n");
    let audit = server.run("audit --limit 1 --json").json();
    assert_eq!(audit[0]["action"], json!("mailbox.repair"));
    assert_eq!(audit[0]["before"]["throttling_policy"], json!(tombstone));
}

#[test]
fn a_policy_deleted_while_the_server_is_stopped_is_told_and_repaired() {
    let server = started_after(server(), "DELETE FROM policy WHERE name = 'Foo'");
    // The first call of the owner is what uses the policy.
    assert!(server.ews_status("JohnDoe", "demo-password").contains(" 500 "), "an empty body is no request");
    assert!(events(&server, 2914)[0]["text"].as_str().unwrap().contains("mailbox repair"));
    check(&policy_of_john(&server), "default", &["a deleted throttling policy is referenced"]);
    server.run("mailbox repair").good();
    check(&policy_of_john(&server), "default", &[]);
}

#[test]
fn a_corrupt_policy_leads_to_the_default_policy() {
    let corrupt = "UPDATE policy SET settings = '{\"EWSFindCountLimit\": ' WHERE name = 'Foo'";
    let server = started_after(server(), corrupt);
    check(&policy_of_john(&server), "default", &["the assigned throttling policy \"Foo\" cannot be read"]);
    let event = &events(&server, 5011)[0];
    assert_eq!((&event["level"], &event["fields"]["policy"]), (&json!("error"), &json!("Foo")));
    let why = server.run("policy set Foo --set EWSFindCountLimit=1").refused();
    assert!(why.contains("replace it whole by importing it"), "{why}");
}

#[test]
fn without_a_default_policy_the_fallback_policy_holds() {
    let server = started_after(server(), "DELETE FROM policy WHERE is_default = 1");
    let policy = policy_of_john(&server);
    check(
        &policy,
        "assigned",
        &["the default throttling policy of the organisation \"example.com\" is missing"],
    );
    server.run("mailbox set JohnDoe --policy null").good();
    let policy = policy_of_john(&server);
    check(&policy, "fallback", &["is missing"]);
    assert_eq!(policy["name"], json!("FallbackThrottlingPolicy"));
    assert_eq!(events(&server, 2901)[0]["fields"]["organisation"], json!("example.com"));
    server.run("policy default Foo").good();
    check(&policy_of_john(&server), "default", &[]);
}

#[test]
fn of_two_default_policies_the_first_by_name_holds() {
    let server = started_after(server(), "UPDATE policy SET is_default = 1 WHERE name = 'Foo'");
    server.run("mailbox set JohnDoe --policy null").good();
    let policy = policy_of_john(&server);
    check(&policy, "default", &["has 2 default throttling policies"]);
    assert!(policy["name"].as_str().unwrap().starts_with("DefaultThrottlingPolicy_"), "{policy}");
    let fields = &events(&server, 2902)[0]["fields"];
    assert!(fields["policies"].as_str().unwrap().ends_with(", Foo"), "{fields}");
    server.run("policy default Foo").good();
    check(&policy_of_john(&server), "default", &[]);
}

#[test]
fn a_corrupt_default_policy_leads_to_the_fallback_policy() {
    let server = started_after(server(), "UPDATE policy SET settings = 'nonsense' WHERE is_default = 1");
    server.run("mailbox set JohnDoe --policy null").good();
    check(
        &policy_of_john(&server),
        "fallback",
        &["the default throttling policy \"DefaultThrottlingPolicy_"],
    );
    assert_eq!(events(&server, 5011)[0]["level"], json!("error"));
}
