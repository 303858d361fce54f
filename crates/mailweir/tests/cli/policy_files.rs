//! Policies as files, through the command line (T1).

use std::fs;

use serde_json::json;

use crate::program::Server;

/// A server with two policies besides the default one, exported to `policies.toml`.
fn exported() -> Server {
    let server = Server::demo();
    server.run("policy new Foo --set EWSFindCountLimit=7 --set CPUStartPercent=null").good();
    server.run("policy new Bar").good();
    let said = server.run("policy export --out policies.toml").good();
    assert_eq!(said, "wrote 3 policies to policies.toml\n");
    server
}

/// Replaces `from` in the file by `to`.
fn edit(server: &Server, from: &str, to: &str) {
    let file = server.folder().join("policies.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn what_was_exported_is_imported_without_a_difference() {
    let server = exported();
    let file = fs::read_to_string(server.folder().join("policies.toml")).unwrap();
    assert_eq!(server.run("policy export").good(), file, "standard output is the file");
    assert!(file.contains("\nEWSFindCountLimit = 7\nCPUStartPercent = \"null\"\n"), "{file}");
    let said = server.run("policy import policies.toml").good();
    assert_eq!(said, "nothing differs: 3 policies as the file says\n");
    let one = server.run("policy export Foo").good();
    assert_eq!(one.matches("[[policy]]").count(), 1);
    server.run("policy export Fool").refused();
}

#[test]
fn an_import_shows_what_differs_and_is_in_force() {
    let server = exported();
    edit(
        &server,
        "EWSFindCountLimit = 7\nCPUStartPercent = \"null\"",
        "EWSFindCountLimit = \"null\"\nEWSMaxConcurrency = 3",
    );
    edit(&server, "name = \"Bar\"", "name = \"Baz\"\ndefault = true");
    // Baz takes the place of what was the default policy.
    edit(&server, "default = true\n\n", "\n");
    let dry = server.run("policy import policies.toml --dry-run").good();
    let expected = "added Baz (example.com)\n  ~ default policy: no → yes\nchanged Default\n  ~ default policy: yes → no\n\
         changed Foo (example.com)\n  - CPUStartPercent (was null)\n  ~ EWSFindCountLimit: 7 → null\n  \
         + EWSMaxConcurrency: 3\n3 policies would differ; this was a dry run\n";
    let short: String = dry
        .lines()
        .map(|line| if line.contains("DefaultThrottlingPolicy_") { "changed Default" } else { line })
        .flat_map(|line| [line, "\n"])
        .collect();
    assert_eq!(short, expected);
    assert_eq!(server.run("policy show Foo --json").json()["settings"]["ews_find_count_limit"], json!(7));
    let done = server.run("policy import policies.toml").good();
    assert!(done.ends_with("3 policies changed, 0 left as before\n"), "{done}");
    let settings = &server.run("policy show Foo --json").json()["settings"];
    assert_eq!(*settings, json!({ "ews_find_count_limit": null, "ews_max_concurrency": 3 }));
    assert_eq!(server.run("budget show JohnDoe --json").json()["policy"]["name"], json!("Baz"));
    let again = server.run("policy import policies.toml --json").json();
    assert_eq!((&again["differences"], &again["unchanged"]), (&json!([]), &json!(3)));
    let audit = server.run("audit --limit 4 --json").json();
    let imported = audit.as_array().unwrap().iter().filter(|line| line["action"] == json!("policy.import"));
    assert_eq!(imported.count(), 3, "{audit}");
}

#[test]
fn a_file_with_a_mistake_changes_nothing() {
    let server = exported();
    edit(&server, "EWSFindCountLimit = 7", "EWSFindCountLimit = 8\nEWSFindContLimit = 7");
    let why = server.run("policy import policies.toml").refused();
    let line = fs::read_to_string(server.folder().join("policies.toml"))
        .unwrap()
        .lines()
        .position(|line| line.starts_with("EWSFindContLimit"));
    let told = format!(
        "policies.toml:{}: no policy parameter is called \"EWSFindContLimit\"; close names are EWSFindCountLimit; nothing \
         was imported",
        line.unwrap() + 1
    );
    assert_eq!(why, told);
    edit(&server, "EWSFindContLimit = 7", "EWSMaxConcurrency = 1");
    edit(
        &server,
        "organisation = \"example.com\"\n\n[policy.settings]\n\n",
        "organisation = \"nowhere\"\n\n[policy.settings]\n\n",
    );
    let why = server.run("policy import policies.toml").refused();
    assert!(
        why.starts_with("the policy \"Bar\" cannot be imported: there is no organisation \"nowhere\""),
        "{why}"
    );
    assert_eq!(server.run("policy show Foo --json").json()["settings"]["ews_find_count_limit"], json!(7));
}

#[test]
fn a_policy_that_cannot_be_read_is_not_exported_and_can_be_imported() {
    let server = exported();
    let directory = rusqlite::Connection::open(server.data().join("directory.sqlite3")).unwrap();
    directory.execute("UPDATE policy SET settings = '{' WHERE name = 'Foo'", []).unwrap();
    let why = server.run("policy export").refused();
    assert!(why.starts_with("the policy \"Foo\" cannot be read, and is not exported: "), "{why}");
    let done = server.run("policy import policies.toml").good();
    assert!(done.starts_with("changed Foo (example.com)\n  its settings could not be read: "), "{done}");
    server.run("policy export").good();
}

#[test]
fn pruning_removes_what_the_file_does_not_name() {
    let server = exported();
    server.run("policy new Old").good();
    server.run("mailbox set JohnDoe --policy Old").good();
    let why = server.run("policy import policies.toml --prune").refused();
    assert!(why.contains("1 mailbox uses it") && why.contains("mailbox list --policy \"Old\""), "{why}");
    server.run("mailbox set JohnDoe --policy null").good();
    let done = server.run("policy import policies.toml --prune").good();
    assert_eq!(done, "removed Old (example.com)\n1 policy changed, 3 left as before\n");
    server.run("policy show Old").refused();
}
