//! Organisations and mailboxes through the command line.

use rusqlite::Connection;
use serde_json::json;

use crate::program::{CONFIG, Server, folder};

#[test]
fn an_organisation_and_its_mailboxes_begin_and_end() {
    let server = Server::start(folder(CONFIG), &["serve"]);
    assert_eq!(
        server.run("mailbox list").good(),
        "there are no mailboxes\n",
        "without --demo nothing is made"
    );
    assert_eq!(server.run("organisation list").good(), "there are no organisations\n");
    server.run("organisation new Blue --domain blue.example --domain azure.example --short-name B").good();
    let listed = server.run("organisation list --json").json();
    assert_eq!(listed[0]["domains"], json!(["azure.example", "blue.example"]));
    assert_eq!(listed[0]["default_policies"].as_array().unwrap().len(), 1);

    server.run_with("mailbox new max@blue.example --alias Max --password-stdin", "correct horse\n").good();
    server.run("New-Mailbox -PrimarySmtpAddress moritz@azure.example -NoPassword").good();
    let mailboxes = server.run("mailbox list --json").json();
    let aliases: Vec<_> =
        mailboxes.as_array().unwrap().iter().map(|mailbox| mailbox["alias"].clone()).collect();
    assert_eq!(aliases, [json!("Max"), json!("moritz")]);
    assert_eq!(mailboxes[0]["has_password"], json!(true));
    assert_eq!(mailboxes[1]["has_password"], json!(false));
    let shown = server.run("mailbox show B\\max").good();
    assert!(shown.contains("max@blue.example"), "{shown}");

    let why = server.run("organisation remove Blue").refused();
    assert!(why.contains('2'), "it says how many mailboxes: {why}");
    server.run("mailbox remove max@blue.example").good();
    server.run("Remove-Mailbox moritz@azure.example").good();
    server.run("organisation remove Blue").good();
    assert_eq!(server.run("organisation list --json").json(), json!([]));
}

#[test]
fn a_password_works_until_it_is_changed() {
    let server = Server::demo();
    let refused = "HTTP/1.1 401 Unauthorized";
    assert_ne!(server.ews_status("JohnDoe", "demo-password"), refused);
    server.run_with("mailbox password JohnDoe --password-stdin", "another one\n").good();
    assert_eq!(server.ews_status("JohnDoe", "demo-password"), refused, "at once, though it was remembered");
    assert_ne!(server.ews_status("john.doe@example.com", "another one"), refused);
    server.run("mailbox password JohnDoe --no-password").good();
    assert_eq!(server.ews_status("JohnDoe", "another one"), refused);
    let why = server.run("mailbox password JohnDoe --password-stdin").refused();
    assert_eq!(
        why,
        "there is no password on standard input; send the password as one line on standard input"
    );
}

#[test]
fn names_and_addresses_of_a_mailbox_can_be_changed() {
    let server = Server::demo();
    server.run("mailbox set JohnDoe --alias Jack --display-name Jack --add-address jack@example.com").good();
    let shown = server.run("mailbox show jack@example.com --json").json();
    assert_eq!((&shown["alias"], &shown["display_name"]), (&json!("Jack"), &json!("Jack")));
    assert_eq!(shown["address"], json!("john.doe@example.com"), "the primary address stays");
    server.run("mailbox set Jack --remove-address jack@example.com").good();
    server.run("mailbox show jack@example.com").refused();
    assert_eq!(server.run("mailbox set Jack").status, 2);
    server.run("mailbox set Nobody --policy null").refused();
    server.run("mailbox set Jack --policy NoSuchPolicy").refused();
}

#[test]
fn a_policy_deleted_behind_its_back_is_listed_and_repaired() {
    let server = Server::demo();
    server.run("policy new FooPolicy").good();
    server.run("mailbox set JohnDoe --policy FooPolicy").good();
    assert_eq!(server.run("mailbox list --deleted-policy").good(), "no mailbox has a deleted policy\n");
    let database = Connection::open(server.data().join("directory.sqlite3")).unwrap();
    assert_eq!(database.execute("DELETE FROM policy WHERE name = 'FooPolicy'", []).unwrap(), 1);
    drop(database);
    let listed = server.run("mailbox list --deleted-policy").good();
    assert!(listed.contains("JohnDoe") && listed.contains("FooPolicy (deleted)"), "{listed}");
    let repaired = server.run("mailbox repair --json").json();
    assert_eq!(repaired, json!({ "mailboxes": ["john.doe@example.com"] }));
    assert_eq!(server.run("mailbox repair").good(), "no mailbox has a deleted policy\n");
    assert_eq!(server.run("mailbox show JohnDoe --json").json()["throttling_policy"], json!(null));
}

#[test]
fn a_budget_is_explained() {
    let server = Server::demo();
    let text = server.run("budget show JohnDoe").good();
    assert!(text.contains("john.doe@example.com") && text.contains("PercentTimeInCAS"), "{text}");
    let budget = server.run("budget show JohnDoe --json").json();
    assert_eq!(budget["owner"], json!("john.doe@example.com"));
    let component = &budget["components"][0];
    assert_eq!((&component["component"], &component["max_concurrency"]), (&json!("EWS"), &json!(10)));
    assert_eq!(component["parts"][1]["allowance_ms"], json!(54_000));
}
