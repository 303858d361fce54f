use proptest::prelude::*;

use super::super::property::tests::{any_text, any_text8};
use super::*;

pub(in super::super) fn any_width() -> impl Strategy<Value = Text> {
    prop_oneof![any_text8().prop_map(Text::Narrow), any_text().prop_map(Text::Wide)]
}

pub(in super::super) fn any_typed() -> impl Strategy<Value = TypedString> {
    prop_oneof![
        Just(TypedString::Absent),
        Just(TypedString::Empty),
        any_text8().prop_map(TypedString::Narrow),
        any_text8().prop_map(TypedString::Reduced),
        any_text().prop_map(TypedString::Wide),
    ]
}

#[test]
fn a_text_is_read_whatever_its_width() {
    assert_eq!(Text::Narrow(b"in".into()).to_str(), "in");
    assert_eq!(TypedString::Reduced(b"caf\xE9".into()).to_str(), "café");
    assert_eq!(TypedString::from("").to_str(), "");
    assert_eq!(TypedString::from("a"), TypedString::Wide("a".into()));
}

#[test]
fn a_text_can_be_sent_in_the_other_width() {
    let mut out = Vec::new();
    Text::Narrow(b"a".into()).write(true, &mut out);
    Text::from("a").write(false, &mut out);
    assert_eq!(out, b"a\0\0\0a\0");
}

#[test]
fn a_text_of_no_known_kind_is_an_error() {
    let read: Result<TypedString, _> = Plain::read(&mut Reader::new(&[5]), "it");
    assert_eq!(read, Err(Malformed::Wrong("the kind of a text")));
}

proptest! {
    #[test]
    fn every_text_is_read_as_it_was_written(text in any_width(), typed in any_typed()) {
        let mut out = Vec::new();
        Plain::write(&text, &mut out);
        Plain::write(&typed, &mut out);
        let mut reader = Reader::new(&out);
        prop_assert_eq!(Plain::read(&mut reader, "it"), Ok(text));
        prop_assert_eq!(Plain::read(&mut reader, "it"), Ok(typed));
        prop_assert!(reader.is_empty());
    }
}
