//! Whether an answer is SOAP at all.
//!
//! A server that is not ours accepts credentials by answering in SOAP, even if the answer is a fault (T8). A login
//! page, an error page of a proxy or an empty body proves nothing, so the first element decides, by its namespace.

use super::scan::{ScanLimits, Scanner, Tag, Token};
use super::xml::{Malformed, Namespace};

/// SOAP 1.2's namespace, which some servers answer in.
const SOAP_1_2: &str = "http://www.w3.org/2003/05/soap-envelope";

/// How many bytes of an answer at most are needed to tell: what has more before its first element is no SOAP.
pub const ENVELOPE_FRONT: usize = 8 << 10;

/// Whether the document that begins with `front` is a SOAP envelope; none where more of it is needed.
///
/// ```
/// use weir_wire::ews::envelope::is_envelope;
/// let soap = b"<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>";
/// assert_eq!(is_envelope(soap), Some(true));
/// assert_eq!(is_envelope(&soap[..20]), None);
/// assert_eq!(is_envelope(b"<html><body>Sign in"), Some(false));
/// ```
pub fn is_envelope(front: &[u8]) -> Option<bool> {
    let mut scanner = Scanner::new(ScanLimits { tag: ENVELOPE_FRONT, ..ScanLimits::default() });
    let mut rest = front;
    loop {
        match scanner.next(&mut rest) {
            Ok(Some(Token::Bytes(_))) => {}
            Ok(Some(Token::Start { tag, .. })) => return Some(is_soap(tag).unwrap_or(false)),
            Ok(None) if front.len() < ENVELOPE_FRONT => return None,
            Ok(Some(Token::End { .. }) | None) | Err(_) => return Some(false),
        }
    }
}

fn is_soap(tag: Tag<'_>) -> Result<bool, Malformed> {
    let declaration = match tag.prefix().strip_suffix(':') {
        Some(prefix) => format!("xmlns:{prefix}"),
        None => "xmlns".to_owned(),
    };
    let namespace = tag.attribute(&declaration)?.map(|attribute| attribute.value);
    let known = matches!(namespace.as_deref(), Some(Namespace::SOAP | SOAP_1_2));
    Ok(known && tag.local() == "Envelope")
}

#[cfg(test)]
mod tests;
