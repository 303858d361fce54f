//! `docs/rules.md` names every rule, where it lives and the test that proves it, and none of that is a dead link.

use crate::tree;
use std::collections::BTreeSet;

/// The rules there are: a letter and its highest number.
const RULES: [(&str, u32); 4] = [("T", 27), ("R", 17), ("E", 7), ("H", 16)];

/// One row of the table.
struct Row {
    rule: String,
    lives: String,
    proved: String,
}

impl Row {
    /// Whether the rule is for a later stage: it then says why, and names no test.
    fn is_later(&self) -> bool {
        self.lives.starts_with("later")
    }
}

#[test]
fn every_rule_has_one_row() {
    let mut named = BTreeSet::new();
    for row in rows() {
        assert!(named.insert(row.rule.clone()), "{} has two rows", row.rule);
    }
    let all: BTreeSet<String> = RULES
        .iter()
        .flat_map(|(letter, last)| (1..=*last).map(move |number| format!("{letter}{number}")))
        .collect();
    assert_eq!(named, all, "the rows of docs/rules.md and the rules differ");
}

#[test]
fn every_place_a_rule_lives_in_exists() {
    for row in rows().iter().filter(|row| !row.is_later()) {
        let places = code_spans(&row.lives);
        assert!(!places.is_empty(), "{} lives nowhere", row.rule);
        for place in places {
            assert!(tree::exists(place), "{} names {place}, which does not exist", row.rule);
        }
    }
}

#[test]
fn every_test_that_proves_a_rule_exists() {
    for row in rows().iter().filter(|row| !row.is_later()) {
        let tests = code_spans(&row.proved);
        assert!(!tests.is_empty(), "nothing proves {}", row.rule);
        for test in tests {
            let (path, name) = test.split_once("::").unwrap_or_else(|| panic!("{test} is not path::name"));
            assert!(tree::exists(path), "{} names {path}, which does not exist", row.rule);
            assert!(
                defines(&tree::read(path), name),
                "{} names {name}, which {path} does not have",
                row.rule
            );
        }
    }
}

#[test]
fn a_later_rule_says_why_it_is_later() {
    for row in rows().iter().filter(|row| row.is_later()) {
        let reason = row.lives.trim_start_matches("later").trim_start_matches(':').trim();
        assert!(reason.len() > 10, "{} is later without a reason", row.rule);
    }
}

/// The rows of the table, in their order.
fn rows() -> Vec<Row> {
    let text = tree::read("docs/rules.md");
    let rows: Vec<Row> = text.lines().filter_map(row).collect();
    assert!(!rows.is_empty(), "docs/rules.md has no table");
    rows
}

fn row(line: &str) -> Option<Row> {
    let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
    let rule = cells.next()?.to_owned();
    let digits =
        rule.strip_prefix(|letter: char| RULES.iter().any(|(known, _)| known.starts_with(letter)))?;
    digits.parse::<u32>().ok()?;
    let sentence = cells.next()?;
    assert!(sentence.len() > 20, "{rule} is not said");
    Some(Row { rule, lives: cells.next()?.to_owned(), proved: cells.next()?.to_owned() })
}

/// What stands between back-ticks.
fn code_spans(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Whether `text` defines a function of that name, in any of the languages of our tests.
fn defines(text: &str, name: &str) -> bool {
    ["fn", "def", "function"].iter().any(|word| text.contains(&format!("{word} {name}(")))
}
