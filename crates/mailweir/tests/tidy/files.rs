//! How long a file may be, and what no file may say.

use crate::tree;

/// The most lines a Rust file may have.
const MOST_LINES: usize = 600;

/// Files that are longer, each with its reason. None is; a reviewer sees whoever adds one.
const LONGER: [(&str, &str); 0] = [];

#[test]
fn no_rust_file_is_too_long_to_read() {
    for path in tree::files_of("rs") {
        let lines = tree::read(&path).lines().count();
        let excused = LONGER.iter().any(|(longer, _)| *longer == path);
        assert!(excused || lines <= MOST_LINES, "{path} has {lines} lines, and {MOST_LINES} are the most");
    }
}

#[test]
fn every_exception_to_the_length_is_still_needed() {
    for (path, reason) in LONGER {
        assert!(
            tree::read(path).lines().count() > MOST_LINES,
            "{path} is short enough without its excuse: {reason}"
        );
    }
}

#[test]
fn no_file_names_the_machine_it_was_written_on() {
    let forbidden =
        [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tmp/tar", "get-"), concat!("/home/", "ru")];
    for path in tree::files() {
        let Ok(text) = String::from_utf8(std::fs::read(tree::root().join(&path)).unwrap()) else { continue };
        for word in forbidden {
            assert!(!text.contains(word), "{path} says {word}");
        }
    }
}

#[test]
fn nothing_is_left_to_be_done_later_in_the_code() {
    let marks =
        [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("todo", "!("), concat!("unimplement", "ed!(")];
    for path in tree::files_of("rs") {
        let text = tree::read(&path);
        for mark in marks {
            assert!(!text.contains(mark), "{path} says {mark}");
        }
    }
}

#[test]
fn every_rust_file_begins_with_what_it_is() {
    let is_tests =
        |path: &str| path.ends_with("tests.rs") || path.contains("/src/") && path.contains("/tests/");
    for path in tree::files_of("rs").iter().filter(|path| !is_tests(path)) {
        let text = tree::read(path);
        assert!(text.starts_with("//!"), "{path} has no module documentation");
    }
}
