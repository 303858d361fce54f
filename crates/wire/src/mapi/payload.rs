//! Payloads behind their extended headers (`RPC_HEADER_EXT`; MS-OXCRPC, sections 2.2.2.1 and 3.1.4.1.1).
//!
//! A ROP buffer and an auxiliary buffer are chains of payloads. Each header says whether its payload is compressed,
//! whether its bytes are mixed with a constant (which hides nothing), how long it is as sent and as meant, and whether
//! it is the last. Sender and receiver need not agree on more: an answer may always be sent plain.
//!
//! [`Payloads`] gives one after the other, so that only one is held unpacked, of at most 64 KiB; [`Form::write`] is
//! the way back.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::Malformed;
use super::lz77;
use super::reader::Reader;

/// The most payloads in a chain.
pub const MAX_PAYLOADS: usize = 96;

/// The longest payload, unpacked: what its header can say.
pub const MAX_PAYLOAD: usize = 0xFFFF;

const COMPRESSED: u16 = 1;
const MIXED: u16 = 2;
const LAST: u16 = 4;

/// What the bytes of a mixed payload are mixed with.
const MIX: u8 = 0xA5;

/// How a payload is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Compressed, where that makes it shorter.
    pub compressed: bool,
    /// Its bytes mixed with a constant.
    pub mixed: bool,
}

/// One payload of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload<'a> {
    /// How it was sent.
    pub form: Form,
    /// Its bytes, as meant.
    pub bytes: Cow<'a, [u8]>,
}

/// The payloads of one buffer. After an error there is nothing more.
///
/// ```
/// use weir_wire::mapi::payload::{Form, Payloads};
/// let mut buffer = Vec::new();
/// Form { mixed: true, ..Form::default() }.write(b"first", false, &mut buffer);
/// Form { compressed: true, ..Form::default() }.write(&[7; 600], true, &mut buffer);
/// assert!(buffer.len() < 50);
/// let payloads: Vec<_> = Payloads::new(&buffer).collect::<Result<_, _>>()?;
/// assert_eq!(&*payloads[0].bytes, b"first");
/// assert_eq!(&*payloads[1].bytes, [7; 600]);
/// # Ok::<(), weir_wire::mapi::Malformed>(())
/// ```
#[derive(Clone, Debug)]
pub struct Payloads<'a> {
    reader: Reader<'a>,
    passed: usize,
    ended: bool,
}

impl<'a> Payloads<'a> {
    /// Those of `buffer`; none, where it is empty.
    pub const fn new(buffer: &'a [u8]) -> Self {
        Self { reader: Reader::new(buffer), passed: 0, ended: buffer.is_empty() }
    }

    fn read(&mut self) -> Result<Payload<'a>, Malformed> {
        if self.passed >= MAX_PAYLOADS {
            return Err(Malformed::TooLong { what: "a chain of payloads", limit: MAX_PAYLOADS });
        }
        self.passed += 1;
        if self.reader.u16("a payload's header")? != 0 {
            return Err(Malformed::Wrong("the version of a payload's header"));
        }
        let flags = self.reader.u16("a payload's header")?;
        let sent = self.reader.count16("a payload's header")?;
        let meant = self.reader.u16("a payload's header")?;
        let bytes = self.reader.bytes(sent, "a payload")?;
        let form = Form { compressed: flags & COMPRESSED != 0, mixed: flags & MIXED != 0 };
        let payload = Payload { form, bytes: unpack(bytes, form, meant)? };
        if flags & LAST != 0 {
            self.ended = true;
            self.reader.end("the last payload")?;
        }
        Ok(payload)
    }
}

impl<'a> Iterator for Payloads<'a> {
    type Item = Result<Payload<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let payload = self.read();
        self.ended |= payload.is_err();
        Some(payload)
    }
}

fn unpack(sent: &[u8], form: Form, meant: u16) -> Result<Cow<'_, [u8]>, Malformed> {
    let sent = if form.mixed { sent.iter().map(|byte| byte ^ MIX).collect() } else { Cow::Borrowed(sent) };
    if form.compressed {
        return lz77::decompress(&sent, meant).map(Cow::Owned);
    }
    if sent.len() == usize::from(meant) { Ok(sent) } else { Err(Malformed::Wrong("the length of a payload")) }
}

impl Form {
    /// Appends a payload behind its header; `last` ends the chain. What exceeds [`MAX_PAYLOAD`] is cut off: whoever
    /// builds payloads keeps them shorter.
    pub fn write(self, payload: &[u8], last: bool, buffer: &mut Vec<u8>) {
        let meant = u16::try_from(payload.len()).unwrap_or(u16::MAX);
        let payload = payload.get(..usize::from(meant)).unwrap_or_default();
        let packed = if self.compressed { lz77::compress(payload) } else { None };
        let flags = [(packed.is_some(), COMPRESSED), (self.mixed, MIXED), (last, LAST)];
        let flags = flags.iter().filter(|(set, _)| *set).fold(0, |flags, (_, flag)| flags | flag);
        let sent = packed.as_deref().unwrap_or(payload);
        // What is compressed is shorter than what is meant.
        let length = u16::try_from(sent.len()).unwrap_or(meant);
        for field in [0, flags, length, meant] {
            buffer.extend(field.to_le_bytes());
        }
        let mix = if self.mixed { MIX } else { 0 };
        buffer.extend(sent.iter().map(|byte| byte ^ mix));
    }
}
