//! What a relay wants to know of a message's header, found while the message passes.
//!
//! The scanner holds one field's name and at most the Message-ID; how large a header may be, and of how many fields, has
//! bounds. A header ends at an empty line, or at the first line that is none of a header's – then the message lacks the
//! empty line, as some do. How often it was received tells whether it runs in a circle (H13, `MaxHopCount`).

#[cfg(test)]
mod tests;

/// The most bytes of a header, unless stated otherwise.
pub const DEFAULT_MAX_HEADER: u64 = 256 * 1024;

/// The most fields of a header, unless stated otherwise.
pub const DEFAULT_MAX_FIELDS: u32 = 2000;

/// How often a message may have been received, unless stated otherwise (H13).
pub const DEFAULT_MAX_HOPS: u32 = 30;

/// The most bytes of a Message-ID that are kept; a longer one counts as there, and is not known.
pub const MAX_MESSAGE_ID: usize = 255;

/// The most bytes of a field's name that are looked at.
const MAX_NAME: usize = 78;

/// How large a header may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderLimits {
    /// The most bytes.
    pub max_bytes: u64,
    /// The most fields.
    pub max_fields: u32,
}

/// What is known of a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderFacts {
    /// How many bytes it has, the empty line among them.
    pub bytes: u64,
    /// How many fields.
    pub fields: u32,
    /// How many of them are `Received`.
    pub received: u32,
    /// Whether there is a `Date`.
    pub has_date: bool,
    /// Whether there is a `Message-ID`.
    pub has_message_id: bool,
    /// The first Message-ID with its brackets, if it is not longer than [`MAX_MESSAGE_ID`].
    pub message_id: Option<String>,
    /// Whether any byte is beyond ASCII.
    pub eight_bit: bool,
}

/// A header beyond its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// Too many bytes.
    #[error("the header has more than {limit} bytes")]
    TooLarge {
        /// The most.
        limit: u64,
    },
    /// Too many fields.
    #[error("the header has more than {limit} fields")]
    TooManyFields {
        /// The most.
        limit: u32,
    },
}

/// Reads the header at the front of a message, fed in pieces of any size.
///
/// ```
/// use weir_wire::smtp::HeaderScanner;
/// let mut scanner = HeaderScanner::default();
/// scanner.feed(b"Received: from a by b\r\nMessage-Id: <1@a>\r\nSubj")?;
/// scanner.feed(b"ect: x\r\n\r\nReceived: this is the body\r\n")?;
/// assert_eq!(scanner.facts().received, 1);
/// assert_eq!(scanner.facts().message_id.as_deref(), Some("<1@a>"));
/// # Ok::<(), weir_wire::smtp::header::HeaderError>(())
/// ```
#[derive(Debug, Default)]
pub struct HeaderScanner {
    limits: HeaderLimits,
    facts: HeaderFacts,
    place: Place,
    name: Vec<u8>,
    value: Vec<u8>,
    captures: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// At the front of a line.
    #[default]
    Start,
    /// In a line of a CR so far.
    Cr,
    /// In a field's name.
    Name,
    /// Behind the colon, or in a line that goes on with it.
    Value,
    /// Behind the header.
    Body,
}

impl Default for HeaderLimits {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_HEADER, max_fields: DEFAULT_MAX_FIELDS }
    }
}

impl HeaderFacts {
    /// Whether it was received more often than any way is long.
    pub const fn runs_in_a_circle(&self, max_hops: u32) -> bool {
        self.received > max_hops
    }
}

impl HeaderScanner {
    /// A scanner with those limits.
    pub fn new(limits: HeaderLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Reads the next piece of the message.
    ///
    /// # Errors
    /// [`HeaderError`] as soon as the header is beyond a bound; it stays so.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), HeaderError> {
        for &byte in piece {
            if self.is_done() {
                return Ok(());
            }
            self.step(byte)?;
        }
        Ok(())
    }

    /// Whether the header is over.
    pub fn is_done(&self) -> bool {
        self.place == Place::Body
    }

    /// What is known so far; all that there is to know once the header is over.
    pub const fn facts(&self) -> &HeaderFacts {
        &self.facts
    }

    /// All that there is to know of a message that is over, though it be within its header.
    pub fn finish(mut self) -> HeaderFacts {
        self.end();
        self.facts
    }

    fn step(&mut self, byte: u8) -> Result<(), HeaderError> {
        if self.facts.bytes >= self.limits.max_bytes {
            return Err(HeaderError::TooLarge { limit: self.limits.max_bytes });
        }
        self.facts.bytes += 1;
        self.facts.eight_bit |= !byte.is_ascii();
        match (self.place, byte) {
            (Place::Start, b'\r') => self.place = Place::Cr,
            (Place::Start, b' ' | b'\t') if self.facts.fields > 0 => self.place = Place::Value,
            (Place::Start, b'!'..=b'9' | b';'..=b'~') => self.begin(byte)?,
            // A space before the colon is obsolete and seen; one within is text.
            (Place::Name, b'!'..=b'9' | b';'..=b'~') if self.name.ends_with(b" ") => self.end(),
            (Place::Name, b'!'..=b'9' | b';'..=b'~') => self.keep_name(byte),
            (Place::Name, b' ' | b'\t') => self.keep_name(b' '),
            (Place::Name, b':') => self.know(),
            (Place::Start | Place::Cr | Place::Name, _) => self.end(),
            (Place::Value, b'\n') => self.place = Place::Start,
            (Place::Value, _) => self.keep_value(byte),
            (Place::Body, _) => {}
        }
        Ok(())
    }

    fn begin(&mut self, byte: u8) -> Result<(), HeaderError> {
        self.take_message_id();
        if self.facts.fields >= self.limits.max_fields {
            return Err(HeaderError::TooManyFields { limit: self.limits.max_fields });
        }
        self.name.clear();
        self.keep_name(byte);
        self.place = Place::Name;
        Ok(())
    }

    fn keep_name(&mut self, byte: u8) {
        if self.name.len() <= MAX_NAME {
            self.name.push(byte);
        }
    }

    fn keep_value(&mut self, byte: u8) {
        if self.captures && self.value.len() <= MAX_MESSAGE_ID && !byte.is_ascii_whitespace() {
            self.value.push(byte);
        }
    }

    /// A field has begun whose name is complete.
    fn know(&mut self) {
        self.place = Place::Value;
        self.facts.fields += 1;
        match self.name.trim_ascii_end().to_ascii_lowercase().as_slice() {
            b"received" => self.facts.received += 1,
            b"date" => self.facts.has_date = true,
            b"message-id" => {
                self.captures = !self.facts.has_message_id;
                self.facts.has_message_id = true;
            }
            _ => {}
        }
    }

    /// Keeps the Message-ID that has just ended, if one has.
    fn take_message_id(&mut self) {
        if std::mem::take(&mut self.captures) {
            let id = std::mem::take(&mut self.value);
            let visible = id.iter().all(u8::is_ascii_graphic) && (1..=MAX_MESSAGE_ID).contains(&id.len());
            self.facts.message_id = visible.then(|| id.iter().copied().map(char::from).collect());
        }
    }

    fn end(&mut self) {
        self.take_message_id();
        self.place = Place::Body;
    }
}
