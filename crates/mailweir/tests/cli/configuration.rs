//! Configuration files and the running server; completions.

use std::fs;

use serde_json::json;

use crate::program::{CONFIG, Server, folder, run_in};

#[test]
fn a_file_is_checked_as_serve_would_read_it() {
    let folder = folder("");
    let said = run_in(folder.path(), &["config", "check", "mailweir.toml"], "").good();
    assert!(said.starts_with("mailweir.toml: good\n"), "{said}");
    assert!(said.contains("imap 127.0.0.1:1143"), "what is not served is said: {said}");
    fs::write(folder.path().join("bad.toml"), "[throttle]\nmax_delay = 60\n").unwrap();
    let why = run_in(folder.path(), &["config", "check", "bad.toml"], "").refused();
    assert_eq!(
        why,
        "bad.toml:2: throttle.max_delay: a duration needs a unit: write \"60s\" (units: ms, s, m, h or d)"
    );
    let why = run_in(folder.path(), &["serve", "--config", "bad.toml"], "").refused();
    assert!(why.starts_with("bad.toml:2: throttle.max_delay: "), "{why}");
    assert!(!folder.path().join("mailweir-data").exists(), "nothing was begun");
    let why = run_in(folder.path(), &["config", "check", "missing.toml"], "").refused();
    assert!(why.starts_with("cannot read the configuration missing.toml: "), "{why}");
}

#[test]
fn a_reload_takes_a_good_file_and_names_what_waits_for_a_start() {
    let server = Server::demo();
    assert_eq!(server.run("reload").good(), "reloaded\n");
    server.configure(&format!("{CONFIG}[throttle]\nmax_delay = \"5s\"\n[mailbox]\nworkers = 2\n"));
    assert_eq!(
        server.run("reload").good(),
        "reloaded\nmailbox.workers: 4 → 2\nthrottle.max_delay: \"1m\" → \"5s\"\nnote: these keys take effect when the server is started the next time: mailbox.workers\n"
    );
    server.signal("HUP");
    server.message("the configuration was read again");
    // It waits for the one before, the line in the audit log included.
    server.run("reload").good();
    let log = server.run("audit --target configuration --json").json();
    let told: Vec<_> = log.as_array().unwrap().iter().map(|line| (&line["who"], &line["after"])).collect();
    let (token, signal, nothing) = (json!("admin-token"), json!("signal"), json!({}));
    let changed = json!({ "mailbox.workers": "2", "throttle.max_delay": "\"5s\"" });
    assert_eq!(told, [(&token, &nothing), (&signal, &nothing), (&token, &changed), (&token, &nothing)]);
}

#[test]
fn a_bad_configuration_is_refused_whole_and_the_old_one_stays() {
    let server = Server::demo();
    server.configure("[listen]\nhttp = \"nonsense\"\n");
    let why = server.run("reload").refused();
    assert!(why.contains("mailweir.toml:2: listen.http"), "{why}");
    server.signal("HUP");
    server.message("mailweir.toml:2: listen.http");
    assert_ne!(server.ews_status("JohnDoe", "demo-password"), "HTTP/1.1 401 Unauthorized", "it goes on");
    let data = server.data();
    server.signal("TERM");
    let (status, _folder) = server.end();
    assert_eq!(status, 0);
    let events = fs::read_to_string(data.join("log/events.jsonl")).unwrap();
    assert_eq!(events.lines().filter(|line| line.contains("5021")).count(), 2, "{events}");
}

#[test]
fn completions_are_printed_for_shells() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = run_in(folder.path(), &["completions", shell], "").good();
        assert!(script.contains("mailweir") && script.contains("password-stdin"), "{shell}");
    }
}

#[test]
fn wrong_usage_has_status_2() {
    let folder = tempfile::tempdir().unwrap();
    for line in
        ["nonsense", "policy new", "Get-TrottlingPolicy", "serve --server http://127.0.0.1:1", "--json"]
    {
        let words: Vec<&str> = line.split_whitespace().collect();
        let said = run_in(folder.path(), &words, "");
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{line}: {said:?}");
        assert!(!said.err.is_empty(), "{line}");
    }
}
