//! "Why was John slow?": what the server remembers of an owner and of itself (T20, T21).

use std::time::Duration;

use serde_json::Value;

use crate::support::http;
use crate::support::soap::{Client, find_item, get_folder, item_ids, usual};
use crate::support::{Server, eventually};

/// What `budget show` says of an owner.
fn shown(server: &Server, owner: &str) -> Value {
    serde_json::from_str(&server.run(&["budget", "show", owner, "--json"])).unwrap()
}

/// The number that `name` is in every entry of a list, added up.
fn sum(entries: &Value, name: &str) -> u64 {
    entries.as_array().unwrap().iter().map(|entry| entry[name].as_u64().unwrap()).sum()
}

/// The lines of the request log that hold `word`, once there are `count` of them.
fn logged(server: &Server, word: &str, count: usize) -> Vec<String> {
    let with_word = || server.requests().into_iter().filter(|line| line.contains(word)).collect::<Vec<_>>();
    eventually(Duration::from_secs(5), || Some(with_word()).filter(|lines| lines.len() >= count)).unwrap()
}

#[test]
fn a_refused_client_is_explained_with_the_lines_of_the_log() {
    let server = Server::start("");
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    server.limit("NoPlace", &["EWSMaxConcurrency=0"], &["JohnDoe"]);
    for _ in 0..3 {
        assert_eq!(john.call(&get_folder("inbox")).status, 500);
    }
    let shown = shown(&server, "JohnDoe");
    assert_eq!(
        (&shown["policy"]["name"], &shown["policy"]["source"]),
        (&"NoPlace".into(), &"assigned".into())
    );
    let throttled = shown["throttled"].as_array().unwrap();
    assert_eq!(throttled.len(), 3, "{throttled:?}");
    for call in throttled {
        assert_eq!((&call["verdict"], &call["part"]), (&"refuse".into(), &"MaxConcurrency".into()));
        assert_eq!((&call["component"], &call["status"]), (&"EWS".into(), &500.into()));
    }
    let mut lines = logged(&server, ";Verdict=refuse;", 3);
    lines.reverse();
    assert_eq!(throttled.iter().map(|call| call["line"].as_str().unwrap()).collect::<Vec<_>>(), lines);
    let from_files: Value =
        serde_json::from_str(&server.run(&["budget", "show", "JohnDoe", "--since", "10m", "--json"]))
            .unwrap();
    let log = &from_files["log"];
    assert_eq!((&log["requests"], &log["refused"], &log["complete"]), (&4.into(), &3.into(), &true.into()));
    lines.reverse();
    assert_eq!(log["throttled"], serde_json::json!(lines));
    let page = server.run(&["budget", "show", "JohnDoe", "--since", "10m"]);
    assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    let program = &shown["programs"][0];
    assert_eq!((&program["user_agent"], &program["requests"]), (&"Interop Test/1.0".into(), &4.into()));
    assert_eq!((sum(&shown["minutes"], "requests"), sum(&shown["minutes"], "refused")), (4, 3));
    assert_eq!(shown["minutes"].as_array().unwrap().len(), 60);
}

#[test]
fn a_policy_that_only_observes_says_what_it_would_have_done() {
    let server = Server::start("");
    let settings = ["EWSMaxConcurrency=0", "EWSPercentTimeInCAS=0", "ObserveOnly=1"];
    server.limit("Watched", &settings, &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let shown = shown(&server, "JohnDoe");
    assert_eq!(shown["policy"]["observe_only"], true);
    let call = &shown["throttled"][0];
    assert_eq!((&call["verdict"], &call["part"]), (&"would-refuse".into(), &"MaxConcurrency".into()));
    assert_eq!(call["status"], 200);
    assert_eq!((sum(&shown["minutes"], "refused"), sum(&shown["minutes"], "would_refuse")), (0, 1));
    let lines = logged(&server, ";Policy=Watched;Verdict=would-refuse;", 1);
    assert_eq!(call["line"], lines[0].as_str());
    server.limit("Slowed", &["EWSFindCountLimit=1", "CPUStartPercent=0", "ObserveOnly=1"], &["JohnDoe"]);
    assert!(john.is_served());
    let delayed = logged(&server, ";Why=CPUStartPercent;Policy=Slowed;Verdict=would-delay;", 1);
    assert!(delayed[0].contains(";Waited=0ms;"), "{delayed:?}");
    let all = john.call(&find_item("", &usual("drafts")));
    assert_eq!((all.status, item_ids(&all.body).len()), (200, 6), "{all:?}");
    logged(&server, ";Why=FindCountLimit;Policy=Slowed;Verdict=would-refuse;", 1);
    let metrics = http::get_with_token(server.admin, "/metrics", "none").body;
    for (name, part, least) in [
        ("would_refuse", "MaxConcurrency", 1),
        ("would_refuse", "FindCountLimit", 1),
        ("would_delay", "CPUStartPercent", 1),
    ] {
        let name = format!("mailweir_throttle_{name}_total{{component=\"EWS\",part=\"{part}\"}} ");
        let count = metrics.lines().find_map(|line| line.strip_prefix(&name)?.parse::<u64>().ok());
        assert!(count.is_some_and(|count| count >= least), "no {name} in {metrics}");
    }
    for name in ["mailweir_throttle_refused_total{", "mailweir_throttle_delayed_total{"] {
        assert!(!metrics.contains(name), "{metrics}");
    }
}

#[test]
fn the_fullest_budgets_come_first_and_the_whole_is_surveyed() {
    let server = Server::start("");
    server.limit("Many", &["EWSPercentTimeInCAS=1000"], &["JaneDoe"]);
    server.limit("Few", &["EWSMaxConcurrency=null", "EWSPercentTimeInCAS=0"], &["JohnDoe"]);
    for name in ["jane.doe", "john.doe"] {
        Client::new(&server, name).call(&get_folder("inbox"));
    }
    let list = |top: &str| -> Value {
        serde_json::from_str(&server.run(&["budget", "list", "--top", top, "--json"])).unwrap()
    };
    let top = list("20");
    let owners: Vec<&str> =
        top.as_array().unwrap().iter().map(|top| top["owner"].as_str().unwrap()).collect();
    assert_eq!(owners, ["john.doe@example.com", "jane.doe@example.com"]);
    assert_eq!((&top[0]["part"], &top[0]["share_percent"]), (&"PercentTimeInCAS".into(), &100.into()));
    assert_eq!(top[0]["policy"], "Few");
    assert_eq!(list("1").as_array().unwrap().len(), 1);
    let overview = || -> Value {
        let token = std::fs::read_to_string(server.data().join("admin-token")).unwrap();
        let reply = http::get_with_token(server.admin, "/api/v1/overview", token.trim());
        serde_json::from_str(&reply.body).unwrap()
    };
    let counted = eventually(Duration::from_secs(10), || {
        Some(overview()).filter(|overview| overview["last_minute"]["requests"] == 2)
    });
    let overview = counted.unwrap_or_else(|| panic!("{}", overview()));
    assert_eq!((&overview["enforces"], &overview["bypass"]), (&true.into(), &false.into()));
    assert_eq!(overview["last_minute"]["refused"], 1, "{overview}");
    assert!(!overview["seconds"].as_array().unwrap().is_empty());
    let origins = &overview["origins"];
    assert_eq!((&origins[0]["origin"], &origins[0]["running"]), (&"embedded".into(), &0.into()), "{origins}");
    assert!(origins[0]["limit"].as_u64().is_some_and(|limit| limit >= 1), "{origins}");
}
