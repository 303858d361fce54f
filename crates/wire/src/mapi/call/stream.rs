//! Streams: long values, piece by piece.

use super::super::Malformed;
use super::super::codec::{Codec, Plain, Sized, layout};
use super::super::property::PropertyTag;
use super::super::reader::Reader;

layout! {
    /// Opens the value of a property.
    pub struct OpenStream {
        /// The place of the object's handle.
        input: u8,
        /// Where the stream's handle is to go.
        output: u8,
        /// The property.
        tag: PropertyTag,
        /// How: [`Self::READ_WRITE`] and others.
        mode: u8,
    }

    /// Reads bytes from where the stream is, and moves on.
    pub struct ReadStream {
        /// The place of the stream's handle.
        input: u8,
        /// How many at most.
        count: ByteCount,
    }

    /// Writes bytes where the stream is, and moves on.
    pub struct WriteStream {
        /// The place of the stream's handle.
        input: u8,
        /// The bytes.
        data: Vec<u8> as Sized<u16>,
    }

    /// Moves to another place in a stream.
    pub struct SeekStream {
        /// The place of the stream's handle.
        input: u8,
        /// From where: [`Self::BEGINNING`] and others.
        origin: u8,
        /// By how many bytes, backwards where it is negative.
        offset: i64,
    }

    /// Makes a stream longer or shorter.
    pub struct SetStreamSize {
        /// The place of the stream's handle.
        input: u8,
        /// How long it is to be.
        size: u64,
    }

    /// Asks how long a stream is.
    pub struct GetStreamSize {
        /// The place of the stream's handle.
        input: u8,
    }

    /// Makes what was written to a stream the property's value.
    pub struct CommitStream {
        /// The place of the stream's handle.
        input: u8,
    }
}

impl OpenStream {
    /// To be read.
    pub const READ_ONLY: u8 = 0;
    /// To be changed.
    pub const READ_WRITE: u8 = 1;
    /// To be written anew.
    pub const CREATE: u8 = 2;
}

impl SeekStream {
    /// From the first byte.
    pub const BEGINNING: u8 = 0;
    /// From where it is.
    pub const CURRENT: u8 = 1;
    /// From behind the last byte.
    pub const END: u8 = 2;
}

/// How many bytes are to be read at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteCount {
    /// As many as two bytes can say, [`Self::ELSEWHERE`] excepted.
    Short(u16),
    /// As many as four bytes can say.
    Long(u32),
}

impl ByteCount {
    /// What two bytes say where four more do.
    pub const ELSEWHERE: u16 = 0xBABE;

    /// That many, in the short form where that can say it.
    pub fn new(bytes: u32) -> Self {
        match u16::try_from(bytes) {
            Ok(short) if short != Self::ELSEWHERE => Self::Short(short),
            Ok(_) | Err(_) => Self::Long(bytes),
        }
    }

    /// How many.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Short(bytes) => bytes.into(),
            Self::Long(bytes) => bytes,
        }
    }
}

impl Default for ByteCount {
    fn default() -> Self {
        Self::Short(0)
    }
}

impl Codec<ByteCount> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<ByteCount, Malformed> {
        match reader.u16(what)? {
            ByteCount::ELSEWHERE => reader.u32(what).map(ByteCount::Long),
            short => Ok(ByteCount::Short(short)),
        }
    }

    fn write(value: &ByteCount, out: &mut Vec<u8>) {
        match *value {
            ByteCount::Short(bytes) if bytes != ByteCount::ELSEWHERE => Self::write(&bytes, out),
            ByteCount::Short(_) | ByteCount::Long(_) => {
                Self::write(&ByteCount::ELSEWHERE, out);
                Self::write(&value.bytes(), out);
            }
        }
    }
}
