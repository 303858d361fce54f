//! SOAP faults: what a request is told that is refused whole.
//!
//! The shape is the one that clients know by heart, namespace declarations and prefixes included (T19). Several
//! clients read only the first value of `MessageXml`, so a back-off comes first and alone.

use super::xml::{Namespace, push_attribute, push_text};

/// A fault, as a document: faultcode and `ResponseCode` are `code`, faultstring and `Message` are `text`.
///
/// It travels with HTTP status 500 and [`super::CONTENT_TYPE`]. Without `values` there is no `MessageXml`.
///
/// ```
/// let fault = weir_wire::ews::fault::fault("ErrorInvalidRequest", "The request is invalid.", &[]);
/// assert!(String::from_utf8(fault)?.contains(">a:ErrorInvalidRequest</faultcode>"));
/// # Ok::<(), std::string::FromUtf8Error>(())
/// ```
pub fn fault(code: &str, text: &str, values: &[(&str, String)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    let put = |out: &mut Vec<u8>, markup: &str| out.extend_from_slice(markup.as_bytes());
    let error = |out: &mut Vec<u8>, name: &str, content: &str| {
        put(out, "<e:");
        put(out, name);
        push_attribute(out, "xmlns:e", Namespace::ERRORS);
        put(out, ">");
        push_text(out, content);
        put(out, "</e:");
        put(out, name);
        put(out, ">");
    };
    put(&mut out, "<s:Envelope");
    push_attribute(&mut out, "xmlns:s", Namespace::SOAP);
    put(&mut out, "><s:Body><s:Fault><faultcode");
    push_attribute(&mut out, "xmlns:a", Namespace::TYPES);
    put(&mut out, ">a:");
    push_text(&mut out, code);
    put(&mut out, "</faultcode><faultstring xml:lang=\"en-US\">");
    push_text(&mut out, text);
    put(&mut out, "</faultstring><detail>");
    error(&mut out, "ResponseCode", code);
    error(&mut out, "Message", text);
    if !values.is_empty() {
        put(&mut out, "<t:MessageXml");
        push_attribute(&mut out, "xmlns:t", Namespace::TYPES);
        put(&mut out, ">");
        push_values(&mut out, values);
        put(&mut out, "</t:MessageXml>");
    }
    put(&mut out, "</detail></s:Fault></s:Body></s:Envelope>");
    out
}

/// Appends `t:Value` elements.
pub(super) fn push_values(out: &mut Vec<u8>, values: &[(&str, String)]) {
    for (name, value) in values {
        out.extend_from_slice(b"<t:Value");
        push_attribute(out, "Name", name);
        out.push(b'>');
        push_text(out, value);
        out.extend_from_slice(b"</t:Value>");
    }
}
