use std::fmt::Write;

use crate::config::Config;

fn mistakes(text: &str) -> String {
    Config::parse(text, "mailweir.toml").expect_err(text).to_string()
}

#[test]
fn rules_are_read_in_their_order() {
    let text = "[[block]]\nprotocol = \"mapi\"\nprocess = \"SearchIndexer.exe\"\nmessage = \" Search on the server. \"\n\
                [[block]]\nprotocol = \"http\"\nprogram = \"*Archiver*\"\nversions = \"-2.4\"\n\
                [[block]]\nprotocol = \"eas\"\nprogram = \"iPhone\"\n";
    let list = Config::parse(text, "mailweir.toml").unwrap().gateway_settings().block;
    let indexer = list.mapi(Some("Outlook/15.0"), Some("searchindexer.exe")).unwrap();
    assert_eq!((indexer.number, indexer.rule.message()), (1, "Search on the server."));
    assert_eq!(list.http(Some("MyArchiver/2.4.9 (x)")).unwrap().number, 2);
    assert!(list.http(Some("MyArchiver/2.5")).is_none());
    assert_eq!(list.eas(Some("iPhone"), None).unwrap().number, 3);
    let none = Config::parse("", "mailweir.toml").unwrap().gateway_settings().block;
    assert_eq!(none, weir_gateway::block::BlockList::default());
}

#[test]
fn a_rule_that_cannot_be_is_told_with_its_line_and_what_is_allowed() {
    for (rule, message) in [
        (
            "program = \"x\"",
            "mailweir.toml:1: block.protocol is missing; allowed is \"mapi\", \"http\", \"eas\"",
        ),
        (
            "protocol = \"imap\"\nprogram = \"x\"",
            "mailweir.toml:2: block.protocol: \"imap\" is unknown; allowed is \"mapi\", \"http\", \"eas\"",
        ),
        ("protocol = \"http\"", "mailweir.toml:1: block names nobody: give program"),
        ("protocol = \"mapi\"", "mailweir.toml:1: block names nobody: give program, process or both"),
        (
            "protocol = \"eas\"\nprogram = \"x\"\nprocess = \"x.exe\"",
            "mailweir.toml:4: block.process: MAPI clients alone tell their process; remove it, or write \
             protocol = \"mapi\"",
        ),
        (
            "protocol = \"http\"\nprogram = \" ( \"",
            "mailweir.toml:3: block.program: \" ( \" must name a program: letters, digits, \".\", \"-\", \"_\", and \"*\" \
             for any part of a word",
        ),
        (
            "protocol = \"http\"\nprogram = \"x\"\nmessage = \"two\\nlines\"",
            "mailweir.toml:4: block.message: text on one line, at most 500 characters is meant",
        ),
        (
            "protocol = \"http\"\nprogram = \"x\"\nversion = \"1\"",
            "mailweir.toml:4: unknown key block.version; did you mean versions? (allowed here: message, process, \
             program, protocol, versions)",
        ),
    ] {
        assert_eq!(mistakes(&format!("[[block]]\n{rule}")), message);
    }
}

#[test]
fn versions_that_are_none_are_told_with_the_forms_there_are() {
    for (versions, what) in [
        ("", "no version is named"),
        ("15.x", "\"15.x\" is no version"),
        ("15-14", "\"15-14\" ends before it begins"),
    ] {
        let text = format!("[[block]]\nprotocol = \"http\"\nprogram = \"x\"\nversions = \"{versions}\"");
        let told = mistakes(&text);
        assert!(
            told.starts_with(&format!("mailweir.toml:4: block.versions: {what}; allowed are \"-15.0.4420\"")),
            "{told}"
        );
    }
}

#[test]
fn there_is_a_bound_to_the_rules() {
    let mut text = String::new();
    for number in 0..201 {
        writeln!(text, "[[block]]\nprotocol = \"http\"\nprogram = \"p{number}\"").unwrap();
    }
    assert_eq!(mistakes(&text), "mailweir.toml:1: block: 201 rules; at most 200 are allowed");
}
