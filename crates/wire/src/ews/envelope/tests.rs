//! Fronts of answers.

use super::*;

#[test]
fn only_an_envelope_in_a_soap_namespace_is_soap() {
    let soap = Namespace::SOAP;
    for (front, expected) in [
        (format!("\u{feff}<?xml version='1.0'?>\n<!-- x --><e:Envelope xmlns:e='{soap}'>"), Some(true)),
        (format!("<Envelope a='1' xmlns=\"{SOAP_1_2}\" />"), Some(true)),
        (format!("<Envelope xmlns:s='{soap}'>"), Some(false)),
        (format!("<s:Envelop xmlns:s='{soap}'>"), Some(false)),
        ("<s:Envelope xmlns:s='urn:other'>".to_owned(), Some(false)),
        ("<!DOCTYPE html><html>".to_owned(), Some(false)),
        ("{\"error\": 1}".to_owned(), Some(false)),
        (String::new(), None),
        ("  <!-- ".to_owned(), None),
        (" ".repeat(ENVELOPE_FRONT), Some(false)),
    ] {
        assert_eq!(is_envelope(front.as_bytes()), expected, "{front}");
    }
}

#[test]
fn a_front_that_is_cut_anywhere_says_the_same_or_nothing() {
    let whole = format!("\u{feff}<?xml version='1.0'?><s:Envelope xmlns:s='{}'><s:Body>", Namespace::SOAP);
    for end in 0..=whole.len() {
        assert_ne!(is_envelope(&whole.as_bytes()[..end]), Some(false), "{end}");
    }
}
