use weir_wire::ews::request::ContainmentMode::{
    self, ExactPhrase, FullString, PrefixOnWords, Prefixed, Substring,
};

use super::{fold, holds};

#[test]
fn each_mode_looks_where_it_says() {
    let cases: &[(&str, &str, ContainmentMode, bool)] = &[
        ("one two", "one two", FullString, true),
        ("one two", "one", FullString, false),
        ("one two", "one", Prefixed, true),
        ("one two", "two", Prefixed, false),
        ("one two", "e t", Substring, true),
        ("one two", "three", Substring, false),
        ("one two", "tw", PrefixOnWords, true),
        ("one two", "wo", PrefixOnWords, false),
        ("re:two", "two", PrefixOnWords, true),
        ("one two", "two", ExactPhrase, true),
        ("one two", "tw", ExactPhrase, false),
        ("one two three", "one two", ExactPhrase, true),
        ("aaa", "aa", ExactPhrase, false),
        ("äb", "b", PrefixOnWords, false),
        ("", "", Substring, true),
    ];
    for (text, other, mode, expected) in cases {
        assert_eq!(holds(text, other, *mode, false), *expected, "{other:?} in {text:?}, {mode:?}");
    }
}

#[test]
fn case_counts_only_where_it_is_asked_for() {
    for (text, other) in [("HELLO", "hello"), ("Ärger", "ÄRGER"), ("ΣΊΣΥΦΟΣ", "σίσυφος")] {
        assert!(holds(text, other, FullString, true), "{text} {other}");
        assert!(!holds(text, other, FullString, false), "{text} {other}");
    }
}

#[test]
fn what_is_in_lower_case_already_is_not_copied() {
    assert!(matches!(fold("abc 1"), std::borrow::Cow::Borrowed(_)));
    assert_eq!(fold("AbÄ"), "abä");
}
