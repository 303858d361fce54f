//! WBXML, one byte at a time, as far as MS-ASWBXML uses it.
//!
//! Elements, inline strings, opaque data and code pages; no attributes, entities, string tables or extensions, which
//! the protocol has not: where one turns up, the body is not understood. Nothing is kept but the place.

#[cfg(test)]
mod tests;

/// Leaves the code page; the byte behind it names the next one.
const SWITCH_PAGE: u8 = 0x00;
const END: u8 = 0x01;
const STR_I: u8 = 0x03;
const OPAQUE: u8 = 0xC3;

/// Bits of a tag's byte: it has attributes, it has content.
const ATTRIBUTES: u8 = 0x80;
const CONTENT: u8 = 0x40;

/// The lowest tag: numbers below it are tokens that every document shares.
const FIRST_TAG: u8 = 0x05;

/// What a byte completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// An element begins.
    Start {
        /// Its name: code page and tag.
        name: (u8, u8),
        /// Whether an end belongs to it.
        content: bool,
    },
    /// The element begun last ends.
    End,
    /// A byte of an inline string.
    Text(u8),
}

/// A body that is no WBXML, or uses what the protocol does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotUnderstood;

/// The place in a document.
#[derive(Debug)]
pub(super) struct Scanner {
    place: Place,
    page: u8,
    /// The number being read, where the place is one of a number.
    number: u32,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Version,
    /// The public identifier; 0 means that a number follows.
    PublicId,
    PublicIdIndex,
    Charset,
    StringTableLength,
    Skip(u32),
    Body,
    Page,
    Text,
    OpaqueLength,
}

impl Scanner {
    /// The place before the first byte.
    pub(super) const fn new() -> Self {
        Self { place: Place::Version, page: 0, number: 0 }
    }

    /// Takes the next byte.
    pub(super) fn step(&mut self, byte: u8) -> Result<Option<Token>, NotUnderstood> {
        self.place = match self.place {
            // 1.1 to 1.3, which differ in nothing that is read here.
            Place::Version if (1..=3).contains(&byte) => Place::PublicId,
            Place::Version => return Err(NotUnderstood),
            Place::PublicId => match self.number(byte)? {
                None => Place::PublicId,
                Some(0) => Place::PublicIdIndex,
                Some(_) => Place::Charset,
            },
            Place::PublicIdIndex => self.number(byte)?.map_or(Place::PublicIdIndex, |_| Place::Charset),
            Place::Charset => self.number(byte)?.map_or(Place::Charset, |_| Place::StringTableLength),
            Place::StringTableLength => self.number(byte)?.map_or(Place::StringTableLength, skip),
            Place::Skip(left) => skip(left.saturating_sub(1)),
            Place::Page => {
                self.page = byte;
                Place::Body
            }
            Place::Text if byte == 0 => Place::Body,
            Place::Text => return Ok(Some(Token::Text(byte))),
            Place::OpaqueLength => self.number(byte)?.map_or(Place::OpaqueLength, skip),
            Place::Body => match byte {
                SWITCH_PAGE => Place::Page,
                STR_I => Place::Text,
                OPAQUE => Place::OpaqueLength,
                END => return Ok(Some(Token::End)),
                tag => return self.tag(tag).map(Some),
            },
        };
        Ok(None)
    }

    fn tag(&self, byte: u8) -> Result<Token, NotUnderstood> {
        let tag = byte & !(ATTRIBUTES | CONTENT);
        if tag < FIRST_TAG || byte & ATTRIBUTES != 0 {
            return Err(NotUnderstood);
        }
        Ok(Token::Start { name: (self.page, tag), content: byte & CONTENT != 0 })
    }

    /// Seven bits more of a number, which is complete where the eighth is clear.
    fn number(&mut self, byte: u8) -> Result<Option<u32>, NotUnderstood> {
        let number = self.number.checked_mul(0x80).ok_or(NotUnderstood)? | u32::from(byte & 0x7F);
        let complete = byte & 0x80 == 0;
        self.number = if complete { 0 } else { number };
        Ok(complete.then_some(number))
    }
}

/// The place in front of `length` bytes that mean nothing here.
const fn skip(length: u32) -> Place {
    if length == 0 { Place::Body } else { Place::Skip(length) }
}
