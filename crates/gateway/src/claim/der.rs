//! As much of ASN.1's distinguished encoding as SPNEGO needs: an element, and what is in it.

/// One element: its tag, of one byte, and its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element<'a> {
    pub(super) tag: u8,
    pub(super) content: &'a [u8],
}

/// The tags of more than one byte have all these bits; nothing here has such a tag.
const LONG_TAG: u8 = 0x1f;
/// Set in the first byte of a length that is written in more bytes.
const LONG_LENGTH: u8 = 0x80;

/// Takes the first element off; none, where there is no whole one.
pub(super) fn take(bytes: &[u8]) -> Option<(Element<'_>, &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    if tag & LONG_TAG == LONG_TAG {
        return None;
    }
    let (length, rest) = if first & LONG_LENGTH == 0 {
        (usize::from(first), rest)
    } else {
        let (digits, rest) = rest.split_at_checked(usize::from(first & !LONG_LENGTH))?;
        (long_length(digits)?, rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((Element { tag, content }, rest))
}

/// The content of the one element that `bytes` are, if it has this tag.
pub(super) fn only(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    let (element, rest) = take(bytes)?;
    (element.tag == tag && rest.is_empty()).then_some(element.content)
}

/// Not elements throughout, or two where there may be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// The content of the element with this tag among those that `bytes` are, if there is one.
///
/// # Errors
/// They are not elements throughout, or two of them have the tag.
pub(super) fn among(mut bytes: &[u8], tag: u8) -> Result<Option<&[u8]>, Malformed> {
    let mut found = None;
    while !bytes.is_empty() {
        let (element, rest) = take(bytes).ok_or(Malformed)?;
        if element.tag == tag && found.replace(element.content).is_some() {
            return Err(Malformed);
        }
        bytes = rest;
    }
    Ok(found)
}

/// A length of one to four bytes; without any, it is the indefinite form, which the distinguished encoding lacks.
fn long_length(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > 4 {
        return None;
    }
    let value = digits.iter().fold(0_u32, |value, digit| value << 8 | u32::from(*digit));
    usize::try_from(value).ok()
}

#[cfg(test)]
mod tests;
