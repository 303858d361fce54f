//! Lists with commas in the headers of HTTP authentication (RFC 9110 §5.6.1).

/// The elements of `value` between the commas that are not quoted, trimmed, empty ones left out.
pub(super) fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    let between = value.split(move |byte| {
        let separates = *byte == b',' && !quoted;
        quoted ^= *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && quoted && !escaped;
        separates
    });
    between.map(<[u8]>::trim_ascii).filter(|element| !element.is_empty())
}
