//! The bypass through the command line (T20).

use std::fs;

use serde_json::json;

use crate::program::{CONFIG, GET_FOLDER, Server};

/// A server whose policy lets nobody do anything over EWS.
fn closed() -> Server {
    let server = Server::demo();
    server.run("policy new Closed --set EWSMaxConcurrency=0").good();
    server.run("mailbox set JohnDoe --policy Closed").good();
    assert!(is_refused(&server));
    server
}

fn is_refused(server: &Server) -> bool {
    let answer = server.ews("JohnDoe", "demo-password", GET_FOLDER);
    let refused = answer.contains("ErrorExceededConnectionCount");
    assert!(refused || answer.contains("NoError"), "{answer}");
    refused
}

#[test]
fn everybody_passes_at_once_until_it_is_taken_back() {
    let server = closed();
    assert_eq!(server.run("bypass status --json").json(), json!({ "on": false }));
    let on = "the bypass is on: nothing is refused, delayed or rewritten, for anybody\n";
    assert_eq!(server.run("bypass on").good(), on);
    assert!(!is_refused(&server));
    assert_eq!(server.run("bypass status").good(), on);
    assert_eq!(server.run("bypass off --json").json(), json!({ "on": false }));
    assert!(is_refused(&server));
    let audit = fs::read_to_string(server.data().join("log/audit.jsonl")).unwrap();
    assert_eq!(audit.lines().filter(|line| line.contains("bypass.o")).count(), 2, "{audit}");
    assert_eq!(server.run("bypass").status, 2);
    assert_eq!(server.run("bypass maybe").status, 2);
}

#[test]
fn a_reload_does_not_end_the_bypass_and_holds_afterwards() {
    let server = closed();
    server.run("bypass on").good();
    server.run("reload").good();
    assert!(!is_refused(&server), "the configuration says enforce, the bypass says pass");
    server.configure(&format!("{CONFIG}[throttle]\nenforce = false\n"));
    server.run("reload").good();
    server.run("bypass off").good();
    assert!(!is_refused(&server), "the configuration that was read meanwhile");
    server.configure(CONFIG);
    server.run("reload").good();
    assert!(is_refused(&server));
}
