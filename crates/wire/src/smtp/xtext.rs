//! Text of any kind within a parameter's value (xtext, RFC 3461, section 4).
//!
//! What cannot stand in a value is written as `+` and two digits. Control characters are neither written nor read: the
//! decoded text goes into headers and reports, where a line's end would begin another field.

/// `text` as xtext, written behind `into`. What is not printable ASCII becomes the digits of its bytes.
pub(super) fn encode(text: &str, into: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if matches!(byte, b'!'..=b'~') && !matches!(byte, b'+' | b'=') {
            into.push(char::from(byte));
        } else {
            into.push('+');
            for nibble in [byte >> 4, byte & 0xf] {
                into.push(DIGITS.get(usize::from(nibble)).copied().map_or('0', char::from));
            }
        }
    }
}

/// The text that `xtext` means; nothing where it is none, or means control characters.
pub(super) fn decode(xtext: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(xtext.len());
    let mut letters = xtext.bytes();
    while let Some(byte) = letters.next() {
        bytes.push(match byte {
            b'+' => digit(letters.next()?)? << 4 | digit(letters.next()?)?,
            b'=' => return None,
            b'!'..=b'~' => byte,
            _ => return None,
        });
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.chars().any(char::is_control)).then_some(text)
}

/// Digits are in upper case alone.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}
