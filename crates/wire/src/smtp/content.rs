//! The content of a message as it comes in, behind DATA or in chunks of BDAT.
//!
//! Between two mail servers that disagree on where a message ends, whoever wrote it can put a second one into the first
//! (SMTP smuggling). So there is one end, CR LF `.` CR LF, and everything that another server could take for it – a lone
//! CR or LF, a dot between any two of them – is a fault: the message is not taken. Where one of those stands as an
//! end would, even the rest of the connection is not believed. [`Bare::Keep`] lets lone CR and LF into a message as plain
//! bytes, never as an end; who writes such a message on makes line endings of them ([`Encoder`](super::Encoder)).
//!
//! [`Decoder`] takes pieces of any size and holds no content: what it gives out are parts of the pieces, without the
//! dots that the sender put before its own dots. Faults are found to the end of the message, and of several the first
//! of [`ContentFault`] is told, so that how the bytes were cut into pieces changes nothing.

mod fault;
#[cfg(test)]
mod tests;

use memchr::{memchr, memchr2};

pub use fault::ContentFault;

/// The most bytes of a line of a message, unless stated otherwise. RFC 5322 has 998; programs that write HTML know
/// nothing of it, and no memory depends on this.
pub const DEFAULT_MAX_TEXT_LINE: u64 = 1024 * 1024;

/// How large a message may be, unless stated otherwise (H13: 36 MB).
pub const DEFAULT_MAX_MESSAGE: u64 = 36 * 1024 * 1024;

/// How often the largest size is read before the client, which goes on and on, is hung up on.
const PATIENCE: u64 = 2;

/// What becomes of CR and LF that stand alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bare {
    /// The message, or the command, is refused.
    Refuse,
    /// A message keeps them as they are, and a command may end in LF.
    Keep,
}

/// What a message may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentRules {
    /// The most bytes, without the sender's extra dots; nothing for no limit.
    pub max_bytes: Option<u64>,
    /// The most bytes of a line, without its ending.
    pub max_line: u64,
    /// What becomes of CR and LF that stand alone.
    pub bare: Bare,
    /// Whether NUL may be in it.
    pub nul: bool,
    /// Whether bytes beyond ASCII may be in a message that was not announced as having them.
    pub undeclared_8bit: bool,
}

/// How a message's end is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// By a line with a dot; lines that begin with one have another before it.
    Dots,
    /// By counts.
    Counted,
}

/// What was found in a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// Bytes of the message.
    Content(&'a [u8]),
    /// The end of a message that is as it should be, or of one whose fault is told.
    End(Result<Summary, ContentFault>),
}

/// What a message turned out to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many bytes it has.
    pub bytes: u64,
    /// Whether any of them is beyond ASCII.
    pub eight_bit: bool,
}

/// Reads one message.
#[derive(Debug)]
pub struct Decoder {
    rules: ContentRules,
    framing: Framing,
    /// Whether the sender announced bytes beyond ASCII.
    declared_8bit: bool,
    place: Place,
    line: u64,
    summary: Summary,
    fault: Option<ContentFault>,
}

/// Where in a line the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the front of a line.
    Start,
    /// Behind the dot at the front of a line, which is not given out.
    Dot,
    /// Behind that dot and CR.
    DotCr,
    /// Within a line.
    Within,
    /// Behind a CR, which is not given out yet.
    Cr,
    /// Behind a lone CR or LF, where some would begin a line.
    Loose,
    /// Behind a dot there.
    LooseDot,
}

/// What becomes of a byte.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// It is kept back, or is no content.
    Hold,
    /// This is given out for it.
    Give(&'static [u8]),
    /// This is given out before it, and it is looked at again.
    Before(&'static [u8]),
    /// It begins a run of text.
    Text,
    /// It ends the message.
    End(Result<Summary, ContentFault>),
}

impl Default for ContentRules {
    fn default() -> Self {
        Self {
            max_bytes: Some(DEFAULT_MAX_MESSAGE),
            max_line: DEFAULT_MAX_TEXT_LINE,
            bare: Bare::Refuse,
            nul: false,
            undeclared_8bit: true,
        }
    }
}

impl ContentRules {
    /// Whether a message of `bytes` is so far beyond the largest size that its end is not waited for.
    pub(super) fn is_hopeless(&self, bytes: u64) -> bool {
        self.max_bytes.is_some_and(|most| bytes > most.saturating_mul(PATIENCE))
    }
}

impl Decoder {
    /// Begins a message.
    pub const fn new(rules: ContentRules, framing: Framing, declared_8bit: bool) -> Self {
        let summary = Summary { bytes: 0, eight_bit: false };
        Self { rules, framing, declared_8bit, place: Place::Start, line: 0, summary, fault: None }
    }

    /// What comes next in `input`, whose front is taken; nothing where all of it is used up. Nothing is to be fed
    /// behind the end. A message with a fault stops giving out content.
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Option<Found<'a>> {
        loop {
            let (&byte, rest) = input.split_first()?;
            let step = self.step(byte);
            if !matches!(step, Step::Before(_) | Step::Text) {
                *input = rest;
            }
            let found = match step {
                Step::End(outcome) => return Some(Found::End(outcome)),
                Step::Hold => None,
                Step::Give(content) | Step::Before(content) => self.give(content),
                Step::Text => self.text(input),
            };
            if self.goes_on_and_on() {
                return Some(Found::End(Err(ContentFault::Endless)));
            }
            if found.is_some() {
                return found;
            }
        }
    }

    /// What the next byte is, where it stands.
    fn step(&mut self, byte: u8) -> Step {
        match (self.place, byte) {
            (Place::Start, b'.') if self.framing == Framing::Dots => {
                self.place = Place::Dot;
                Step::Hold
            }
            (Place::Dot, b'\r') => {
                self.place = Place::DotCr;
                Step::Hold
            }
            (Place::DotCr, b'\n') => Step::End(self.so_far()),
            (Place::Dot, b'\n') | (Place::DotCr, _) | (Place::LooseDot, b'\r' | b'\n')
                if self.rules.bare == Bare::Refuse =>
            {
                Step::End(Err(ContentFault::AmbiguousEnd))
            }
            (Place::Cr, b'\n') => {
                self.place = Place::Start;
                self.line = 0;
                Step::Give(b"\r\n")
            }
            (Place::Cr | Place::DotCr, _) => {
                self.bare(ContentFault::BareCr);
                Step::Before(b"\r")
            }
            (_, b'\n') => {
                self.bare(ContentFault::BareLf);
                Step::Give(b"\n")
            }
            (_, b'\r') => {
                self.place = Place::Cr;
                Step::Hold
            }
            (_, _) => Step::Text,
        }
    }

    /// What is held back at the end of a message whose end is told by counts: the CR that was its last byte.
    pub fn flush(&mut self) -> Option<&'static [u8]> {
        if self.place != Place::Cr {
            return None;
        }
        self.bare(ContentFault::BareCr);
        self.count(1);
        self.fault.is_none().then_some(b"\r")
    }

    /// What is known so far: how much has come, or the fault.
    ///
    /// # Errors
    /// [`ContentFault`]: the message is not to be taken.
    pub fn so_far(&self) -> Result<Summary, ContentFault> {
        self.fault.map_or(Ok(self.summary), Err)
    }

    /// Notes a lone CR or LF.
    fn bare(&mut self, fault: ContentFault) {
        self.place = Place::Loose;
        self.line = 0;
        if self.rules.bare == Bare::Refuse {
            self.note(fault);
        }
    }

    /// Gives out the run of whole lines and text at the front of `input`, which begins with neither CR nor LF.
    fn text<'a>(&mut self, input: &mut &'a [u8]) -> Option<Found<'a>> {
        // The dot behind a lone line ending is looked at alone, for what comes behind it.
        if self.place == Place::Loose && self.framing == Framing::Dots && input.first() == Some(&b'.') {
            let (dot, rest) = input.split_at_checked(1)?;
            *input = rest;
            self.place = Place::LooseDot;
            self.lengthen(1);
            return self.give(dot);
        }
        self.place = Place::Within;
        let length = self.run(input);
        let (run, rest) = input.split_at_checked(length)?;
        *input = rest;
        if !self.rules.nul && memchr(0, run).is_some() {
            self.note(ContentFault::Nul);
        }
        if !run.is_ascii() {
            self.summary.eight_bit = true;
            if !self.declared_8bit && !self.rules.undeclared_8bit {
                self.note(ContentFault::EightBit);
            }
        }
        self.give(run)
    }

    /// How long the text at the front of `input` goes on without anything to be left out or looked at: up to a lone
    /// CR or LF, a dot at the front of a line, or a CR that ends the piece. Moves the place there.
    fn run(&mut self, input: &[u8]) -> usize {
        let mut length = 0;
        loop {
            let rest = input.get(length..).unwrap_or_default();
            let stop = memchr2(b'\r', b'\n', rest);
            let text = stop.unwrap_or(rest.len());
            self.lengthen(text);
            if text > 0 {
                self.place = Place::Within;
            }
            length += text;
            let Some([b'\r', b'\n', behind @ ..]) = rest.get(text..) else { return length };
            length += 2;
            self.place = Place::Start;
            self.line = 0;
            if behind.is_empty() || behind.first() == Some(&b'.') && self.framing == Framing::Dots {
                return length;
            }
        }
    }

    fn lengthen(&mut self, bytes: usize) {
        self.line = self.line.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        if self.line > self.rules.max_line {
            self.note(ContentFault::LineTooLong);
        }
    }

    /// Counts content, and gives it out while there is no fault.
    fn give<'a>(&mut self, content: &'a [u8]) -> Option<Found<'a>> {
        self.count(u64::try_from(content.len()).unwrap_or(u64::MAX));
        self.fault.is_none().then_some(Found::Content(content))
    }

    fn count(&mut self, bytes: u64) {
        self.summary.bytes = self.summary.bytes.saturating_add(bytes);
        if self.rules.max_bytes.is_some_and(|most| self.summary.bytes > most) {
            self.note(ContentFault::TooLarge);
        }
    }

    /// A message in chunks ends with its chunk, which says beforehand how long it is.
    fn goes_on_and_on(&self) -> bool {
        self.framing == Framing::Dots && self.rules.is_hopeless(self.summary.bytes)
    }

    /// Of several faults the first of their order is told.
    fn note(&mut self, fault: ContentFault) {
        self.fault = Some(self.fault.map_or(fault, |known| known.min(fault)));
    }
}
