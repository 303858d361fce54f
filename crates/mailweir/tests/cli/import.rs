//! Many mailboxes from a file.

use std::fs;

use serde_json::json;

use crate::program::{Said, Server};

/// Imports a file that holds `text`.
fn import(server: &Server, text: &str, options: &str) -> Said {
    fs::write(server.folder().join("users.csv"), text).unwrap();
    server.run(&format!("mailbox import users.csv {options}"))
}

#[test]
fn an_import_makes_what_is_missing_and_can_be_run_again() {
    let server = Server::demo();
    server.run("policy new Strict --set EWSMaxConcurrency=2").good();
    let text = "address,alias,display name,password,policy\r\n\
                zoe@example.com,Zoe,\"Zoë, the \"\"tall\"\"\",correct horse,strict\r\n\
                yan@example.com,,,,\r\n\
                john.doe@example.com,,Jack,another one,\r\n";
    let told = import(&server, text, "").good();
    assert_eq!(told, "made 2 mailboxes, changed 1, left 0 as before\n");
    let zoe = server.run("mailbox show Zoe --json").json();
    assert_eq!(
        (&zoe["display_name"], &zoe["throttling_policy"], &zoe["has_password"]),
        (&json!("Zoë, the \"tall\""), &json!("Strict"), &json!(true))
    );
    let yan = server.run("mailbox show yan --json").json();
    assert_eq!(
        (&yan["display_name"], &yan["throttling_policy"], &yan["has_password"]),
        (&json!("yan"), &json!(null), &json!(false))
    );
    assert_eq!(server.run("mailbox show JohnDoe --json").json()["display_name"], json!("Jack"));
    let refused = "HTTP/1.1 401 Unauthorized";
    assert_ne!(server.ews_status("zoe@example.com", "correct horse"), refused);
    assert_ne!(server.ews_status("JohnDoe", "demo-password"), refused, "a password that exists stays");

    let again = import(&server, text, "--json").json();
    let all = json!(["zoe@example.com", "yan@example.com", "john.doe@example.com"]);
    assert_eq!(again, json!({ "made": [], "changed": [], "unchanged": all }));
}

#[test]
fn one_mistake_and_nothing_is_imported() {
    let server = Server::demo();
    let why = import(&server, "address,policy\nzoe@example.com,\nyan@example.com,Strict\n", "").refused();
    assert_eq!(
        why,
        "users.csv:3: the organisation example.com has no policy \"Strict\"; make it first: `mailweir policy new`, or \
         write null for the default policy; nothing was imported"
    );
    let said = import(&server, "address,alias\nzoe@example.org,\nyan@example.com,JohnDoe\n", "");
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert_eq!(said.err.lines().count(), 2, "each mistake on a line: {}", said.err);
    server.run("mailbox show zoe").refused();
    server.run("mailbox show yan").refused();
    let why = server.run("mailbox import missing.csv").refused();
    assert!(why.starts_with("cannot read missing.csv: "), "{why}");
    fs::write(server.folder().join("latin.csv"), b"address\nz\xf6@example.com\n").unwrap();
    let why = server.run("mailbox import latin.csv").refused();
    assert_eq!(why, "latin.csv:2: this is not UTF-8; save the file in UTF-8; nothing was imported");
}
