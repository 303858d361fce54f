//! Documents that pass by: their tags, one by one, out of pushed bytes.
//!
//! [`Scanner`] keeps nothing but the tag it is in and the names of the open elements, so that a document of any size
//! costs the same memory. Every byte that goes in comes out again, in order, in exactly one [`Token`]: who passes the
//! tokens on has passed the document on unchanged, however it was cut.
//!
//! What is absent: namespaces, text as text, and the attributes of tags that nobody asks about ([`Tag::attribute`]
//! reads them). What is no XML, or exceeds a bound, ends the scan; what was taken in and not given out yet is then
//! [`Scanner::gathered`].

mod names;
mod tag;
#[cfg(test)]
mod tests;
mod text;

use std::mem;

use quick_xml::parser::{ElementParser, Parser};

use super::xml::{Malformed, is_space};
use names::Names;
pub(super) use tag::{Tag, with_attribute, without_attribute};
pub(super) use text::text;

/// The byte order mark that may open a document.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The bounds of what a scanner keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanLimits {
    /// Elements within one another.
    pub depth: usize,
    /// Bytes of one name, prefix included.
    pub name: usize,
    /// Bytes of one tag, from `<` to `>`.
    pub tag: usize,
}

impl Default for ScanLimits {
    fn default() -> Self {
        Self { depth: 64, name: 256, tag: 64 << 10 }
    }
}

/// The next part of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Bytes that belong to no tag: text, references, sections, comments, instructions.
    Bytes(&'a [u8]),
    /// A start tag, or one that stands for a whole element ([`Tag::is_empty`]).
    Start {
        /// The tag.
        tag: Tag<'a>,
        /// How many elements are open around it.
        depth: usize,
        /// Where it begins in the document.
        at: usize,
    },
    /// An end tag.
    End {
        /// The tag, from `<` to `>`.
        raw: &'a str,
        /// How many elements are open around its element.
        depth: usize,
        /// Where it begins in the document.
        at: usize,
    },
}

/// Where the last byte lay.
#[derive(Debug)]
enum State {
    /// In text, or outside the root element.
    Text,
    /// After `<`.
    Open,
    /// After `<!`.
    Declaration,
    /// In a start or end tag.
    Tag(ElementParser),
    /// In a comment, CDATA section or instruction.
    Section(Section),
}

/// Something that ends with a number of marks and `>`, as `-->`, `]]>`, `?>`.
#[derive(Clone, Copy, Debug)]
struct Section {
    mark: u8,
    needed: u8,
    seen: u8,
}

/// What the front of the input holds.
#[derive(Clone, Copy, Debug)]
enum Front {
    /// So many bytes that belong to no tag.
    Bytes(usize),
    /// Together with what was gathered: the beginning of a section.
    Gathered,
    /// Together with what was gathered: a tag.
    Tag,
}

/// Takes a document in pieces of any size, and gives its parts.
#[derive(Debug)]
pub(super) struct Scanner {
    limits: ScanLimits,
    state: State,
    /// What was taken in and is not given out, or was given out last.
    token: Vec<u8>,
    /// The token was given out.
    given: bool,
    open: Names,
    /// The root element has ended.
    ended: bool,
    /// How many bytes were given out, the last token's included.
    passed: usize,
}

impl Scanner {
    /// A scanner that has read nothing.
    pub(super) fn new(limits: ScanLimits) -> Self {
        Self {
            limits,
            state: State::Text,
            token: Vec::new(),
            given: false,
            open: Names::default(),
            ended: false,
            passed: 0,
        }
    }

    /// The next part, taken from the front of `piece`; none where the piece ends before the part does.
    ///
    /// # Errors
    /// [`Malformed`] where this is no XML or exceeds a bound; the scanner is then of no more use.
    pub(super) fn next<'a, 'b: 'a>(
        &'a mut self,
        piece: &mut &'b [u8],
    ) -> Result<Option<Token<'a>>, Malformed> {
        if mem::take(&mut self.given) {
            self.token.clear();
        }
        match self.front(piece)? {
            None => Ok(None),
            Some(Front::Bytes(length)) => {
                self.passed = self.passed.saturating_add(length);
                Ok(Some(Token::Bytes(take(piece, length))))
            }
            Some(Front::Gathered) => {
                self.given = true;
                self.passed = self.passed.saturating_add(self.token.len());
                Ok(Some(Token::Bytes(&self.token)))
            }
            Some(Front::Tag) => self.tag().map(Some),
        }
    }

    /// What was taken in and has not been given out.
    pub(super) fn gathered(&self) -> &[u8] {
        if self.given { &[] } else { &self.token }
    }

    fn front(&mut self, piece: &mut &[u8]) -> Result<Option<Front>, Malformed> {
        while let Some(&first) = piece.first() {
            match &mut self.state {
                State::Text => {
                    let end = piece.iter().position(|byte| *byte == b'<').unwrap_or(piece.len());
                    if end > 0 {
                        self.check_outside(piece.get(..end).unwrap_or_default())?;
                        return Ok(Some(Front::Bytes(end)));
                    }
                    self.token.extend_from_slice(take(piece, 1));
                    self.state = State::Open;
                }
                State::Open => match first {
                    b'!' => {
                        self.token.extend_from_slice(take(piece, 1));
                        self.state = State::Declaration;
                    }
                    b'?' => {
                        self.token.extend_from_slice(take(piece, 1));
                        self.state = State::Section(Section::new(b'?', 1));
                        return Ok(Some(Front::Gathered));
                    }
                    _ => self.state = State::Tag(ElementParser::default()),
                },
                State::Declaration => {
                    self.token.extend_from_slice(take(piece, 1));
                    if self.declared()? {
                        return Ok(Some(Front::Gathered));
                    }
                }
                State::Section(section) => {
                    let end = section.end(piece);
                    if end.is_some() {
                        self.state = State::Text;
                    }
                    return Ok(Some(Front::Bytes(end.unwrap_or(piece.len()))));
                }
                State::Tag(parser) => {
                    let end = parser.feed(piece);
                    let length = end.map_or(piece.len(), |end| end.saturating_add(1));
                    if self.token.len().saturating_add(length) > self.limits.tag {
                        return Err(Malformed::TagTooLong { limit: self.limits.tag });
                    }
                    self.token.extend_from_slice(take(piece, length));
                    if end.is_some() {
                        return Ok(Some(Front::Tag));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Outside the root element there is nothing but space, and at the very beginning a byte order mark.
    fn check_outside(&self, text: &[u8]) -> Result<(), Malformed> {
        let inside = self.open.depth() > 0;
        let outside = |(offset, byte): (usize, &u8)| {
            is_space(*byte) || BYTE_ORDER_MARK.get(self.passed.saturating_add(offset)) == Some(byte)
        };
        if inside || text.iter().enumerate().all(outside) { Ok(()) } else { Err(Malformed::Syntax) }
    }

    /// Whether the gathered bytes begin a section; an error where they cannot.
    fn declared(&mut self) -> Result<bool, Malformed> {
        const SECTIONS: [(&[u8], Section); 2] =
            [(b"<!--", Section::new(b'-', 2)), (b"<![CDATA[", Section::new(b']', 2))];
        if self.token.starts_with(b"<!D") {
            return Err(Malformed::Doctype);
        }
        if let Some((_, section)) = SECTIONS.iter().find(|(start, _)| *start == self.token) {
            self.state = State::Section(*section);
            return Ok(true);
        }
        let begun = SECTIONS.iter().any(|(start, _)| start.starts_with(&self.token));
        if begun { Ok(false) } else { Err(Malformed::Syntax) }
    }

    /// The gathered tag, once it is whole.
    fn tag(&mut self) -> Result<Token<'_>, Malformed> {
        let raw = str::from_utf8(&self.token).map_err(|_| Malformed::Encoding)?;
        let at = self.passed;
        let token = if let Some(name) = raw.strip_prefix("</") {
            self.open.close(name.strip_suffix('>').unwrap_or(name).trim_ascii_end())?;
            Token::End { raw, depth: self.open.depth(), at }
        } else {
            let (tag, depth) = (Tag::new(raw)?, self.open.depth());
            if self.ended {
                return Err(Malformed::Syntax);
            }
            if tag.name().len() > self.limits.name {
                return Err(Malformed::NameTooLong { limit: self.limits.name });
            }
            if depth >= self.limits.depth {
                return Err(Malformed::TooDeep { limit: self.limits.depth });
            }
            if !tag.is_empty() {
                self.open.open(tag.name());
            }
            Token::Start { tag, depth, at }
        };
        self.ended = self.open.depth() == 0;
        self.state = State::Text;
        self.given = true;
        self.passed = self.passed.saturating_add(raw.len());
        Ok(token)
    }
}

impl Section {
    const fn new(mark: u8, needed: u8) -> Self {
        Self { mark, needed, seen: 0 }
    }

    /// Where it ends within `piece`.
    fn end(&mut self, piece: &[u8]) -> Option<usize> {
        let end = piece.iter().position(|&byte| {
            let ends = byte == b'>' && self.seen == self.needed;
            self.seen = if byte == self.mark { self.seen.saturating_add(1).min(self.needed) } else { 0 };
            ends
        });
        end.map(|end| end.saturating_add(1))
    }
}

/// Takes the first bytes of `piece`.
fn take<'a>(piece: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (front, rest) = piece.split_at(length.min(piece.len()));
    *piece = rest;
    front
}
