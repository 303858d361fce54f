//! Events and changes through the command line (T16).

use serde_json::{Value, json};

use crate::program::{CONFIG, GET_FOLDER, Server};

#[test]
fn changes_are_listed_with_what_differs() {
    let server = Server::demo();
    server.run("policy new FooPolicy --set EWSFindCountLimit=1").good();
    server.run("policy set FooPolicy --set EWSFindCountLimit=7").good();
    let changes = server.run("audit --target foopolicy --json").json();
    assert_eq!(changes[0]["action"], json!("policy.set"), "the newest first");
    assert_eq!(changes[0]["before"]["settings"], json!({ "ews_find_count_limit": 1 }));
    assert_eq!(changes[0]["after"]["settings"], json!({ "ews_find_count_limit": 7 }));
    assert_eq!(changes.as_array().unwrap().len(), 2);
    let listing = server.run("audit --since 1h --limit 1").good();
    let lines: Vec<_> = listing.lines().collect();
    assert_eq!(
        lines[0].split_whitespace().collect::<Vec<_>>(),
        ["TIME", "WHO", "ACTION", "TARGET", "CHANGE"]
    );
    assert!(lines[1].ends_with("settings.ews_find_count_limit: 1 → 7"), "{listing}");
    assert!(lines[2].starts_with("older ones are not shown"), "{listing}");
    assert_eq!(server.run("audit --target nothing").good(), "there are no such changes\n");
}

#[test]
fn events_are_listed() {
    let server = Server::demo();
    assert_eq!(server.run("events --id 5021").good(), "there are no such events\n");
    server.configure(&format!("{CONFIG}[throttle]\nenforc = false\n"));
    server.run("reload").refused();
    server.configure(CONFIG);
    let events = server.run("events --id 5021 --since 5m --json").json();
    assert_eq!(events[0]["level"], json!("error"));
    assert!(events[0]["fields"]["reason"].as_str().unwrap().contains("enforc"), "{events}");
    assert_eq!(events.as_array().unwrap().len(), 1);
    let listing = server.run("events").good();
    assert!(listing.starts_with("TIME") && listing.contains("  5021  error  "), "{listing}");
    let why = server.run("events --since yesterday").refused();
    assert!(why.contains("write how long ago, as 30m, 1h or 2d"), "{why}");
    assert_eq!(server.run("events --id many").status, 2);
}

#[test]
fn events_are_followed_as_they_come() {
    let server = Server::demo();
    server.run("bypass on").good();
    let follower = server.follow("events --follow --json");
    for id in [5041, 5042, 5041] {
        // Each is printed once, and the next one only after it has come.
        let event: Value = serde_json::from_str(&follower.line()).unwrap();
        assert_eq!(event["id"], json!(id));
        server.run(if id == 5041 { "bypass off" } else { "bypass on" }).good();
    }
    let plain = server.follow("events --follow --id 5042").line();
    assert!(plain.contains("  5042  information  the bypass is off"), "{plain}");
}

#[test]
fn a_long_charge_is_an_event_that_says_that_nobody_was_throttled() {
    let server = Server::demo();
    server.ews("JohnDoe", "demo-password", GET_FOLDER);
    server.configure(&format!("{CONFIG}[warnings]\nlong_charge = \"1ms\"\n"));
    server.run("reload").good();
    // A hundred folders at once take more than a millisecond on any machine.
    let inbox = "<t:DistinguishedFolderId Id=\"inbox\"/>";
    let long = GET_FOLDER.replace(inbox, &inbox.repeat(100));
    let mut events = json!([]);
    for _ in 0..100 {
        server.ews("JohnDoe", "demo-password", &long);
        events = server.run("events --id 2917 --owner JohnDoe --limit 1 --json").json();
        if events[0].is_object() {
            break;
        }
    }
    let fields = &events[0]["fields"];
    assert_eq!((&fields["owner"], &fields["component"]), (&json!("john.doe@example.com"), &json!("EWS")));
    assert!(["CAS", "MailboxRPC", "AD"].contains(&fields["cost_type"].as_str().unwrap()), "{events}");
    let text = events[0]["text"].as_str().unwrap();
    assert!(text.contains("no limit of that size exists, and nobody was throttled for it"), "{text}");
    assert_eq!(server.run("events --id 2917 --owner JaneDoe --json").json(), json!([]));
}
