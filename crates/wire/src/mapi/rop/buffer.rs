//! A list of ROPs with its table of handles (MS-OXCROPS, section 2.2.1).

#[cfg(test)]
mod tests;

use super::super::Malformed;
use super::super::reader::Reader;
use super::length::{self, Logons, Rop};

/// The most handles that ROPs can name: each by its place, in one byte.
pub const MAX_HANDLES: usize = 256;

/// What stands in the table of handles where there is none yet.
pub const NO_HANDLE: u32 = u32::MAX;

/// One payload of a ROP buffer, of a request or an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RopBuffer<'a> {
    list: &'a [u8],
    handles: &'a [[u8; 4]],
}

impl<'a> RopBuffer<'a> {
    /// Reads a payload.
    ///
    /// # Errors
    ///
    /// A list whose size lies, or a table that ends within a handle.
    pub fn read(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        // The size counts itself.
        let list = reader.count16("a ROP list")?.checked_sub(2);
        let list = reader.bytes(list.ok_or(Malformed::Wrong("the size of a ROP list"))?, "a ROP list")?;
        let (handles, []) = reader.rest().as_chunks() else {
            return Err(Malformed::Ends("a table of handles"));
        };
        Ok(Self { list, handles })
    }

    /// The list, as bytes.
    pub const fn list(&self) -> &'a [u8] {
        self.list
    }

    /// The handles, in the order of their places.
    pub fn handles(&self) -> impl Iterator<Item = u32> + use<'a> {
        self.handles.iter().map(|handle| u32::from_le_bytes(*handle))
    }

    /// The ROPs of a request, one after the other.
    pub const fn rops(&self, logons: Logons) -> Rops<'a> {
        Rops { reader: Reader::new(self.list), logons, failed: false }
    }

    /// Appends a payload of that list and those handles. A list that is longer than its size can say is cut off: whoever
    /// builds lists keeps them shorter.
    pub fn write(list: &[u8], handles: impl Iterator<Item = u32>, payload: &mut Vec<u8>) {
        let size = u16::try_from(list.len() + 2).unwrap_or(u16::MAX);
        payload.extend(size.to_le_bytes());
        payload.extend(list.iter().take(usize::from(size) - 2));
        payload.extend(handles.flat_map(u32::to_le_bytes));
    }
}

/// The ROPs of a request. After an error there is nothing more, since nobody knows where the next one begins.
#[derive(Clone, Debug)]
pub struct Rops<'a> {
    reader: Reader<'a>,
    logons: Logons,
    failed: bool,
}

impl Rops<'_> {
    /// What is known of the session's logons, the ROPs so far included.
    pub const fn logons(&self) -> Logons {
        self.logons
    }

    /// The bytes that are not read yet. After an error they begin with the ROP that could not be read.
    pub(super) const fn rest(&self) -> &[u8] {
        self.reader.rest()
    }
}

impl<'a> Iterator for Rops<'a> {
    type Item = Result<Rop<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.reader.is_empty() {
            return None;
        }
        let mut reader = self.reader;
        let rop = length::take(&mut reader, &mut self.logons);
        match rop {
            Ok(_) => self.reader = reader,
            Err(_) => self.failed = true,
        }
        Some(rop)
    }
}
