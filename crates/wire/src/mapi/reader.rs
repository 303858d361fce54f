//! Fields of a slice, one after the other, little-endian, as everything of this protocol is.

#[cfg(test)]
mod tests;

use super::Malformed;

/// What is left of a slice. Each read either takes a whole field or fails; what a field is called goes into the error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, depth: 0 }
    }

    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Fails where bytes are left.
    pub(super) const fn end(self, what: &'static str) -> Result<(), Malformed> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed::Left(what)) }
    }

    pub(super) fn bytes(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed::Ends(what))?;
        self.rest = rest;
        Ok(taken)
    }

    /// Passes over `count` fields of `each` bytes.
    pub(super) fn skip(&mut self, count: usize, each: usize, what: &'static str) -> Result<(), Malformed> {
        self.bytes(count.checked_mul(each).ok_or(Malformed::Ends(what))?, what).map(drop)
    }

    /// Reads something that may stand in itself, at most `most` deep.
    pub(super) fn nested<T>(
        &mut self,
        most: usize,
        what: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<T, Malformed> {
        if self.depth >= most {
            return Err(Malformed::TooLong { what, limit: most });
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    pub(super) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Malformed::Ends(what))?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, Malformed> {
        self.array(what).map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16, Malformed> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, Malformed> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, Malformed> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// A number of two bytes that counts or measures what follows.
    pub(super) fn count16(&mut self, what: &'static str) -> Result<usize, Malformed> {
        self.u16(what).map(usize::from)
    }

    /// A number of four bytes that counts or measures what follows.
    pub(super) fn count32(&mut self, what: &'static str) -> Result<usize, Malformed> {
        usize::try_from(self.u32(what)?).map_err(|_| Malformed::Ends(what))
    }

    /// Bytes behind their number, which has two bytes.
    pub(super) fn sized16(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        let length = self.count16(what)?;
        self.bytes(length, what)
    }

    /// Bytes behind their number, which has four bytes.
    pub(super) fn sized32(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        let length = self.count32(what)?;
        self.bytes(length, what)
    }

    /// Text of one-byte characters up to its zero, which is taken and not given.
    pub(super) fn text8(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        let length = self.rest.iter().position(|byte| *byte == 0).ok_or(Malformed::Ends(what))?;
        let text = self.bytes(length, what)?;
        self.bytes(1, what)?;
        Ok(text)
    }

    /// Text of two-byte characters up to its zero, which is taken and not given.
    pub(super) fn text16(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        let characters = self.rest.as_chunks::<2>().0.iter().position(|pair| *pair == [0, 0]);
        let text = self.bytes(2 * characters.ok_or(Malformed::Ends(what))?, what)?;
        self.bytes(2, what)?;
        Ok(text)
    }
}
