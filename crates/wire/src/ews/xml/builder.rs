//! The machine that turns pushed bytes into elements.
//!
//! One state says in which token the last byte lay. Text goes straight into the open element; a tag is gathered until
//! its end is known (`quick_xml` finds it and takes the attributes apart); comments and instructions are skipped
//! byte by byte. So a document costs its size once, however it is cut, and time in proportion.

use std::mem;

use quick_xml::events::attributes::Attributes;
use quick_xml::parser::{ElementParser, Parser};

use super::text::{
    REFERENCE_LIMIT, attribute_value, check_characters, is_name, is_space, resolve, split_name,
};
use super::{Attribute, Element, Limits, Malformed, Namespace};

/// The byte order mark that may open a document.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Where the last byte lay.
#[derive(Debug)]
enum State {
    /// In text, or outside the root element.
    Text,
    /// After `&`.
    Reference,
    /// After `<`.
    Open,
    /// In a start or end tag.
    Tag(ElementParser),
    /// After `<!`.
    Declaration,
    /// In a comment, after so many `-`.
    Comment { dashes: u8 },
    /// In a CDATA section, after so many `]`.
    Data { brackets: usize },
    /// In a processing instruction, perhaps just after `?`.
    Instruction { question: bool },
}

/// An element whose end tag is still to come.
#[derive(Debug)]
struct Open {
    element: Element,
    /// The name as it was written.
    written: String,
    text: Vec<u8>,
    /// How many prefix declarations were in force before it.
    bindings: usize,
}

/// Builds one element tree from the pieces of a document.
#[derive(Debug)]
pub struct ElementBuilder {
    limits: Limits,
    state: State,
    /// The token that the state gathers.
    token: Vec<u8>,
    stack: Vec<Open>,
    /// Prefix declarations, the innermost last; the empty prefix is the default namespace.
    bindings: Vec<(String, Namespace)>,
    root: Option<Element>,
    /// Bytes taken in so far.
    taken: usize,
    nodes: usize,
    /// A line break was written for a carriage return; a line feed that follows at once belongs to it.
    after_return: bool,
    failed: Option<Malformed>,
}

impl ElementBuilder {
    /// A builder that has read nothing.
    pub const fn new(limits: Limits) -> Self {
        Self {
            limits,
            state: State::Text,
            token: Vec::new(),
            stack: Vec::new(),
            bindings: Vec::new(),
            root: None,
            taken: 0,
            nodes: 0,
            after_return: false,
            failed: None,
        }
    }

    /// Takes the next piece of the document, of any size.
    ///
    /// # Errors
    /// [`Malformed`] as soon as the document can no longer be read; every later call says the same.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), Malformed> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        self.take(piece).inspect_err(|malformed| {
            self.failed = Some(malformed.clone());
            self.stack.clear();
            self.root = None;
            self.token = Vec::new();
        })
    }

    /// The root element, once the document has ended.
    ///
    /// # Errors
    /// [`Malformed`] where the document is cut off, empty, or could not be read.
    pub fn finish(self) -> Result<Element, Malformed> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        match (self.state, self.root) {
            (State::Text, Some(root)) => Ok(root),
            _ => Err(Malformed::Unfinished),
        }
    }

    fn take(&mut self, piece: &[u8]) -> Result<(), Malformed> {
        let room = self.limits.body.saturating_sub(self.taken);
        let (mut allowed, beyond) = piece.split_at(room.min(piece.len()));
        while !allowed.is_empty() {
            let used = self.step(allowed)?;
            self.taken = self.taken.saturating_add(used);
            allowed = allowed.get(used..).unwrap_or_default();
        }
        if beyond.is_empty() { Ok(()) } else { Err(Malformed::TooLong { limit: self.limits.body }) }
    }

    /// Goes on from the front of `piece`, which is not empty, and says how many bytes that took; where it took none, the
    /// state is another.
    fn step(&mut self, piece: &[u8]) -> Result<usize, Malformed> {
        let first = piece.first().copied().unwrap_or_default();
        match &mut self.state {
            State::Text => self.in_text(piece),
            State::Reference => self.in_reference(first).map(|()| 1),
            State::Open => Ok(self.after_open(first)),
            State::Tag(_) => self.in_tag(piece),
            State::Declaration => self.in_declaration(first).map(|()| 1),
            State::Comment { dashes } => {
                match first {
                    b'-' => *dashes = dashes.saturating_add(1).min(2),
                    b'>' if *dashes == 2 => self.state = State::Text,
                    _ => *dashes = 0,
                }
                Ok(1)
            }
            State::Data { .. } => {
                self.in_data(first);
                Ok(1)
            }
            State::Instruction { question } => {
                if first == b'>' && *question {
                    self.state = State::Text;
                } else {
                    *question = first == b'?';
                }
                Ok(1)
            }
        }
    }

    fn in_text(&mut self, piece: &[u8]) -> Result<usize, Malformed> {
        let end = piece.iter().position(|byte| matches!(byte, b'<' | b'&')).unwrap_or(piece.len());
        let (text, rest) = piece.split_at(end);
        if self.stack.is_empty() {
            self.check_outside(text)?;
        } else {
            self.push_raw(text);
        }
        match rest.first() {
            Some(b'<') => self.state = State::Open,
            Some(_) if self.stack.is_empty() => return Err(Malformed::Syntax),
            Some(_) => self.state = State::Reference,
            None => return Ok(end),
        }
        Ok(end.saturating_add(1))
    }

    /// Outside the root element there is nothing but space, and at the very beginning a byte order mark.
    fn check_outside(&self, text: &[u8]) -> Result<(), Malformed> {
        for (offset, byte) in text.iter().enumerate() {
            let place = self.taken.saturating_add(offset);
            if !is_space(*byte) && BYTE_ORDER_MARK.get(place) != Some(byte) {
                return Err(Malformed::Syntax);
            }
        }
        Ok(())
    }

    fn in_reference(&mut self, byte: u8) -> Result<(), Malformed> {
        if byte != b';' {
            if self.token.len() >= REFERENCE_LIMIT {
                return Err(Malformed::Entity);
            }
            self.token.push(byte);
            return Ok(());
        }
        let character = resolve(&self.token)?;
        self.token.clear();
        self.after_return = false;
        if let Some(open) = self.stack.last_mut() {
            open.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.state = State::Text;
        Ok(())
    }

    /// Decides what `<` begins; says how many bytes that took.
    fn after_open(&mut self, byte: u8) -> usize {
        self.after_return = false;
        self.state = match byte {
            b'!' => State::Declaration,
            b'?' => State::Instruction { question: false },
            _ => State::Tag(ElementParser::default()),
        };
        usize::from(matches!(byte, b'!' | b'?'))
    }

    fn in_tag(&mut self, piece: &[u8]) -> Result<usize, Malformed> {
        let State::Tag(parser) = &mut self.state else { return Ok(0) };
        let end = parser.feed(piece);
        let part = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
        if self.token.len().saturating_add(part.len()) > self.limits.tag {
            return Err(Malformed::TagTooLong { limit: self.limits.tag });
        }
        self.token.extend_from_slice(part);
        let Some(end) = end else { return Ok(piece.len()) };
        let token = mem::take(&mut self.token);
        self.state = State::Text;
        let tag = str::from_utf8(&token).map_err(|_| Malformed::Encoding)?;
        match tag.strip_prefix('/') {
            Some(name) => self.close(name.trim_ascii_end())?,
            None => self.open(tag)?,
        }
        self.token = token;
        self.token.clear();
        Ok(end.saturating_add(1))
    }

    fn in_declaration(&mut self, byte: u8) -> Result<(), Malformed> {
        self.token.push(byte);
        if self.token == b"--" {
            self.state = State::Comment { dashes: 0 };
        } else if self.token == b"[CDATA[" && !self.stack.is_empty() {
            self.state = State::Data { brackets: 0 };
        } else if b"--".starts_with(&self.token) || b"[CDATA[".starts_with(&self.token) {
            return Ok(());
        } else if self.token.starts_with(b"D") {
            return Err(Malformed::Doctype);
        } else {
            return Err(Malformed::Syntax);
        }
        self.token.clear();
        Ok(())
    }

    fn in_data(&mut self, byte: u8) {
        let State::Data { brackets } = &mut self.state else { return };
        let held = mem::take(brackets);
        match byte {
            b']' if held == 2 => {
                *brackets = 2;
                self.push_raw(b"]");
            }
            b']' => *brackets = held.saturating_add(1),
            b'>' if held == 2 => {
                self.state = State::Text;
                self.after_return = false;
            }
            _ => {
                self.push_raw(b"]]".get(..held).unwrap_or_default());
                self.push_raw(&[byte]);
            }
        }
    }

    /// Adds text to the open element; a carriage return, with or without a line feed, is a line feed.
    fn push_raw(&mut self, mut text: &[u8]) {
        let Some(open) = self.stack.last_mut() else { return };
        while let Some(first) = text.first() {
            if mem::take(&mut self.after_return) && *first == b'\n' {
                text = text.get(1..).unwrap_or_default();
                continue;
            }
            let end = text.iter().position(|byte| *byte == b'\r').unwrap_or(text.len());
            let (line, rest) = text.split_at(end);
            open.text.extend_from_slice(line);
            if rest.is_empty() {
                return;
            }
            open.text.push(b'\n');
            self.after_return = true;
            text = rest.get(1..).unwrap_or_default();
        }
    }

    fn open(&mut self, tag: &str) -> Result<(), Malformed> {
        if self.root.is_some() {
            return Err(Malformed::Syntax);
        }
        if self.stack.len() >= self.limits.depth {
            return Err(Malformed::TooDeep { limit: self.limits.depth });
        }
        let (tag, empty) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let end = tag.bytes().position(is_space).unwrap_or(tag.len());
        let (written, _) = tag.split_at(end);
        self.check_name(written)?;
        let bindings = self.bindings.len();
        let attributes = self.attributes(tag, end)?;
        self.count(attributes.len().saturating_add(1))?;
        let (prefix, local) = split_name(written)?;
        let element = Element {
            namespace: self.namespace(prefix)?,
            name: local.to_owned(),
            attributes,
            children: Vec::new(),
            text: String::new(),
        };
        self.stack.push(Open { element, written: written.to_owned(), text: Vec::new(), bindings });
        if empty { self.close(written) } else { Ok(()) }
    }

    /// Reads the attributes of a tag, and takes its namespace declarations into force.
    fn attributes(&mut self, tag: &str, name_end: usize) -> Result<Vec<Attribute>, Malformed> {
        let mut attributes = Vec::new();
        let mut prefixes = Vec::new();
        for (seen, attribute) in Attributes::new(tag, name_end).enumerate() {
            if seen >= self.limits.attributes {
                return Err(Malformed::TooManyAttributes { limit: self.limits.attributes });
            }
            let attribute = attribute.map_err(|_| Malformed::Syntax)?;
            let name: &str = attribute.key.as_ref();
            self.check_name(name)?;
            let value = attribute_value(&attribute.value)?;
            match split_name(name)? {
                (None, "xmlns") => self.bind("", &value)?,
                (Some("xmlns"), prefix) => self.bind(prefix, &value)?,
                (None, name) => attributes.push(Attribute { name: name.to_owned(), value }),
                (Some(prefix), _) => prefixes.push(prefix.to_owned()),
            }
        }
        for prefix in prefixes {
            self.namespace(Some(&prefix))?;
        }
        Ok(attributes)
    }

    fn bind(&mut self, prefix: &str, namespace: &str) -> Result<(), Malformed> {
        let limit = self.limits.namespaces;
        if self.bindings.len() >= limit {
            return Err(Malformed::TooManyNamespaces { limit });
        }
        self.count(1)?;
        self.bindings.push((prefix.to_owned(), Namespace::from_name(namespace)));
        Ok(())
    }

    /// The namespace of a prefix, or of names without one.
    fn namespace(&self, prefix: Option<&str>) -> Result<Namespace, Malformed> {
        let wanted = prefix.unwrap_or_default();
        match self.bindings.iter().rev().find(|(bound, _)| bound == wanted) {
            Some((_, namespace)) => Ok(namespace.clone()),
            None if matches!(wanted, "" | "xml") => Ok(Namespace::None),
            None => Err(Malformed::Prefix),
        }
    }

    fn close(&mut self, written: &str) -> Result<(), Malformed> {
        let open = self.stack.pop().ok_or(Malformed::Unbalanced)?;
        if open.written != written {
            return Err(Malformed::Unbalanced);
        }
        self.bindings.truncate(open.bindings);
        let mut element = open.element;
        let text = String::from_utf8(open.text).map_err(|_| Malformed::Encoding)?;
        check_characters(&text)?;
        let formatting = !element.children.is_empty() && text.bytes().all(is_space);
        element.text = if formatting { String::new() } else { text };
        match self.stack.last_mut() {
            Some(parent) => parent.element.children.push(element),
            None => self.root = Some(element),
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize) -> Result<(), Malformed> {
        self.nodes = self.nodes.saturating_add(nodes);
        let limit = self.limits.nodes;
        if self.nodes > limit { Err(Malformed::TooManyNodes { limit }) } else { Ok(()) }
    }

    fn check_name(&self, name: &str) -> Result<(), Malformed> {
        let limit = self.limits.name;
        if name.len() > limit {
            return Err(Malformed::NameTooLong { limit });
        }
        if is_name(name) { Ok(()) } else { Err(Malformed::Syntax) }
    }
}
