//! What stands before an answer's body: meta-tags, as the work goes on, and further headers (MS-OXCMAPIHTTP, 2.2.7).
//!
//! A server says `PROCESSING` as soon as it has the request, `PENDING` every now and then, and `DONE` when the answer
//! is there; then come headers that it knows only now, an empty line, and the body. [`Envelope`] follows that in pieces
//! of any size, keeps nothing but the headers, and hands on the body's part of each piece. Whoever passes an answer on
//! passes it on as it comes: the envelope is looked at, never held back.
//!
//! Servers that leave out the end of a tag's line, or end it with a line feed alone, are understood. What begins with
//! none of the tags, such as the text that goes with a response code other than 0, is an error, and best not looked at.

#[cfg(test)]
mod tests;

use weir_units::Millis;

use super::Malformed;
use super::response_code::{ResponseCode, X_RESPONSE_CODE};

/// The longest header line within an answer, in bytes.
pub const MAX_LINE: usize = 1024;

/// The most headers within an answer.
pub const MAX_HEADERS: usize = 32;

/// What is sent when the request has arrived, before the work on it begins.
pub const PROCESSING: &[u8] = b"PROCESSING\r\n";

/// What is sent every now and then while the work lasts.
pub const PENDING: &[u8] = b"PENDING\r\n";

const DONE: &[u8] = b"DONE\r\n";

/// The header that says how long the server worked, in milliseconds.
pub const X_ELAPSED_TIME: &str = "X-ElapsedTime";

/// The header that says when the server began.
pub const X_START_TIME: &str = "X-StartTime";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Processing,
    Pending,
    Done,
}

const TAGS: [(Tag, &[u8]); 3] =
    [(Tag::Processing, b"PROCESSING"), (Tag::Pending, b"PENDING"), (Tag::Done, b"DONE")];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In a tag, or before one.
    Tag,
    /// Behind a tag, where its line should end.
    TagEnd(Tag),
    Header,
    Body,
}

/// Follows one answer.
///
/// ```
/// use weir_wire::mapi::envelope::Envelope;
/// let mut envelope = Envelope::new();
/// assert_eq!(envelope.feed(b"PROCESSING\r\nPEND")?, b"");
/// assert_eq!(envelope.feed(b"ING\r\nDONE\r\nX-ElapsedTime: 12\r\n\r\nbody")?, b"body");
/// assert_eq!((envelope.pending(), envelope.elapsed().map(|time| time.count())), (1, Some(12)));
/// # Ok::<(), weir_wire::mapi::Malformed>(())
/// ```
#[derive(Clone, Debug)]
pub struct Envelope {
    place: Place,
    line: Vec<u8>,
    processing: bool,
    pending: u32,
    headers: Vec<(String, String)>,
}

impl Default for Envelope {
    fn default() -> Self {
        Self::new()
    }
}

impl Envelope {
    /// An answer of which nothing has been seen.
    pub const fn new() -> Self {
        Self { place: Place::Tag, line: Vec::new(), processing: false, pending: 0, headers: Vec::new() }
    }

    /// Takes the next piece of an answer, of any size, and gives what of it belongs to the body.
    ///
    /// # Errors
    ///
    /// What is no envelope, or has lines or headers beyond the limits. The answer is then not followed any further.
    pub fn feed<'a>(&mut self, piece: &'a [u8]) -> Result<&'a [u8], Malformed> {
        for (place, byte) in piece.iter().enumerate() {
            if self.place == Place::Body {
                return Ok(piece.get(place..).unwrap_or_default());
            }
            self.step(*byte)?;
        }
        Ok(&[])
    }

    /// Whether the server said that it has the request.
    pub const fn is_processing(&self) -> bool {
        self.processing
    }

    /// How often the server said that the work lasts.
    pub const fn pending(&self) -> u32 {
        self.pending
    }

    /// Whether the work is done, and all headers are known.
    pub fn is_done(&self) -> bool {
        self.place == Place::Body
    }

    /// The headers so far, as they came.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The response code that the server came to only in the end, which then counts and not the one of the head.
    pub fn response_code(&self) -> Option<ResponseCode> {
        ResponseCode::from_header(self.header(X_RESPONSE_CODE)?)
    }

    /// How long the server worked, as it says.
    pub fn elapsed(&self) -> Option<Millis> {
        self.header(X_ELAPSED_TIME)?.parse().ok().map(Millis::new)
    }

    fn header(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    fn step(&mut self, byte: u8) -> Result<(), Malformed> {
        match (self.place, byte) {
            (Place::Tag, _) => self.tag(byte),
            (Place::TagEnd(_), b'\r') | (Place::Body, _) => Ok(()),
            (Place::TagEnd(tag), _) => {
                self.place = match tag {
                    Tag::Done => Place::Header,
                    Tag::Processing | Tag::Pending => Place::Tag,
                };
                // Where the line's end was left out, the next thing has begun.
                if byte == b'\n' { Ok(()) } else { self.step(byte) }
            }
            (Place::Header, b'\n') => self.header_line(),
            (Place::Header, _) => {
                if self.line.len() >= MAX_LINE {
                    return Err(Malformed::TooLong { what: "a header within an answer", limit: MAX_LINE });
                }
                self.line.push(byte);
                Ok(())
            }
        }
    }

    fn tag(&mut self, byte: u8) -> Result<(), Malformed> {
        self.line.push(byte);
        let begun = TAGS.iter().find(|(_, name)| name.starts_with(&self.line));
        let (tag, name) = begun.ok_or(Malformed::Wrong("a meta-tag"))?;
        if self.line.len() == name.len() {
            self.line.clear();
            self.place = Place::TagEnd(*tag);
            match tag {
                Tag::Processing => self.processing = true,
                Tag::Pending => self.pending = self.pending.saturating_add(1),
                Tag::Done => {}
            }
        }
        Ok(())
    }

    fn header_line(&mut self) -> Result<(), Malformed> {
        let line = String::from_utf8_lossy(&self.line).trim_end_matches('\r').to_owned();
        self.line.clear();
        if line.is_empty() {
            self.place = Place::Body;
            return Ok(());
        }
        if self.headers.len() >= MAX_HEADERS {
            return Err(Malformed::TooLong { what: "the headers within an answer", limit: MAX_HEADERS });
        }
        // A line that is no header says nothing.
        if let Some((name, value)) = line.split_once(':') {
            self.headers.push((name.to_owned(), value.trim_ascii().to_owned()));
        }
        Ok(())
    }
}

/// What goes before the body when the work is done: the last tag, the headers, and the empty line.
pub fn done(headers: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = DONE.to_vec();
    for (name, value) in headers {
        for part in [name, ": ", value, "\r\n"] {
            bytes.extend(part.as_bytes());
        }
    }
    bytes.extend(b"\r\n");
    bytes
}
