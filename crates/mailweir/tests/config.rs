//! The documentation of the configuration and the example file say what the code does.

#![allow(clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use mailweir::config::{Config, Key, keys};

/// A file of the repository.
fn file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// One row of the documentation's tables: section, key, value, default, effect.
type Row = (String, String, String, String, String);

fn documented() -> BTreeSet<Row> {
    let text = file("docs/configuration.md");
    let mut section = String::new();
    let mut rows = BTreeSet::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title.trim_matches(['`', '[', ']']).replace("Top of the file", "");
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", key, value, default, effect, meaning, ""] = cells.as_slice()
            && key.starts_with('`')
        {
            assert!(meaning.len() > 3, "{section}.{key} is not explained");
            let plain = |cell: &str| cell.trim_matches('`').to_owned();
            let row =
                (section.clone(), plain(key), (*value).to_owned(), plain(default), (*effect).to_owned());
            assert!(rows.insert(row), "{section}.{key} is documented twice");
        }
    }
    rows
}

fn coded() -> BTreeSet<Row> {
    let row = |key: Key| {
        let default = key.default.unwrap_or_else(|| "–".to_owned());
        (key.section, key.name.to_owned(), key.allowed, default, key.effect.to_string())
    };
    keys().into_iter().map(row).collect()
}

#[test]
fn the_documentation_holds_every_key_with_what_is_allowed_its_default_and_its_effect() {
    let (documented, coded) = (documented(), coded());
    let missing: Vec<_> = coded.difference(&documented).collect();
    let surplus: Vec<_> = documented.difference(&coded).collect();
    assert!(
        missing.is_empty() && surplus.is_empty(),
        "in the code only: {missing:#?}\ndocumented only: {surplus:#?}"
    );
    assert!(documented.len() > 80, "the tables were not recognised: {} rows", documented.len());
}

/// Whether `section` may be there several times, so that none of its keys has a value where there is none.
fn is_list(section: &str) -> bool {
    file("docs/configuration.md").contains(&format!("## `[[{section}]]`"))
}

#[test]
fn every_documented_default_is_what_holds_without_the_key() {
    let default = format!("{:?}", Config::default());
    for (section, key, _, value, _) in documented() {
        if value == "–" || is_list(&section) {
            continue;
        }
        let text = if section.is_empty() {
            format!("{key} = {value}")
        } else {
            format!("{section}.{key} = {value}")
        };
        let config = Config::parse(&text, "mailweir.toml").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(format!("{config:?}"), default, "{text}");
    }
}

#[test]
fn the_example_file_changes_nothing_as_it_is() {
    let config = Config::parse(&file("mailweir.example.toml"), "mailweir.example.toml").unwrap();
    assert_eq!(format!("{config:?}"), format!("{:?}", Config::default()));
}

#[test]
fn the_example_file_holds_every_key_and_all_of_it_is_right() {
    let text = file("mailweir.example.toml");
    // A comment of words begins with a blank, a key or section that is switched off does not.
    let on: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("# "))
        .map(|line| line.trim_start_matches('#'))
        .collect();
    let on = on.join("\n").replace("kind = \"embedded\"", "kind = \"remote\"");
    Config::parse(&on, "mailweir.example.toml").unwrap_or_else(|error| panic!("{error}"));
    let mut section = String::new();
    let mut held = BTreeSet::new();
    for line in on.lines() {
        if let Some(title) = line.strip_prefix('[') {
            section = title.trim_matches(['[', ']']).to_owned();
        } else if let Some((key, _)) = line.split_once(" = ") {
            held.insert((section.clone(), key.to_owned()));
        }
    }
    let keys: BTreeSet<_> = keys().into_iter().map(|key| (key.section, key.name.to_owned())).collect();
    assert_eq!(held, keys);
}
