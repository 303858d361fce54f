//! Texts of which something else says whether their characters have one byte or two.

#[cfg(test)]
pub(super) mod tests;

use std::borrow::Cow;

use super::Malformed;
use super::codec::{Codec, Plain, Text8, Text16};
use super::reader::Reader;

/// A text, without its zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// Of one-byte characters, in a code page that only the session knows.
    Narrow(Vec<u8>),
    /// Of two-byte characters.
    Wide(String),
}

impl Text {
    /// Whether its characters have two bytes.
    pub const fn is_wide(&self) -> bool {
        match self {
            Self::Narrow(_) => false,
            Self::Wide(_) => true,
        }
    }

    /// The text, as UTF-8 says it where its characters have one byte.
    pub fn to_str(&self) -> Cow<'_, str> {
        match self {
            Self::Narrow(bytes) => String::from_utf8_lossy(bytes),
            Self::Wide(text) => Cow::Borrowed(text),
        }
    }

    /// Takes a text up to its zero.
    pub(super) fn read(wide: bool, reader: &mut Reader<'_>, what: &'static str) -> Result<Self, Malformed> {
        if wide {
            Text16::read(reader, what).map(Self::Wide)
        } else {
            Text8::read(reader, what).map(Self::Narrow)
        }
    }

    /// Appends it, in that width whatever its own.
    pub(super) fn write(&self, wide: bool, out: &mut Vec<u8>) {
        match self {
            Self::Wide(text) if !wide => Text8::write(&text.clone().into_bytes(), out),
            Self::Narrow(text) if !wide => Text8::write(text, out),
            Self::Wide(_) | Self::Narrow(_) => Text16::write(&self.to_str().into_owned(), out),
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::Wide(String::new())
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::Wide(text.into())
    }
}

/// A byte that says how wide a text is, and the text.
impl Codec<Text> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Text, Malformed> {
        let wide = reader.u8(what)? != 0;
        Text::read(wide, reader, what)
    }

    fn write(value: &Text, out: &mut Vec<u8>) {
        out.push(value.is_wide().into());
        value.write(value.is_wide(), out);
    }
}

/// A text that may be missing, and says how it is sent (MS-OXCDATA, section 2.11.7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TypedString {
    /// There is none.
    #[default]
    Absent,
    /// It is empty.
    Empty,
    /// It has one-byte characters.
    Narrow(Vec<u8>),
    /// It has two-byte characters, of which the second byte is 0 and not sent.
    Reduced(Vec<u8>),
    /// It has two-byte characters.
    Wide(String),
}

impl TypedString {
    /// The text; empty, where there is none.
    pub fn to_str(&self) -> Cow<'_, str> {
        match self {
            Self::Absent | Self::Empty => Cow::Borrowed(""),
            Self::Narrow(bytes) => String::from_utf8_lossy(bytes),
            Self::Reduced(bytes) => bytes.iter().map(|byte| char::from(*byte)).collect(),
            Self::Wide(text) => Cow::Borrowed(text),
        }
    }
}

impl From<&str> for TypedString {
    fn from(text: &str) -> Self {
        if text.is_empty() { Self::Empty } else { Self::Wide(text.into()) }
    }
}

impl Codec<TypedString> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<TypedString, Malformed> {
        match reader.u8(what)? {
            0 => Ok(TypedString::Absent),
            1 => Ok(TypedString::Empty),
            2 => Text8::read(reader, what).map(TypedString::Narrow),
            3 => Text8::read(reader, what).map(TypedString::Reduced),
            4 => Text16::read(reader, what).map(TypedString::Wide),
            _ => Err(Malformed::Wrong("the kind of a text")),
        }
    }

    fn write(value: &TypedString, out: &mut Vec<u8>) {
        match value {
            TypedString::Absent => out.push(0),
            TypedString::Empty => out.push(1),
            TypedString::Narrow(text) => {
                out.push(2);
                Text8::write(text, out);
            }
            TypedString::Reduced(text) => {
                out.push(3);
                Text8::write(text, out);
            }
            TypedString::Wide(text) => {
                out.push(4);
                Text16::write(text, out);
            }
        }
    }
}
