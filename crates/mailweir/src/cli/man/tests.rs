use std::fs;

use super::pages;
use crate::cli::command;

#[test]
fn every_command_has_a_page_that_names_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    let told = pages(command(), Some(&out)).unwrap().text();
    let names: Vec<String> =
        fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(told, format!("{} pages are in {}\n", names.len(), out.display()));
    assert!(!names.iter().any(|name| name.contains("help")), "{names:?}");
    for (page, says) in [
        ("mailweir.1", ["mailweir\\-policy(1)", "/var/lib/mailweir", "New\\-ThrottlingPolicy"]),
        ("mailweir-serve.1", ["\\-\\-config", "\\-\\-demo", "\\-\\-data"]),
        ("mailweir-policy-set.1", ["\\-\\-set", "mailweir policy set", ".TH MAILWEIR-POLICY-SET 1 "]),
    ] {
        let text = fs::read_to_string(out.join(page)).unwrap();
        for word in says {
            assert!(text.contains(word), "{page} does not say {word}:\n{text}");
        }
    }
}

#[test]
fn without_a_folder_the_program_s_own_page_is_printed() {
    let page = pages(command(), None).unwrap().text();
    assert!(page.contains("SH \"EXIT STATUS\"") && page.contains("SH SYNOPSIS"), "{page}");
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let failure = pages(command(), Some(&file.path().join("man1"))).unwrap_err().to_string();
    assert!(failure.starts_with("cannot write "), "{failure}");
}
