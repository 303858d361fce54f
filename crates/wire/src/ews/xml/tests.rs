use super::*;
use proptest::prelude::*;

fn read(document: &[u8]) -> Result<Element, Malformed> {
    Element::from_xml(document, &Limits::default())
}

fn read_in_pieces(document: &[u8], size: usize) -> Result<Element, Malformed> {
    let mut builder = ElementBuilder::new(Limits::default());
    for piece in document.chunks(size) {
        builder.feed(piece)?;
    }
    builder.finish()
}

#[test]
fn names_attributes_and_text_are_read_as_xml_means_them() {
    let document = b"\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<!-- a -- > b -->\
        <x:a xmlns:x='http://schemas.microsoft.com/exchange/services/2006/types' one='&lt;1&gt; &#65;\n' x:two='2'>\
        <b xmlns='urn:other'>line\r\nline\rline &amp;&#xD;&#x1F600;<![CDATA[<raw> ]] ]]]></b >\
        <c/> <?skip <this>?></x:a>\n";
    let root = read(document).unwrap();
    assert!(root.is(&Namespace::Types, "a"), "{root:?}");
    assert_eq!(root.attribute("one"), Some("<1> A "));
    assert_eq!(root.attributes.len(), 1, "attributes with a prefix are left out");
    assert_eq!(root.text, "", "space between children is left out");
    let [b, c] = root.children.as_slice() else { panic!("{root:?}") };
    assert!(b.is(&Namespace::Other("urn:other".into()), "b"));
    assert_eq!(b.text, "line\nline\nline &\r\u{1f600}<raw> ]] ]");
    assert!(c.is(&Namespace::None, "c"), "a default namespace ends with its element");
}

#[test]
fn what_is_no_xml_is_refused_and_says_why() {
    let cases: &[(&[u8], Malformed)] = &[
        (b"", Malformed::Unfinished),
        (b"<a>", Malformed::Unfinished),
        (b"<a></a", Malformed::Unfinished),
        (b"<a></a><!-- ", Malformed::Unfinished),
        (b"<a></b>", Malformed::Unbalanced),
        (b"</a>", Malformed::Unbalanced),
        (b"<a/><b/>", Malformed::Syntax),
        (b"text", Malformed::Syntax),
        (b"<a/>text", Malformed::Syntax),
        (b"&amp;<a/>", Malformed::Syntax),
        (b"<a b=c/>", Malformed::Syntax),
        (b"<a b='1' b='2'/>", Malformed::Syntax),
        (b"<a b='<'/>", Malformed::Syntax),
        (b"<1/>", Malformed::Syntax),
        (b"< a/>", Malformed::Syntax),
        (b"<:a/>", Malformed::Syntax),
        (b"<a:b:c/>", Malformed::Syntax),
        (b"<!ELEMENT a>", Malformed::Syntax),
        (b"<![CDATA[x]]><a/>", Malformed::Syntax),
        (b"<x:a/>", Malformed::Prefix),
        (b"<a x:b='1'/>", Malformed::Prefix),
        (b"<a>&nbsp;</a>", Malformed::Entity),
        (b"<a>&unending-unending-unending</a>", Malformed::Entity),
        (b"<a b='&x;'/>", Malformed::Entity),
        (b"<a>&#0;</a>", Malformed::Character),
        (b"<a>&#xD800;</a>", Malformed::Character),
        (b"<a>&#+65;</a>", Malformed::Character),
        (b"<a>\x07</a>", Malformed::Character),
        (b"<a b='\x07'/>", Malformed::Character),
        (b"<a>\xff</a>", Malformed::Encoding),
        (b"<a\xff/>", Malformed::Encoding),
        (b"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", Malformed::Doctype),
    ];
    for (document, why) in cases {
        let shown = String::from_utf8_lossy(document);
        assert_eq!(read(document), Err(why.clone()), "{shown}");
        assert_eq!(read_in_pieces(document, 1), Err(why.clone()), "{shown}");
    }
}

#[test]
fn an_entity_bomb_is_refused_at_its_declaration() {
    let bomb = b"<?xml version='1.0'?><!DOCTYPE lolz [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>";
    let mut builder = ElementBuilder::new(Limits::default());
    assert_eq!(builder.feed(bomb), Err(Malformed::Doctype));
    assert_eq!(builder.feed(b"]><a>&b;</a>"), Err(Malformed::Doctype), "and so is all that follows");
    assert_eq!(builder.finish(), Err(Malformed::Doctype));
}

#[test]
fn every_bound_holds_and_exactly_the_bound_passes() {
    let limits = Limits { body: 200, depth: 3, nodes: 6, attributes: 2, namespaces: 2, name: 5, tag: 30 };
    let read = |document: &str| Element::from_xml(document.as_bytes(), &limits).map(|_| ());
    let long = "x".repeat(40);
    let cases = [
        ("<a><b><c/></b></a>".to_owned(), Ok(())),
        ("<a><b><c><d/></c></b></a>".to_owned(), Err(Malformed::TooDeep { limit: 3 })),
        ("<a><b/><b/><b/><b/><b/></a>".to_owned(), Ok(())),
        ("<a><b/><b/><b/><b/><b/><b/></a>".to_owned(), Err(Malformed::TooManyNodes { limit: 6 })),
        ("<a b='' c=''/>".to_owned(), Ok(())),
        ("<a b='' c='' d=''/>".to_owned(), Err(Malformed::TooManyAttributes { limit: 2 })),
        ("<a xmlns='a'><b xmlns='b'/></a>".to_owned(), Ok(())),
        (
            "<a xmlns='a'><b xmlns='b'><c xmlns='c'/></b></a>".to_owned(),
            Err(Malformed::TooManyNamespaces { limit: 2 }),
        ),
        ("<abcde/>".to_owned(), Ok(())),
        ("<abcdef/>".to_owned(), Err(Malformed::NameTooLong { limit: 5 })),
        (format!("<a b='{long}'/>"), Err(Malformed::TagTooLong { limit: 30 })),
        (format!("<a {long}{long}"), Err(Malformed::TagTooLong { limit: 30 })),
        (format!("<a>{}</a>", "x".repeat(193)), Ok(())),
        (format!("<a>{}</a>", "x".repeat(194)), Err(Malformed::TooLong { limit: 200 })),
    ];
    for (document, expected) in cases {
        assert_eq!(read(&document), expected, "{document}");
    }
}

#[test]
fn ten_thousand_nested_elements_are_refused_where_the_bound_is_passed() {
    let mut builder = ElementBuilder::new(Limits::default());
    let refused = (0..10_000).find(|_| builder.feed(b"<a>").is_err());
    assert_eq!(refused, Some(Limits::default().depth));
}

#[test]
fn a_large_text_arrives_whole() {
    let piece = "x".repeat(64 * 1024);
    let mut builder = ElementBuilder::new(Limits::default());
    builder.feed(b"<a>").unwrap();
    for _ in 0..512 {
        builder.feed(piece.as_bytes()).unwrap();
    }
    builder.feed(b"</a>").unwrap();
    assert_eq!(builder.finish().unwrap().text.len(), 32 << 20);
}

#[test]
fn forbidden_characters_are_written_as_replacements() {
    let element = Element::types("a")
        .with_text("a\u{0}b\u{1f}c\u{fffe}d\u{ffff}e\u{feff}f")
        .with_attribute("b", "\u{1}");
    let read = read(&element.to_xml()).unwrap();
    assert_eq!(read.text, "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e\u{feff}f");
    assert_eq!(read.attribute("b"), Some("\u{fffd}"));
}

fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        Just('\r'),
        Just('\n'),
        Just('\t'),
        Just(']'),
        Just('>'),
        Just('&'),
        Just('<'),
        Just('"'),
        Just('\''),
        Just('\u{feff}'),
        any::<char>()
            .prop_filter("XML allows it", |c| { !matches!(c, '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}') }),
    ];
    proptest::collection::vec(character, 0..12).prop_map(|characters| characters.into_iter().collect())
}

fn namespace() -> impl Strategy<Value = Namespace> {
    prop_oneof![
        Just(Namespace::None),
        Just(Namespace::Soap),
        Just(Namespace::Messages),
        Just(Namespace::Types),
        Just(Namespace::Other("urn:a".into())),
        Just(Namespace::Other("urn:<b>&'\"".into())),
    ]
}

fn element() -> impl Strategy<Value = Element> {
    let leaf = (namespace(), "[a-z]{1,3}", text(), proptest::option::of(text())).prop_map(
        |(ns, name, text, value)| {
            let element = Element::new(ns, name).with_text(text);
            match value {
                Some(value) => element.with_attribute("b", value),
                None => element,
            }
        },
    );
    leaf.prop_recursive(4, 24, 4, |inner| {
        (namespace(), "[a-z]{1,3}", proptest::collection::vec(inner, 1..4)).prop_map(
            |(ns, name, children)| {
                let mut element = Element::new(ns, name);
                element.children = children;
                element
            },
        )
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_the_same(element in element()) {
        prop_assert_eq!(read(&element.to_xml()), Ok(element));
    }

    #[test]
    fn every_cutting_gives_the_same_element(element in element(), size in 1_usize..40) {
        prop_assert_eq!(read_in_pieces(&element.to_xml(), size), Ok(element));
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_cut_alike(bytes in proptest::collection::vec(any::<u8>(), 0..200), size in 1_usize..40) {
        prop_assert_eq!(read_in_pieces(&bytes, size), read(&bytes));
    }

    #[test]
    fn bytes_that_look_like_markup_never_panic_and_cut_alike(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("<a"), Just("<"), Just(">"), Just("/>"), Just("</a>"), Just("<!--"), Just("-->"), Just("<![CDATA["),
                Just("]]>"), Just("]"), Just("-"), Just("<?"), Just("?>"), Just("&"), Just("amp;"), Just("#x41;"),
                Just(" b='"), Just("'"), Just("\""), Just("xmlns:x='u'"), Just("x:"), Just("\r"), Just("\n"), Just("é"),
            ],
            0..30,
        ),
        size in 1_usize..9,
    ) {
        let document = pieces.concat();
        prop_assert_eq!(read_in_pieces(document.as_bytes(), size), read(document.as_bytes()));
    }
}
