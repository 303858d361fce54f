use proptest::prelude::*;

use super::{MOST_PATTERN, MOST_WORDS, Pattern, PatternError, matches, words};

const OFFICE: &str = "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.4266; Pro)";

fn found(pattern: &str, text: &str) -> usize {
    pattern.parse::<Pattern>().unwrap().ends(&words(text)).count()
}

#[test]
fn a_header_is_the_words_in_it() {
    let expected =
        ["Microsoft", "Office", "16.0", "Windows", "NT", "10.0", "Microsoft", "Outlook", "16.0.4266", "Pro"];
    assert_eq!(words(OFFICE), expected);
}

#[test]
fn a_name_is_found_as_whole_words_in_any_case() {
    for (pattern, text, times) in [
        ("Outlook", OFFICE, 1),
        ("outlook", OFFICE, 1),
        ("Microsoft Outlook", OFFICE, 1),
        ("Microsoft", OFFICE, 2),
        ("Outlook Microsoft", OFFICE, 0),
        ("Outlook", "MacOutlook/16.1", 0),
        ("Outlook", "Outlook-iOS/4.2", 0),
        ("*Outlook*", "MacOutlook/16.1", 1),
        ("*Outlook*", "Outlook-iOS/4.2", 1),
        ("Outlook/*", "Outlook/15.0.4420.1017", 1),
        ("Outlook/*", "Outlook", 0),
        ("SearchIndexer.exe", "SEARCHINDEXER.EXE", 1),
        ("SearchIndexer.exe", r"C:\Windows\System32\SearchIndexer.exe", 1),
        ("python-requests", "exchangelib/5.6.0 (python-requests/2.32.3)", 1),
        ("Übersicht", "Übersicht/1.0", 1),
        ("*", "", 0),
    ] {
        assert_eq!(found(pattern, text), times, "{pattern} in {text}");
    }
}

#[test]
fn a_pattern_has_a_word_and_a_bound() {
    assert_eq!("  (;) ".parse::<Pattern>(), Err(PatternError::Empty));
    let long = "a".repeat(MOST_PATTERN + 1);
    assert_eq!(long.parse::<Pattern>(), Err(PatternError::TooLong { length: MOST_PATTERN + 1 }));
}

#[test]
fn no_more_of_a_header_is_looked_at_than_its_bound() {
    assert_eq!(words(&"a ".repeat(400)).len(), MOST_WORDS);
    assert_eq!(words(&"ä".repeat(2_000)).concat().len(), 1024);
}

/// The obvious reading of a glob.
fn model(glob: &[u8], word: &[u8]) -> bool {
    match (glob.split_first(), word.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            model(rest, word) || word.split_first().is_some_and(|(_, word)| model(glob, word))
        }
        (Some((one, glob)), Some((other, word))) => one.eq_ignore_ascii_case(other) && model(glob, word),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

proptest! {
    #[test]
    fn a_glob_matches_what_its_obvious_reading_does(glob in "[abA*]{0,8}", word in "[abB]{0,10}") {
        prop_assert_eq!(matches(&glob, &word), model(glob.as_bytes(), word.as_bytes()));
    }

    #[test]
    fn every_word_of_any_text_is_found_in_it(text in "\\PC{0,60}") {
        for word in words(&text) {
            let pattern: Pattern = word.parse().unwrap();
            prop_assert!(pattern.ends(&words(&text)).next().is_some(), "{word}");
        }
    }

    #[test]
    fn a_pattern_is_read_back_as_it_was_written(text in "\\PC{0,40}") {
        if let Ok(pattern) = text.parse::<Pattern>() {
            prop_assert_eq!(pattern.to_string().parse(), Ok(pattern));
        }
    }
}
