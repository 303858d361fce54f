//! Every byte comes out once, in order, however the document is cut.

use proptest::prelude::*;

use super::{Malformed, ScanLimits, Scanner, Tag, Token, with_attribute, without_attribute};

/// What came of a document: the tokens, joined where they are bytes, and what was left.
#[derive(Debug, Default, PartialEq, Eq)]
struct Scan {
    tokens: Vec<String>,
    out: Vec<u8>,
    left: Vec<u8>,
    error: Option<Malformed>,
}

fn scan<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Scan {
    let (mut scanner, mut scan) = (Scanner::new(ScanLimits::default()), Scan::default());
    for mut piece in pieces {
        while scan.error.is_none() {
            match scanner.next(&mut piece) {
                Ok(None) => break,
                Ok(Some(Token::Bytes(bytes))) => scan.out.extend_from_slice(bytes),
                Ok(Some(Token::Start { tag, depth, at })) => {
                    assert_eq!(at, scan.out.len());
                    scan.out.extend_from_slice(tag.raw().as_bytes());
                    scan.tokens.push(format!(
                        "{depth}{}{}",
                        tag.name(),
                        if tag.is_empty() { "/" } else { "" }
                    ));
                }
                Ok(Some(Token::End { raw, depth, at })) => {
                    assert_eq!(at, scan.out.len());
                    scan.out.extend_from_slice(raw.as_bytes());
                    scan.tokens.push(format!("{depth}{}", raw.trim_matches(['<', '>'])));
                }
                Err(error) => {
                    scan.left.extend_from_slice(scanner.gathered());
                    scan.error = Some(error);
                }
            }
        }
        scan.left.extend_from_slice(piece);
    }
    if scan.error.is_none() {
        scan.left.extend_from_slice(scanner.gathered());
    }
    scan
}

fn check(document: &str, tokens: &[&str]) {
    for size in [1, 2, 3, 7, document.len().max(1)] {
        let scan = scan(document.as_bytes().chunks(size));
        assert_eq!(scan.error, None, "{document} by {size}");
        assert_eq!(scan.tokens, tokens, "{document} by {size}");
        assert_eq!([scan.out, scan.left].concat(), document.as_bytes(), "{document} by {size}");
    }
}

#[test]
fn tags_are_found_and_nothing_else() {
    check("\u{feff}<?xml version='1.0'?>\n<a><b x='>'/></a>\n", &["0a", "1b/", "0/a"]);
    check("<a><!-- <b> -- > --><c/><!----></a><!-- end -->", &["0a", "1c/", "0/a"]);
    check("<a><![CDATA[<b>]]]]><![CDATA[>]]]></a>", &["0a", "0/a"]);
    check("<a>&lt;b> ]]> \u{fffd}</a >", &["0a", "0/a "]);
    check("<p:a\n\tp:x = \"a'b\" y='\"'><?p <b> ? > ?></p:a>", &["0p:a", "0/p:a"]);
    check("<a/>", &["0a/"]);
    check("<a><b", &["0a"]);
}

#[test]
fn what_is_no_document_says_so_and_loses_no_byte() {
    for (document, error) in [
        ("x<a/>", Malformed::Syntax),
        ("<a/>x", Malformed::Syntax),
        ("<a/><b/>", Malformed::Syntax),
        ("<!DOCTYPE a><a/>", Malformed::Doctype),
        ("<!ELEMENT a>", Malformed::Syntax),
        ("<a></b>", Malformed::Unbalanced),
        ("</a>", Malformed::Unbalanced),
        ("<a:b:c/>", Malformed::Syntax),
        ("<1/>", Malformed::Syntax),
        ("<>", Malformed::Syntax),
    ] {
        for size in [1, 2, document.len()] {
            let scan = scan(document.as_bytes().chunks(size));
            assert_eq!(scan.error.as_ref(), Some(&error), "{document} by {size}");
            assert_eq!([scan.out, scan.left].concat(), document.as_bytes(), "{document} by {size}");
        }
    }
    assert_eq!(scan([&b"<a \xff>"[..]]).error, Some(Malformed::Encoding));
}

#[test]
fn every_bound_holds_and_one_less_passes() {
    let scanned = |limits: ScanLimits, document: &str| {
        let (mut scanner, mut rest) = (Scanner::new(limits), document.as_bytes());
        loop {
            match scanner.next(&mut rest) {
                Ok(Some(_)) => {}
                Ok(None) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    };
    let limits = ScanLimits { depth: 2, name: 3, tag: 10 };
    let scanned = |document| scanned(limits.clone(), document);
    assert_eq!(scanned("<a><b/></a>"), Ok(()));
    assert_eq!(scanned("<a><b><c/></b></a>"), Err(Malformed::TooDeep { limit: 2 }));
    assert_eq!(scanned("<abc/>"), Ok(()));
    assert_eq!(scanned("<abcd/>"), Err(Malformed::NameTooLong { limit: 3 }));
    assert_eq!(scanned("<a b='12'/>"), Err(Malformed::TagTooLong { limit: 10 }));
    assert_eq!(scanned("<a b='1'/>"), Ok(()));
}

#[test]
fn attributes_are_read_by_their_whole_name() -> Result<(), Malformed> {
    let raw = "<t:a x:b='1' \n b = \"&lt;2>\"\tc=''/>";
    let tag = Tag::new(raw)?;
    assert_eq!((tag.local(), tag.prefix(), tag.is_empty()), ("a", "t:", true));
    let value = |name| tag.attribute(name).map(|found| found.map(|attribute| attribute.value));
    assert_eq!(value("b")?.as_deref(), Some("<2>"));
    assert_eq!(value("c")?.as_deref(), Some(""));
    assert_eq!(value("d")?, None);
    let found = tag.attribute("b")?.unwrap();
    assert_eq!((&raw[found.whole], &raw[found.between]), (" \n b = \"&lt;2>\"", "&lt;2>"));
    for broken in
        ["<a b>", "<a b=1>", "<a b='1'c='2'>", "<a b='1' b='2'>", "<a ='1'>", "<a b='&x;'>", "<a b='1' / >"]
    {
        assert!(Tag::new(broken)?.attribute("b").is_err(), "{broken}");
    }
    Ok(())
}

#[test]
fn a_changed_attribute_leaves_every_other_byte_alone() -> Result<(), Malformed> {
    assert_eq!(with_attribute("<a  x = '1' y=\"2\" />", "x", "30")?, "<a  x = '30' y=\"2\" />");
    assert_eq!(with_attribute("<a/>", "x", "3")?, "<a x=\"3\"/>");
    assert_eq!(with_attribute("<m:a y='2'>", "x", "3")?, "<m:a x=\"3\" y='2'>");
    assert_eq!(without_attribute("<a\n x='1' y='2'>", "x")?, "<a y='2'>");
    assert_eq!(without_attribute("<a y='2'>", "x")?, "<a y='2'>");
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_come_out_as_they_went_in(
        parts in proptest::collection::vec(prop_oneof![
            Just("<a>"), Just("</a>"), Just("<b x='1'/>"), Just("<!--"), Just("-->"), Just("<![CDATA["), Just("]]>"),
            Just("<?"), Just("?>"), Just("<"), Just(">"), Just("'"), Just("&"), Just(" "), Just("x"), Just("<!D"),
        ], 0..20),
        noise in proptest::collection::vec(any::<u8>(), 0..20),
        cuts in proptest::collection::vec(1usize..9, 1..20),
    ) {
        let document = [b"<a>", parts.concat().as_bytes(), &noise].concat();
        let whole = scan([&document[..]]);
        prop_assert_eq!(&[&whole.out[..], &whole.left].concat(), &document);
        let mut rest = &document[..];
        let mut pieces = Vec::new();
        for size in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        let cut = scan(pieces);
        prop_assert_eq!(&[&cut.out[..], &cut.left].concat(), &document);
        prop_assert_eq!((cut.tokens, cut.error), (whole.tokens, whole.error));
    }
}
