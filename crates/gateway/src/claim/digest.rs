//! The name in a Digest credential (RFC 7616).
//!
//! It is the parameter `username`, once, as plain text. A name that is hashed (`userhash`), spelled in the extended form
//! (`username*`), given twice, or quoted in a way that clients and servers undo differently, names nobody.

use super::ClaimedName;
use super::list::elements;

/// The name that these parameters show.
pub(super) fn name(parameters: &[u8]) -> Option<ClaimedName> {
    let mut found = None;
    // Servers that know no quoting within quotes would see other parameters than those that do.
    if parameters.windows(2).any(|two| two == br#"\""#) {
        return None;
    }
    for element in elements(parameters) {
        let equals = element.iter().position(|byte| *byte == b'=')?;
        let (name, value) = element.split_at_checked(equals)?;
        let (name, value) = (name.trim_ascii(), value.strip_prefix(b"=")?.trim_ascii());
        if name.eq_ignore_ascii_case(b"username*")
            || name.eq_ignore_ascii_case(b"userhash") && !value.eq_ignore_ascii_case(b"false")
        {
            return None;
        }
        if name.eq_ignore_ascii_case(b"username") && found.replace(value).is_some() {
            return None;
        }
    }
    ClaimedName::of(&unquote(found?)?)
}

/// The text of a quoted string. A backslash stands only before another one: some clients write the one of
/// `EXAMPLE\john` as it is, some twice, and a lone one cannot be told from a quoting one.
fn unquote(value: &[u8]) -> Option<String> {
    let inner = std::str::from_utf8(value.strip_prefix(b"\"")?.strip_suffix(b"\"")?).ok()?;
    let text = inner.replace(r"\\", "\0");
    (!inner.contains('\0') && !text.contains(['\\', '"'])).then(|| text.replace('\0', r"\"))
}

#[cfg(test)]
mod tests;
