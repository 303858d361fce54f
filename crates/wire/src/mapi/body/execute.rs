//! The bodies of `Execute` (MS-OXCMAPIHTTP, section 2.2.4.2).

use super::super::Malformed;
use super::super::reader::Reader;
use super::{Body, MAX_ROP_BUFFER, at_most, auxiliary, put, put_sized};

/// The body of a request that carries ROPs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecuteRequest<'a> {
    /// What the answer must do without, and whether it may be a chain.
    pub flags: u32,
    /// The ROP buffer: a chain of payloads.
    pub rops: &'a [u8],
    /// The longest ROP buffer that the answer may have.
    pub max_answer: u32,
    /// The auxiliary buffer.
    pub auxiliary: &'a [u8],
}

impl<'a> ExecuteRequest<'a> {
    /// The answer must not be compressed.
    pub const NO_COMPRESSION: u32 = 1;
    /// The answer must not be mixed.
    pub const NO_MIXING: u32 = 2;
    /// The answer may be a chain of payloads.
    pub const CHAIN: u32 = 4;

    /// Reads a body.
    ///
    /// # Errors
    ///
    /// What is no such body, or has buffers beyond their limits.
    pub fn read(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(body);
        let flags = reader.u32("a fixed part")?;
        let rops = at_most(reader.sized32("the ROP buffer")?, MAX_ROP_BUFFER, "the ROP buffer")?;
        let max_answer = reader.u32("a fixed part")?;
        Ok(Self { flags, rops, max_answer, auxiliary: auxiliary(reader)? })
    }

    /// Appends it.
    pub fn write(&self, body: &mut Vec<u8>) {
        put(body, &[self.flags]);
        put_sized(body, self.rops);
        put(body, &[self.max_answer]);
        put_sized(body, self.auxiliary);
    }
}

/// The body of the answer, behind its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed<'a> {
    /// Why nothing was carried out, or 0.
    pub error_code: u32,
    /// Always 0.
    pub flags: u32,
    /// The ROP buffer: a chain of payloads. No limit of ours is on it, whoever receives answers has one.
    pub rops: &'a [u8],
    /// The auxiliary buffer.
    pub auxiliary: &'a [u8],
}

impl<'a> Body<'a> for Executed<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let error_code = reader.u32("a fixed part")?;
        let flags = reader.u32("a fixed part")?;
        let rops = reader.sized32("the ROP buffer")?;
        Ok(Self { error_code, flags, rops, auxiliary: auxiliary(reader)? })
    }

    fn write(&self, body: &mut Vec<u8>) {
        put(body, &[self.error_code, self.flags]);
        put_sized(body, self.rops);
        put_sized(body, self.auxiliary);
    }
}
