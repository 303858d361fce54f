//! What clients tell about themselves beside their requests: auxiliary blocks (R17; MS-OXCRPC, section 2.2.2.2).
//!
//! An auxiliary buffer is one payload of blocks, each of which says its size, version and type. Outlook names its
//! process, its machine and whether it works from a cache, and reports how long earlier calls took as it saw them. Only
//! those are read here; [`Blocks`] gives every block, so that the rest can be passed over or looked at.
//!
//! Nothing of it is believed beyond a page of statistics: it is what a client says. Text is cut at [`MAX_TEXT`], and has
//! no control characters.

mod reports;
#[cfg(test)]
mod tests;

pub use reports::Reports;
use weir_units::Millis;

use super::Malformed;
use super::payload::{Form, Payloads};
use super::reader::Reader;

/// The longest text that is kept, in characters.
pub const MAX_TEXT: usize = 256;

/// The most blocks that are listened to in one buffer: it has room for as many reports of calls that are not compressed.
pub const MAX_BLOCKS: usize = 256;

/// The size of a block's header.
const HEADER: usize = 4;

/// One block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// The version of its layout.
    pub version: u8,
    /// What it tells.
    pub kind: u8,
    /// What stands behind its header.
    pub content: &'a [u8],
}

/// The blocks of one auxiliary payload. After an error there is nothing more.
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    reader: Reader<'a>,
}

impl<'a> Blocks<'a> {
    /// Those of `payload`.
    pub const fn new(payload: &'a [u8]) -> Self {
        Self { reader: Reader::new(payload) }
    }

    fn read(&mut self) -> Result<Block<'a>, Malformed> {
        let size = self.reader.count16("an auxiliary block")?;
        let version = self.reader.u8("an auxiliary block")?;
        let kind = self.reader.u8("an auxiliary block")?;
        let content = size.checked_sub(HEADER).ok_or(Malformed::Wrong("the size of an auxiliary block"))?;
        Ok(Block { version, kind, content: self.reader.bytes(content, "an auxiliary block")? })
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Result<Block<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let block = self.read();
        if block.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(block)
    }
}

/// Appends an auxiliary buffer of these blocks, plain and in one payload; nothing, where there are none. A block that is
/// longer than its size can say is cut off: whoever builds blocks keeps them shorter.
pub fn write(blocks: &[Block<'_>], buffer: &mut Vec<u8>) {
    if blocks.is_empty() {
        return;
    }
    let mut payload = Vec::new();
    for block in blocks {
        let size = u16::try_from(HEADER + block.content.len()).unwrap_or(u16::MAX);
        payload.extend(size.to_le_bytes());
        payload.extend([block.version, block.kind]);
        payload.extend(block.content.iter().take(usize::from(size) - HEADER));
    }
    Form::default().write(&payload, true, buffer);
}

/// What a client tells that concerns us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The client's process.
    Process {
        /// Its name, such as `OUTLOOK.EXE`.
        name: String,
    },
    /// The client and where it runs.
    Client {
        /// The machine's name.
        machine: String,
        /// The user's name on that machine.
        user: String,
        /// Whether it works from a cache.
        mode: ClientMode,
    },
    /// An earlier call.
    Call(SeenCall),
}

/// How a client works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientMode {
    /// It does not say.
    Unknown,
    /// On the server's store.
    Classic,
    /// On a copy of its own.
    Cached,
}

/// An earlier call, as the client saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenCall {
    /// What was called.
    pub callee: Callee,
    /// Whether somebody waited for it.
    pub ground: Ground,
    /// How long it took.
    pub took: Millis,
    /// How long ago it was made.
    pub ago: Millis,
    /// Whether it failed.
    pub failed: bool,
}

/// What clients call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// The mailbox server.
    Mailbox,
    /// The directory.
    Directory,
    /// A failed call does not say.
    Either,
}

/// What a call was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ground {
    /// Older clients do not say.
    Unknown,
    /// Somebody waited for it.
    Foreground,
    /// Nobody did.
    Background,
}

const CLIENT_INFO: u8 = 0x02;
const PROCESS_INFO: u8 = 0x0B;

/// The blocks that report calls: their types, without a ground, in the background and in the foreground; what was
/// called; how many bytes of identifiers stand before the two times, in version 1 and in version 2.
const CALLS: [([u8; 3], Callee, [usize; 2]); 5] = [
    ([0x05, 0x0C, 0x11], Callee::Mailbox, [0, 0]),
    ([0x06, 0x0D, 0x12], Callee::Directory, [4, 4]),
    ([0x07, 0x0E, 0x13], Callee::Mailbox, [8, 12]),
    ([0x08, 0x0F, 0x14], Callee::Directory, [8, 8]),
    ([0x09, 0x10, 0x15], Callee::Either, [8, 12]),
];

impl Block<'_> {
    /// What the block tells, if it is one that concerns us.
    ///
    /// # Errors
    ///
    /// A block of such a kind that ends too early, or points out of itself.
    pub fn told(&self) -> Result<Option<Told>, Malformed> {
        match self.kind {
            PROCESS_INFO => self.process().map(Some),
            CLIENT_INFO => self.client().map(Some),
            _ => self.call(),
        }
    }

    fn process(&self) -> Result<Told, Malformed> {
        let mut reader = Reader::new(self.content);
        reader.skip(1, 2 + 2 + 16, "a process block")?;
        Ok(Told::Process { name: self.text(reader.count16("a process block")?)? })
    }

    fn client(&self) -> Result<Told, Malformed> {
        let mut reader = Reader::new(self.content);
        reader.skip(1, 4 + 2, "a client block")?;
        let (machine, user) = (reader.count16("a client block")?, reader.count16("a client block")?);
        // Addresses and adapter, as sizes and offsets.
        reader.skip(7, 2, "a client block")?;
        let mode = match reader.u16("a client block")? {
            1 => ClientMode::Classic,
            2 => ClientMode::Cached,
            _ => ClientMode::Unknown,
        };
        Ok(Told::Client { machine: self.text(machine)?, user: self.text(user)?, mode })
    }

    fn call(&self) -> Result<Option<Told>, Malformed> {
        for (kinds, callee, [first, second]) in CALLS {
            let grounds = [Ground::Unknown, Ground::Background, Ground::Foreground];
            let Some((_, ground)) = kinds.into_iter().zip(grounds).find(|(kind, _)| *kind == self.kind)
            else {
                continue;
            };
            let mut reader = Reader::new(self.content);
            reader.skip(1, if self.version < 2 { first } else { second }, "a report of a call")?;
            let ago = Millis::new(reader.u32("a report of a call")?.into());
            let took = Millis::new(reader.u32("a report of a call")?.into());
            let failed = callee == Callee::Either;
            return Ok(Some(Told::Call(SeenCall { callee, ground, took, ago, failed })));
        }
        Ok(None)
    }

    /// The text at an offset from the beginning of the block's header; none, where that is 0.
    fn text(&self, offset: usize) -> Result<String, Malformed> {
        if offset == 0 {
            return Ok(String::new());
        }
        let from = offset.checked_sub(HEADER).and_then(|offset| self.content.get(offset..));
        let text = Reader::new(from.ok_or(Malformed::Wrong("an offset in an auxiliary block"))?)
            .text16("a text in an auxiliary block")?;
        let units = text.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair));
        let characters = char::decode_utf16(units).map(|unit| match unit {
            Ok(character) if !character.is_control() => character,
            Ok(_) | Err(_) => char::REPLACEMENT_CHARACTER,
        });
        Ok(characters.take(MAX_TEXT).collect())
    }
}

/// What the client tells in an auxiliary buffer, as far as that can be read: a block that cannot is passed over, and
/// what is no such buffer tells nothing. Who reports wrongly about himself harms nobody else.
pub fn told(buffer: &[u8]) -> Vec<Told> {
    let Some(Ok(payload)) = Payloads::new(buffer).next() else { return Vec::new() };
    let blocks = Blocks::new(&payload.bytes).map_while(Result::ok).take(MAX_BLOCKS);
    blocks.filter_map(|block| block.told().ok().flatten()).collect()
}
