use std::fs;
use std::path::PathBuf;

use super::*;

/// A journal of numbers in these generations, the oldest first; the last one is the current file.
fn journal(generations: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    for (number, text) in (1..).zip(generations) {
        let current = number == generations.len();
        let name =
            if current { path.clone() } else { directory.path().join(format!("audit.{number}.jsonl")) };
        fs::write(name, text).unwrap();
    }
    (directory, path)
}

fn all(path: &Path, limit: usize) -> Excerpt<u64> {
    newest(path, limit, |_| Match::Wanted).unwrap()
}

#[test]
fn records_come_from_all_generations_the_newest_first() {
    let (_directory, path) = journal(&["1\n2\n", "3\n", "", "4\n5\n"]);
    assert_eq!(all(&path, 10), Excerpt { items: vec![5, 4, 3, 2, 1], complete: true, broken: 0 });
    assert_eq!(all(&path, 5), Excerpt { items: vec![5, 4, 3, 2, 1], complete: true, broken: 0 });
    assert_eq!(all(&path, 3), Excerpt { items: vec![5, 4, 3], complete: false, broken: 0 });
}

#[test]
fn where_there_is_no_file_there_is_no_record() {
    let directory = tempfile::tempdir().unwrap();
    let found = all(&directory.path().join("events.jsonl"), 10);
    assert_eq!(found, Excerpt { items: Vec::new(), complete: true, broken: 0 });
}

#[test]
fn a_broken_line_is_counted_and_passed_over() {
    let endless = format!("1\n{}\n\n\nhalf a li\n\u{0}\n2\n[", "7".repeat(3 * MAX_LINE));
    let (_directory, path) = journal(&[&endless]);
    assert_eq!(all(&path, 10), Excerpt { items: vec![2, 1], complete: true, broken: 4 });
}

#[test]
fn lines_are_put_together_across_blocks() {
    let numbers: Vec<u64> = (0..60_000).collect();
    let lines = numbers.iter().map(u64::to_string).collect::<Vec<_>>().join("\n");
    assert!(lines.len() > 4 * BLOCK);
    let (_directory, path) = journal(&[&lines]);
    let found = all(&path, numbers.len());
    assert_eq!(found.items, numbers.into_iter().rev().collect::<Vec<_>>());
    let long = format!("\"{}\"\n", "ä".repeat(BLOCK));
    let (_directory, path) = journal(&[&long]);
    let found = newest::<String>(&path, 1, |_| Match::Wanted).unwrap();
    assert_eq!(found.items[0].len(), 2 * BLOCK);
}

#[test]
fn reading_ends_once_a_thousand_records_in_a_row_are_too_old() {
    let judge = |number: &u64| if *number < 10_000 { Match::Older } else { Match::Wanted };
    let old = "1\n".repeat(999);
    let (_directory, path) = journal(&[&format!("20000\n{old}10000\n")]);
    assert_eq!(newest(&path, 10, judge).unwrap().items, [10_000, 20_000], "out of order for a while");
    let (_directory, path) = journal(&[&format!("20000\n1\n{old}10000\n")]);
    let found = newest(&path, 10, judge).unwrap();
    assert_eq!(found, Excerpt { items: vec![10_000], complete: true, broken: 0 });
}

#[test]
fn an_answer_holds_no_more_bytes_than_it_may() {
    let line = format!("\"{}\"\n", "x".repeat(MAX_LINE / 2));
    let (_directory, path) = journal(&[&line.repeat(40)]);
    let found = newest::<String>(&path, 100, |_| Match::Wanted).unwrap();
    assert!(!found.complete);
    assert_eq!(found.items.len(), MOST_ANSWERED / (line.len() - 1));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_set_aside_while_it_is_read_is_not_read_twice() {
    let (directory, path) = journal(&["1\n2\n"]);
    fs::hard_link(&path, directory.path().join("audit.1.jsonl")).unwrap();
    assert_eq!(all(&path, 10).items, [2, 1]);
}
