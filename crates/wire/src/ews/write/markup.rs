//! Tags and text.

use super::super::xml::{push_attribute, push_text};

/// `<name>`.
pub(super) fn open(out: &mut Vec<u8>, name: &str) {
    tag(out, name, &[]);
}

/// `<name attribute="value" …>`.
pub(super) fn tag(out: &mut Vec<u8>, name: &str, attributes: &[(&str, &str)]) {
    start(out, name, attributes);
    out.push(b'>');
}

/// `<name attribute="value" …/>`.
pub(super) fn empty_tag(out: &mut Vec<u8>, name: &str, attributes: &[(&str, &str)]) {
    start(out, name, attributes);
    out.extend_from_slice(b"/>");
}

/// `<name/>`.
pub(super) fn empty(out: &mut Vec<u8>, name: &str) {
    empty_tag(out, name, &[]);
}

/// `</name>`.
pub(super) fn close(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b"</");
    out.extend_from_slice(name.as_bytes());
    out.push(b'>');
}

/// `<name>text</name>`.
pub(super) fn leaf(out: &mut Vec<u8>, name: &str, text: &str) {
    open(out, name);
    push_text(out, text);
    close(out, name);
}

/// The same, where there is a text.
pub(super) fn optional_leaf(out: &mut Vec<u8>, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        leaf(out, name, text);
    }
}

/// `true` or `false`, never a digit: clients exist that lose items over it.
pub(super) const fn truth(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn start(out: &mut Vec<u8>, name: &str, attributes: &[(&str, &str)]) {
    out.push(b'<');
    out.extend_from_slice(name.as_bytes());
    for (name, value) in attributes {
        push_attribute(out, name, value);
    }
}
