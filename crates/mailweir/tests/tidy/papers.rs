//! What the papers tell a reader to type is what the program understands, and what they link to is there.

use crate::tree;
use std::path::Path;
use std::process::{Command, Stdio};

/// The papers whose commands are tried.
const PAPERS: [&str; 5] =
    ["README.md", "CONTRIBUTING.md", "docs/operations.md", "docs/what-if.md", "docs/interoperability.md"];

/// The most lines of two papers that are meant to be read in one go.
const SHORT: [(&str, usize); 2] = [("README.md", 150), ("ARCHITECTURE.md", 200)];

/// The exit code for wrong usage.
const WRONG_USAGE: i32 = 2;

#[test]
fn every_command_of_the_papers_is_understood() {
    let mut tried = 0;
    for paper in PAPERS {
        for line in code_lines(&tree::read(paper)) {
            if let Some(words) = command(&line) {
                check_command(paper, &line, &words);
                tried += 1;
            }
        }
    }
    assert!(tried >= 5, "only {tried} commands found in the papers");
}

#[test]
fn every_script_of_the_papers_exists() {
    for paper in PAPERS {
        for line in code_lines(&tree::read(paper)) {
            let first = line.split_whitespace().next().unwrap_or_default();
            if let Some(script) = first.strip_prefix("./") {
                assert!(tree::exists(script), "{paper} names {script}");
            }
        }
    }
}

#[test]
fn every_link_between_the_papers_leads_somewhere() {
    for paper in tree::files_of("md") {
        let folder = Path::new(&paper).parent().unwrap();
        for target in tree::read(&paper).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let path = folder.join(file);
            assert!(tree::exists(path.to_str().unwrap()), "{paper} links to {target}");
        }
    }
}

#[test]
fn the_short_papers_are_short() {
    for (paper, most) in SHORT {
        let lines = tree::read(paper).lines().count();
        assert!(lines <= most, "{paper} has {lines} lines, and {most} are the most");
    }
}

/// The lines inside the fences of shell code, without comments.
fn code_lines(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if let Some(fence) = line.trim_start().strip_prefix("```") {
            inside = !inside && matches!(fence, "sh" | "console");
        } else if inside {
            let line = line.trim_start_matches("$ ");
            lines.push(line.split(" #").next().unwrap().split(['<', '>']).next().unwrap().trim().to_owned());
        }
    }
    lines
}

/// The words after the program's name, if the line runs our program.
fn command(line: &str) -> Option<Vec<String>> {
    let rest = line.strip_prefix("mailweir ").or_else(|| line.strip_prefix("cargo run --release -- "))?;
    Some(rest.split_whitespace().map(|word| word.trim_matches('\'').trim_matches('"').to_owned()).collect())
}

/// Runs the command where no server runs: it may fail, but not for being wrong.
fn check_command(paper: &str, line: &str, words: &[String]) {
    let nobody = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_mailweir"));
    program.args(words).current_dir(nobody.path()).stdin(Stdio::null());
    if words.first().is_some_and(|word| word == "serve") {
        program.arg("--help");
    }
    let output = program.output().unwrap();
    assert_ne!(
        output.status.code(),
        Some(WRONG_USAGE),
        "{paper}: `{line}` is not understood: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
