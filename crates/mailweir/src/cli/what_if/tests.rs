use std::fs;
use std::path::Path;

use clap::Parser;

use super::run;
use crate::cli::{Cli, Command, Failure};

/// The answer to `what-if` with these words.
fn answer(folder: &Path, words: &[&str]) -> Result<String, Failure> {
    let file = |word: &&str| {
        let path = folder.join(word);
        if path.exists() { path.display().to_string() } else { (*word).to_owned() }
    };
    let line = ["mailweir", "what-if"].into_iter().map(str::to_owned).chain(words.iter().map(file));
    let cli = Cli::try_parse_from(line).map_err(Failure::Clap)?;
    let Command::WhatIf(args) = cli.command else { panic!("another command") };
    run(&args)
        .map(|answer| answer.in_json(cli.global.json).text().replace(&folder.display().to_string(), "logs"))
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[track_caller]
fn refused(folder: &Path, words: &[&str], says: &str) {
    let failure = answer(folder, words).unwrap_err();
    assert!(failure.to_string().contains(says), "{failure}");
}

/// John calls every second for two minutes, 0.9 s each; each line says so in the form of `combined` with our fields.
fn two_minutes() -> String {
    let line = |second: u32| {
        let (minutes, seconds) = (second / 60, second % 60);
        format!(
            "192.0.2.7 - john [30/Nov/2026:10:{minutes:02}:{seconds:02} +0000] \"POST /EWS/Exchange.asmx HTTP/1.1\" 200 5 \"-\" \
             \"Archiver/2\" request_time=0.900 upstream_time=0.800\n"
        )
    };
    (0..120).map(line).collect()
}

#[test]
fn without_a_policy_the_runaways_are_listed() {
    let folder = folder(&[("access.log", &two_minutes())]);
    let text = answer(folder.path(), &["--format", "nginx", "--log", "access.log"]).unwrap();
    let head = "read 120 calls in 120 lines of 1 file, from 2026-11-30T09:59:59.100Z to 2026-11-30T10:01:58.100Z\n\n\
                1 owner and 120 calls, 108.0 s in all; here are the runaways\n\n\
                by the time that their calls took:\n\n   \
                   OWNER  CALLS  TIME     SHARE  AT ONCE  BUSIEST MINUTE    CALLS  TIME    CLIENT\n\
                1  john   120    108.0 s  100 %  1        2026-11-30 10:00  60     54.0 s  Archiver/2\n";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn a_policy_is_tried_and_its_consequences_told() {
    let policy = r#"{"name": "Archivers", "settings": {"ews_percent_time_in_cas": 50}, "effective": {"ews_percent_time_in_cas": 90}}"#;
    let folder = folder(&[("access.log", &two_minutes()), ("policy.json", policy)]);
    let words = ["--format", "nginx", "--log", "access.log", "--policy", "policy.json"];
    let text = answer(folder.path(), &words).unwrap();
    for said in [
        "the policy Archivers in place of everybody's policy, after one minute to run in:",
        "owners delayed  1",
        "PercentTimeInCAS",
        "the first of them:",
        "logs/access.log:",
        "This is an estimate.",
    ] {
        assert!(text.contains(said), "no {said:?} in {text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&answer(folder.path(), &[&words[..], &["--json"]].concat()).unwrap()).unwrap();
    assert_eq!(json["what_if"]["policy"], "Archivers");
    assert_eq!(json["what_if"]["candidate"]["owners_delayed"], 1);
    assert!(json["what_if"]["today"].is_null() && json["replay"].is_null(), "{json}");
}

#[test]
fn what_a_policy_leaves_out_is_as_effective_says() {
    let policy = r#"{"name": "Foo", "settings": {}, "effective": {"EWSMaxConcurrency": 0}}"#;
    let folder = folder(&[("access.log", &two_minutes()), ("policy.json", policy)]);
    let words = ["--format", "nginx", "--log", "access.log", "--policy", "policy.json"];
    assert!(answer(folder.path(), &words).unwrap().contains("because of MaxConcurrency"));
}

#[test]
fn files_of_a_folder_are_read_together_and_zipped_ones_too() {
    let text = two_minutes();
    let (old, new) = text.split_at(text.find("10:01:00").unwrap() - "192.0.2.7 - john [30/Nov/2026:".len());
    let folder = folder(&[("access.log", new), ("notes.txt", "nothing")]);
    let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut zip, old.as_bytes()).unwrap();
    fs::write(folder.path().join("access.log.1.gz"), zip.finish().unwrap()).unwrap();
    for logs in [&["."][..], &["access.log.1.gz", "access.log"], &[".", "access.log"]] {
        let text = answer(folder.path(), &[&["--format", "nginx", "--log"], logs].concat()).unwrap();
        assert!(text.starts_with("read 120 calls in 120 lines of 2 files"), "{logs:?}: {text}");
    }
}

#[test]
fn what_cannot_be_done_is_said_with_what_to_do() {
    let log = two_minutes();
    let bad = [
        ("access.log", log.as_str()),
        ("unknown.json", r#"{"EWSFindCountLimits": 1}"#),
        ("range.json", r#"{"CPUStartPercent": 200}"#),
        ("list.json", "[1]"),
        ("good.json", "{}"),
    ];
    let folder = folder(&bad);
    let path = folder.path();
    let with = |policy| ["--format", "nginx", "--log", "access.log", "--policy", policy];
    refused(
        path,
        &["--log", "access.log"],
        "access.log:1: its date is none; read as mailweir, which --format changes",
    );
    refused(path, &with("unknown.json"), "EWSFindCountLimit");
    refused(path, &with("range.json"), "0 to 100");
    refused(path, &with("list.json"), "policy show NAME --json");
    refused(path, &with("missing.json"), "missing.json");
    refused(path, &["--log", "missing.log"], "cannot read missing.log");
    refused(
        path,
        &[&with("good.json")[..], &["--replaces", "Foo"]].concat(),
        "no call of the log was under the policy Foo",
    );
    refused(path, &["--log", "access.log", "--replaces", "Foo"], "--policy");
    refused(path, &["--log", "access.log", "--format", "apache"], "mailweir, iis, nginx and haproxy");
    refused(path, &[&with("good.json")[..], &["--max-delay", "60"]].concat(), "has no unit");
}
