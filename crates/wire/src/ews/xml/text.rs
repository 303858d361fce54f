//! Reading text: references, names, and the characters that XML allows.

use super::Malformed;

/// The longest reference between `&` and `;`: `#x10FFFF` with some zeros.
pub(super) const REFERENCE_LIMIT: usize = 16;

/// Whether a name, prefix included, is made of what names are made of.
pub(in crate::ews) fn is_name(name: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | ':') || !c.is_ascii();
    let goes_on = |c: char| starts(c) || c.is_ascii_digit() || matches!(c, '-' | '.');
    name.starts_with(starts) && name.chars().all(goes_on)
}

/// Whether a byte is what XML calls space.
pub(in crate::ews) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// A name's prefix, if it has one, and the rest.
pub(in crate::ews) fn split_name(name: &str) -> Result<(Option<&str>, &str), Malformed> {
    match name.split_once(':') {
        None => Ok((None, name)),
        Some((prefix, local)) if prefix.is_empty() || local.is_empty() || local.contains(':') => {
            Err(Malformed::Syntax)
        }
        Some((prefix, local)) => Ok((Some(prefix), local)),
    }
}

/// The character that stands between `&` and `;`.
pub(super) fn resolve(reference: &[u8]) -> Result<char, Malformed> {
    let number = |digits: &[u8], radix| {
        let digits = str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'));
        digits.and_then(|digits| u32::from_str_radix(digits, radix).ok()).and_then(char::from_u32)
    };
    match reference {
        b"amp" => Ok('&'),
        b"lt" => Ok('<'),
        b"gt" => Ok('>'),
        b"quot" => Ok('"'),
        b"apos" => Ok('\''),
        [b'#', b'x', digits @ ..] => number(digits, 16).ok_or(Malformed::Character),
        [b'#', digits @ ..] => number(digits, 10).ok_or(Malformed::Character),
        _ => Err(Malformed::Entity),
    }
}

/// An attribute's value with its references resolved, and each break or tab a space.
pub(in crate::ews) fn attribute_value(raw: &str) -> Result<String, Malformed> {
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(['&', '\t', '\n', '\r', '<']) {
        let (clean, tail) = rest.split_at(at);
        value.push_str(clean);
        rest = if let Some(tail) = tail.strip_prefix('&') {
            let (reference, tail) = tail.split_once(';').ok_or(Malformed::Entity)?;
            value.push(resolve(reference.as_bytes())?);
            tail
        } else if tail.starts_with('<') {
            return Err(Malformed::Syntax);
        } else {
            value.push(' ');
            tail.strip_prefix("\r\n").or_else(|| tail.get(1..)).unwrap_or_default()
        };
    }
    value.push_str(rest);
    check_characters(&value)?;
    Ok(value)
}

/// Refuses what XML 1.0 forbids.
pub(super) fn check_characters(text: &str) -> Result<(), Malformed> {
    let forbidden = |c: char| match c {
        '\t' | '\n' | '\r' => false,
        '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => true,
        _ => false,
    };
    if text.contains(forbidden) { Err(Malformed::Character) } else { Ok(()) }
}
