//! Writing text so that XML can carry it.
//!
//! The characters that mean something become references, and those that XML 1.0 forbids become U+FFFD: a stored
//! control character must never make a whole answer unreadable.

use super::{Element, Namespace};

/// The mark for what cannot be written.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// Appends `text` as the content of an element.
pub fn push_text(out: &mut Vec<u8>, text: &str) {
    push_escaped(out, text, |byte| match byte {
        b'&' => Some(b"&amp;"),
        b'<' => Some(b"&lt;"),
        b'>' => Some(b"&gt;"),
        b'\r' => Some(b"&#xD;"),
        0..0x20 if !matches!(byte, b'\t' | b'\n') => Some(REPLACEMENT),
        _ => None,
    });
}

/// Appends ` name="value"`.
pub fn push_attribute(out: &mut Vec<u8>, name: &str, value: &str) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    push_escaped(out, value, |byte| match byte {
        b'&' => Some(b"&amp;"),
        b'<' => Some(b"&lt;"),
        b'>' => Some(b"&gt;"),
        b'"' => Some(b"&quot;"),
        b'\r' => Some(b"&#xD;"),
        b'\n' => Some(b"&#xA;"),
        b'\t' => Some(b"&#x9;"),
        0..0x20 => Some(REPLACEMENT),
        _ => None,
    });
    out.push(b'"');
}

fn push_escaped(out: &mut Vec<u8>, text: &str, substitute: impl Fn(u8) -> Option<&'static [u8]>) {
    out.reserve(text.len());
    let mut rest = text.as_bytes();
    let stops =
        |rest: &[u8]| rest.iter().position(|&byte| substitute(byte).is_some() || is_noncharacter_lead(byte));
    while let Some(at) = stops(rest) {
        let (clean, tail) = rest.split_at(at);
        out.extend_from_slice(clean);
        let (length, instead) = match tail {
            [0xef, 0xbf, 0xbe | 0xbf, ..] => (3, REPLACEMENT),
            [byte, ..] => match substitute(*byte) {
                Some(instead) => (1, instead),
                None => (1, tail.get(..1).unwrap_or_default()),
            },
            [] => break,
        };
        out.extend_from_slice(instead);
        rest = tail.get(length..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// The first byte of U+FFFE and U+FFFF, which XML forbids, and of many harmless characters.
const fn is_noncharacter_lead(byte: u8) -> bool {
    byte == 0xef
}

/// The prefix that answers declare for a namespace.
const fn prefix(namespace: &Namespace) -> Option<&'static str> {
    match namespace {
        Namespace::Soap => Some("s:"),
        Namespace::Messages => Some("m:"),
        Namespace::Types => Some("t:"),
        Namespace::None | Namespace::Other(_) => None,
    }
}

/// Appends the element where the prefixes are declared already.
pub(super) fn push_element(out: &mut Vec<u8>, element: &Element) {
    push_tree(out, element, false, &Namespace::None);
}

/// Appends the element with the prefixes declared.
pub(super) fn push_document(out: &mut Vec<u8>, element: &Element) {
    push_tree(out, element, true, &Namespace::None);
}

/// `default` is the namespace that names without a prefix have here.
fn push_tree(out: &mut Vec<u8>, element: &Element, declare: bool, default: &Namespace) {
    let prefix = prefix(&element.namespace);
    let mut inner = default;
    out.push(b'<');
    push_name(out, prefix, &element.name);
    if declare {
        push_attribute(out, "xmlns:s", Namespace::SOAP);
        push_attribute(out, "xmlns:m", Namespace::MESSAGES);
        push_attribute(out, "xmlns:t", Namespace::TYPES);
    }
    if prefix.is_none() && element.namespace != *default {
        push_attribute(out, "xmlns", element.namespace.name());
        inner = &element.namespace;
    }
    for attribute in &element.attributes {
        push_attribute(out, &attribute.name, &attribute.value);
    }
    if element.children.is_empty() && element.text.is_empty() {
        out.extend_from_slice(b"/>");
        return;
    }
    out.push(b'>');
    push_text(out, &element.text);
    for child in &element.children {
        push_tree(out, child, false, inner);
    }
    out.extend_from_slice(b"</");
    push_name(out, prefix, &element.name);
    out.push(b'>');
}

fn push_name(out: &mut Vec<u8>, prefix: Option<&str>, name: &str) {
    out.extend_from_slice(prefix.unwrap_or_default().as_bytes());
    out.extend_from_slice(name.as_bytes());
}
