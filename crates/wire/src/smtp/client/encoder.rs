//! A message on its way out.
//!
//! Whatever the message is made of, what is written has CR LF at the end of each line and nowhere else a CR or a LF: one
//! that stands alone becomes CR LF. So no server behind us can find an end in it that we did not write. Behind DATA a
//! dot is put before each dot that begins a line, and [`Encoder::finish`] writes the end.

use memchr::memchr2;

use super::super::content::Framing;

/// Writes one message, fed in pieces of any size.
///
/// ```
/// use weir_wire::smtp::{Encoder, Framing};
/// let (mut encoder, mut out) = (Encoder::new(Framing::Dots), Vec::new());
/// encoder.write(b"Subject: dots\r\n\r\n.one\n.", &mut out);
/// encoder.finish(&mut out);
/// assert_eq!(out, b"Subject: dots\r\n\r\n..one\r\n..\r\n.\r\n");
/// ```
#[derive(Debug)]
pub struct Encoder {
    framing: Framing,
    place: Place,
}

/// What was written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A line's ending, or nothing at all.
    Start,
    /// A line's text.
    Within,
    /// Nothing yet for the CR that was read.
    Cr,
}

impl Encoder {
    /// Begins a message.
    pub const fn new(framing: Framing) -> Self {
        Self { framing, place: Place::Start }
    }

    /// Writes the next piece behind `out`.
    pub fn write(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let mut rest = piece;
        while let Some((&byte, behind)) = rest.split_first() {
            match (self.place, byte) {
                (Place::Cr | Place::Start | Place::Within, b'\n') => {
                    self.end_line(out);
                    rest = behind;
                }
                (Place::Cr, _) => self.end_line(out),
                (Place::Start | Place::Within, b'\r') => {
                    self.place = Place::Cr;
                    rest = behind;
                }
                (Place::Start | Place::Within, _) => rest = self.text(rest, out),
            }
        }
    }

    /// Writes the end behind `out`: behind DATA the line with a dot. A message in chunks ends as it ends.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let within = match self.place {
            Place::Start => false,
            Place::Within => self.framing == Framing::Dots,
            Place::Cr => true,
        };
        if within {
            self.end_line(out);
        }
        if self.framing == Framing::Dots {
            out.extend_from_slice(b".\r\n");
        }
    }

    /// Copies text up to a line's end, or as many whole lines as have nothing to be changed; returns what is left.
    fn text<'a>(&mut self, text: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
        if self.place == Place::Start && self.framing == Framing::Dots && text.first() == Some(&b'.') {
            out.push(b'.');
        }
        let mut length = 0;
        loop {
            let rest = text.get(length..).unwrap_or_default();
            let line = memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
            length += line;
            if line > 0 {
                self.place = Place::Within;
            }
            let Some([b'\r', b'\n', behind @ ..]) = rest.get(line..) else { break };
            length += 2;
            self.place = Place::Start;
            if behind.first().is_none_or(|byte| *byte == b'.') {
                break;
            }
        }
        let (run, rest) = text.split_at_checked(length).unwrap_or((text, &[]));
        out.extend_from_slice(run);
        rest
    }

    fn end_line(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\r\n");
        self.place = Place::Start;
    }
}
