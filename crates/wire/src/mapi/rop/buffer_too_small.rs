//! `RopBufferTooSmall`: the rest of the answers needs more room (MS-OXCROPS, section 2.2.15.1).

#[cfg(test)]
mod tests;

use super::super::Malformed;
use super::super::reader::Reader;
use super::id::RopId;

/// A response in place of the ROPs that were not carried out, because their answers had no room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferTooSmall {
    /// The room that is needed, in bytes.
    pub size_needed: u16,
    /// The ROPs that were not carried out, as they were sent.
    pub requests: Vec<u8>,
}

const TOO_SMALL: &str = "RopBufferTooSmall";

impl BufferTooSmall {
    /// Reads the one that a list of responses begins with, which then has nothing else; nothing, where the list begins
    /// with another response.
    ///
    /// # Errors
    ///
    /// One that is cut off.
    pub fn read(list: &[u8]) -> Result<Option<Self>, Malformed> {
        let mut reader = Reader::new(list);
        if list.first() != Some(&RopId::BUFFER_TOO_SMALL.0) {
            return Ok(None);
        }
        reader.skip(1, 1, TOO_SMALL)?;
        Ok(Some(Self { size_needed: reader.u16(TOO_SMALL)?, requests: reader.rest().to_vec() }))
    }

    /// Appends it to a list of responses, which it ends.
    pub fn write(&self, list: &mut Vec<u8>) {
        list.push(RopId::BUFFER_TOO_SMALL.0);
        list.extend(self.size_needed.to_le_bytes());
        list.extend(&self.requests);
    }
}
