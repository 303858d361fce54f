//! What fuzzers found worth keeping stays small, is replayed, and can be added to.

use crate::tree;
use std::collections::BTreeSet;
use std::fs;

/// The most inputs of all corpora together, and the most bytes: every test run goes through them.
const MOST_INPUTS: usize = 150;
const MOST_BYTES: u64 = 300 << 10;

/// The inputs, as folder of the corpora, name of the corpus, path of the file.
fn inputs() -> Vec<(String, String, String)> {
    let input = |path: String| {
        let (folder, rest) = path.split_once("/tests/corpora/")?;
        let (corpus, _) = rest.split_once('/')?;
        Some((format!("{folder}/tests/corpora"), corpus.to_owned(), path.clone()))
    };
    tree::files().into_iter().filter_map(input).collect()
}

#[test]
fn every_corpus_has_an_entry_that_tests_replay_and_fuzzers_drive() {
    let manifest = tree::read("fuzz/Cargo.toml");
    let corpora: BTreeSet<_> = inputs().into_iter().map(|(folder, corpus, _)| (folder, corpus)).collect();
    assert!(!corpora.is_empty(), "there are no corpora");
    for (folder, corpus) in corpora {
        let (entry, target) = (format!("{folder}/{corpus}.rs"), format!("fuzz/fuzz_targets/{corpus}.rs"));
        assert!(
            tree::read(&format!("{folder}/main.rs")).contains(&format!("replay(\"{corpus}\"")),
            "{corpus}"
        );
        assert!(tree::exists(&entry), "{entry}");
        assert!(tree::read(&target).contains(&format!("../../{entry}")), "{target} does not drive {entry}");
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{corpus}.rs\"")), "{corpus} is no target");
    }
}

#[test]
fn the_corpora_are_small() {
    let paths: Vec<_> = inputs().into_iter().map(|(_, _, path)| path).collect();
    let bytes: u64 = paths.iter().map(|path| fs::metadata(tree::root().join(path)).unwrap().len()).sum();
    assert!(paths.len() <= MOST_INPUTS, "{} inputs, and {MOST_INPUTS} are the most", paths.len());
    assert!(bytes <= MOST_BYTES, "{bytes} bytes of inputs, and {MOST_BYTES} are the most");
}
