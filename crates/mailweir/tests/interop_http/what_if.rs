//! The request log of a server that was busy in every way, replayed: each recorded verdict follows from its line (T22).

use crate::budgets::half_a_request;
use crate::support::soap::{Client, find_item, get_folder, page, usual};
use crate::support::{Server, eventually, http};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// What `what-if` says of one log file, in JSON.
fn what_if(log: &Path, more: &[&str]) -> serde_json::Value {
    let mut program = Command::new(env!("CARGO_BIN_EXE_mailweir"));
    let output = program.args(["what-if", "--json", "--log"]).arg(log).args(more).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// John runs, waits for a place, is refused for places, finds and subscriptions, pages, and in the end has no time left;
/// others hang up, or have a wrong password.
fn trouble(server: &Server) {
    let john = Client::new(server, "john.doe");
    assert!(john.is_served());
    let settings = ["EWSMaxConcurrency=2", "EWSFindCountLimit=4", "EWSMaxSubscriptions=0"];
    server.limit("Narrow", &settings, &["JohnDoe"]);
    let narrow = eventually(Duration::from_secs(5), || {
        (john.call(&find_item("", &usual("drafts"))).body.contains("ErrorExceededFindCountLimit"))
            .then_some(())
    });
    assert!(narrow.is_some(), "the policy is not in force");
    let subscribe = "<m:Subscribe><m:PullSubscriptionRequest SubscribeToAllFolders=\"true\"><t:EventTypes>\
        <t:EventType>NewMailEvent</t:EventType></t:EventTypes><t:Timeout>10</t:Timeout></m:PullSubscriptionRequest></m:Subscribe>";
    thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| {
                for _ in 0..15 {
                    let _whatever = john.call(&get_folder("inbox"));
                    let _whatever = john.call(&find_item(&page(100, 0), &usual("drafts")));
                    let _whatever = john.call(&find_item("", &usual("drafts")));
                    let _whatever = john.call(subscribe);
                }
            });
        }
    });
    let halves = [half_a_request(server, &john), half_a_request(server, &john)];
    // Nobody else asks before they have their places: else it might be one of them that is refused.
    let held =
        eventually(Duration::from_secs(5), || (server.budget("JohnDoe")["running"] == 2).then_some(()));
    assert!(held.is_some(), "two begun requests take two places: {}", server.budget("JohnDoe"));
    assert!(!john.is_served());
    drop(halves);
    assert!(eventually(Duration::from_secs(5), || john.is_served().then_some(())).is_some());
    let _wrong = http::post(server.http, &http::basic("john.doe@example.com", "wrong"), b"");
    server.run(&["policy", "set", "Narrow", "--set", "EWSPercentTimeInCAS=0"]);
    let none_left = eventually(Duration::from_secs(5), || (!john.is_served()).then_some(()));
    assert!(none_left.is_some(), "no time is left");
}

#[test]
fn every_recorded_verdict_follows_from_its_line_and_one_altered_field_is_found() {
    let server = Server::start("[throttle]\nconcurrency_wait = \"3ms\"\n");
    trouble(&server);
    let kinds = [
        ";Verdict=run;",
        ";Why=MaxConcurrency;Policy=Narrow;Verdict=delay;",
        ";Why=MaxConcurrency;Policy=Narrow;Verdict=refuse;",
        ";Why=FindCountLimit;Policy=Narrow;Verdict=refuse;",
        ";Why=MaxSubscriptions;Policy=Narrow;Verdict=refuse;",
        ";Why=PercentTimeInCAS;Policy=Narrow;Verdict=refuse;",
        ";Verdict=-;",
    ];
    for kind in kinds {
        let found = eventually(Duration::from_secs(5), || server.request_log().contains(kind).then_some(()));
        assert!(found.is_some(), "no {kind} in {}", server.request_log());
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("requests.log");
    let text = server.request_log();
    fs::write(&log, &text).unwrap();
    let said = what_if(&log, &[]);
    let calls = u64::try_from(text.lines().filter(|line| !line.starts_with('#')).count()).unwrap();
    assert_eq!(said["replay"]["compared"], calls, "{}", said["replay"]);
    assert_eq!(said["replay"]["differing"], 0, "{}", said["replay"]);
    for (from, to) in [
        (";Verdict=delay;", ";Verdict=run;"),
        (";Verdict=refuse;", ";Verdict=delay;"),
        ("MaxConcurrency:2/2", "MaxConcurrency:1/2"),
    ] {
        assert!(text.contains(from), "no {from}");
        fs::write(&log, text.replacen(from, to, 1)).unwrap();
        assert_eq!(what_if(&log, &[])["replay"]["differing"], 1, "{from} altered to {to}");
    }
    a_policy_can_be_tried_on_it(&server, &log, &text);
}

/// The file that `policy show --json` prints is one to try.
fn a_policy_can_be_tried_on_it(server: &Server, log: &Path, text: &str) {
    fs::write(log, text).unwrap();
    let policy = log.with_file_name("policy.json");
    fs::write(&policy, server.run(&["policy", "show", "Narrow", "--json"])).unwrap();
    let policy = policy.to_str().unwrap();
    let said = what_if(log, &["--policy", policy, "--replaces", "Narrow"]);
    assert_eq!(said["what_if"]["policy"], "Narrow", "{said}");
}
