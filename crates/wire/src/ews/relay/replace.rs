//! An error in the place of a response message that began as a success (T12).

use crate::ews::fault::push_values;
use crate::ews::response::ErrorMessage;
use crate::ews::scan::{Tag, with_attribute};
use crate::ews::xml::{Namespace, push_attribute, push_text};

/// Appends the response message whose start tag is `tag` as the error: with its attributes and in its prefix, so that
/// it stays in the namespaces that the answer declares.
pub(super) fn push_error(out: &mut Vec<u8>, tag: Tag<'_>, error: &ErrorMessage) {
    let start = with_attribute(tag.raw(), "ResponseClass", "Error");
    out.extend_from_slice(start.as_deref().unwrap_or(tag.raw()).as_bytes());
    leaf(out, tag, "MessageText", &error.text);
    leaf(out, tag, "ResponseCode", error.code);
    leaf(out, tag, "DescriptiveLinkKey", "0");
    if !error.values.is_empty() {
        out.push(b'<');
        name(out, tag, "MessageXml");
        push_attribute(out, "xmlns:t", Namespace::TYPES);
        out.push(b'>');
        push_values(out, &error.values);
        close(out, tag, "MessageXml");
    }
    close(out, tag, tag.local());
}

fn leaf(out: &mut Vec<u8>, tag: Tag<'_>, local: &str, text: &str) {
    out.push(b'<');
    name(out, tag, local);
    out.push(b'>');
    push_text(out, text);
    close(out, tag, local);
}

fn close(out: &mut Vec<u8>, tag: Tag<'_>, local: &str) {
    out.extend_from_slice(b"</");
    name(out, tag, local);
    out.push(b'>');
}

fn name(out: &mut Vec<u8>, tag: Tag<'_>, local: &str) {
    out.extend_from_slice(tag.prefix().as_bytes());
    out.extend_from_slice(local.as_bytes());
}
