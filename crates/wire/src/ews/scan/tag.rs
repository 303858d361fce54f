//! One start tag as it was written, and what can be changed about it while all its other bytes stay.

use std::ops::Range;

use super::Malformed;
use crate::ews::xml::{attribute_value, is_name, is_space, split_name};

/// A start tag, from `<` to `>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ews) struct Tag<'a> {
    raw: &'a str,
    /// Where its name ends.
    name_end: usize,
}

/// An attribute as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ews) struct Attribute {
    /// The attribute with the space before it, within the tag.
    pub(in crate::ews) whole: Range<usize>,
    /// What lies between its quotes, within the tag.
    pub(in crate::ews) between: Range<usize>,
    /// Its value, references resolved.
    pub(in crate::ews) value: String,
}

/// An attribute before its value is read.
struct Written<'a> {
    name: &'a str,
    whole: Range<usize>,
    between: Range<usize>,
}

impl<'a> Tag<'a> {
    /// The tag in `raw`, which begins with `<` and ends with `>`.
    pub(in crate::ews) fn new(raw: &'a str) -> Result<Self, Malformed> {
        let name = raw.strip_prefix('<').ok_or(Malformed::Syntax)?;
        let length = name.bytes().position(|byte| is_space(byte) || matches!(byte, b'/' | b'>'));
        let name_end = length.map_or(raw.len(), |length| length.saturating_add(1));
        let tag = Self { raw, name_end };
        split_name(tag.name())?;
        if is_name(tag.name()) { Ok(tag) } else { Err(Malformed::Syntax) }
    }

    /// All of it.
    pub(in crate::ews) const fn raw(&self) -> &'a str {
        self.raw
    }

    /// Its name with its prefix.
    pub(in crate::ews) fn name(&self) -> &'a str {
        self.raw.get(1..self.name_end).unwrap_or_default()
    }

    /// Where the name ends within the tag.
    pub(in crate::ews) const fn name_end(&self) -> usize {
        self.name_end
    }

    /// Its name without a prefix.
    pub(in crate::ews) fn local(&self) -> &'a str {
        self.name().split_once(':').map_or(self.name(), |(_, local)| local)
    }

    /// The prefix with its colon; empty where there is none.
    pub(in crate::ews) fn prefix(&self) -> &'a str {
        self.name().strip_suffix(self.local()).unwrap_or_default()
    }

    /// Whether it stands for a whole element, `<a/>`.
    pub(in crate::ews) fn is_empty(&self) -> bool {
        self.raw.ends_with("/>")
    }

    /// The attribute of that name, which has no prefix.
    ///
    /// # Errors
    /// [`Malformed`] where the attributes cannot be taken apart, or there are two of that name.
    pub(in crate::ews) fn attribute(&self, name: &str) -> Result<Option<Attribute>, Malformed> {
        let mut found: Option<Written<'_>> = None;
        let mut at = self.name_end;
        while let Some(written) = self.written(at)? {
            at = written.whole.end;
            if written.name == name && found.replace(written).is_some() {
                return Err(Malformed::Syntax);
            }
        }
        let Some(written) = found else { return Ok(None) };
        let value = attribute_value(self.raw.get(written.between.clone()).unwrap_or_default())?;
        Ok(Some(Attribute { whole: written.whole, between: written.between, value }))
    }

    /// The attribute that begins at `start`, with its space; none where the tag ends.
    fn written(&self, start: usize) -> Result<Option<Written<'a>>, Malformed> {
        let bytes = self.raw.as_bytes();
        let skip = |from: usize, wanted: fn(u8) -> bool| -> usize {
            let rest = bytes.get(from..).unwrap_or_default();
            from.saturating_add(rest.iter().position(|byte| !wanted(*byte)).unwrap_or(rest.len()))
        };
        let name_start = skip(start, is_space);
        if matches!(bytes.get(name_start..), Some(b">" | b"/>")) {
            return Ok(None);
        }
        let name_end =
            skip(name_start, |byte| !is_space(byte) && !matches!(byte, b'=' | b'>' | b'/' | b'"' | b'\''));
        let equals = skip(name_end, is_space);
        let quote_at = skip(equals.saturating_add(1), is_space);
        let name = self.raw.get(name_start..name_end).unwrap_or_default();
        let quote = bytes.get(quote_at).copied();
        let known = bytes.get(equals) == Some(&b'=') && matches!(quote, Some(b'"' | b'\''));
        if name_start == start || !is_name(name) || !known {
            return Err(Malformed::Syntax);
        }
        let value_start = quote_at.saturating_add(1);
        let rest = bytes.get(value_start..).unwrap_or_default();
        let length = rest.iter().position(|byte| Some(*byte) == quote).ok_or(Malformed::Syntax)?;
        let value_end = value_start.saturating_add(length);
        let whole = start..value_end.saturating_add(1);
        Ok(Some(Written { name, whole, between: value_start..value_end }))
    }
}

/// The tag with this value for an attribute: between the quotes it has, or as the first attribute. The value must not
/// need escaping.
///
/// # Errors
/// [`Malformed`] where its attributes cannot be taken apart.
pub(in crate::ews) fn with_attribute(raw: &str, name: &str, value: &str) -> Result<String, Malformed> {
    let tag = Tag::new(raw)?;
    Ok(match tag.attribute(name)? {
        Some(attribute) => splice(raw, attribute.between, value),
        None => splice(raw, tag.name_end..tag.name_end, &format!(" {name}=\"{value}\"")),
    })
}

/// The tag without an attribute, nor the space before it.
///
/// # Errors
/// [`Malformed`] where its attributes cannot be taken apart.
pub(in crate::ews) fn without_attribute(raw: &str, name: &str) -> Result<String, Malformed> {
    Ok(match Tag::new(raw)?.attribute(name)? {
        Some(attribute) => splice(raw, attribute.whole, ""),
        None => raw.to_owned(),
    })
}

/// `raw` with `text` in the place of `range`.
fn splice(raw: &str, range: Range<usize>, text: &str) -> String {
    let (before, after) = (raw.get(..range.start), raw.get(range.end..));
    [before.unwrap_or_default(), text, after.unwrap_or_default()].concat()
}
