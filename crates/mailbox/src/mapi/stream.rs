//! A property opened as a stream.
//!
//! Its bytes are in memory from opening on, within what a session may hold; what was written goes into the message, which
//! is not saved by that, when the stream is committed or closed.

use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::{PropertyTag, PropertyType, PropertyValue};

use super::property::value;

/// A stream.
#[derive(Debug)]
pub(super) struct Stream {
    /// The message whose property it is, where it may be written to.
    target: Option<u32>,
    tag: PropertyTag,
    bytes: Vec<u8>,
    position: usize,
    /// Whether something was written that the message does not have yet.
    dirty: bool,
}

/// From where a place in a stream is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// Its beginning.
    Beginning,
    /// Where it is.
    Here,
    /// Its end.
    End,
}

impl Stream {
    /// A stream of that property. What is written to it goes to the message under the handle `target`.
    pub(super) const fn new(tag: PropertyTag, bytes: Vec<u8>, target: Option<u32>) -> Self {
        Self { target, tag, bytes, position: 0, dirty: false }
    }

    /// Takes at most `max` bytes.
    pub(super) fn read(&mut self, max: usize) -> Vec<u8> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let taken = rest.get(..max).unwrap_or(rest).to_vec();
        self.position += taken.len();
        taken
    }

    /// Moves to a place; gives it. Beyond the end is none.
    pub(super) fn seek(&mut self, from: From, offset: i64) -> Result<u64, ErrorCode> {
        let base = match from {
            From::Beginning => 0,
            From::Here => self.position,
            From::End => self.bytes.len(),
        };
        let place = i64::try_from(base).ok().and_then(|base| base.checked_add(offset));
        let place =
            place.and_then(|place| usize::try_from(place).ok()).ok_or(ErrorCode::STREAM_SEEK_ERROR)?;
        if place > self.bytes.len() {
            return Err(ErrorCode::STREAM_SEEK_ERROR);
        }
        self.position = place;
        Ok(u64::try_from(place).unwrap_or(u64::MAX))
    }

    /// How long it is.
    pub(super) const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// How long it would be, were so many bytes written here.
    pub(super) fn len_after(&self, written: usize) -> usize {
        self.bytes.len().max(self.position.saturating_add(written))
    }

    /// Writes over what is here, and beyond the end.
    ///
    /// # Errors
    /// Where it is only read.
    pub(super) fn write(&mut self, written: &[u8]) -> Result<(), ErrorCode> {
        self.check_writable()?;
        let end = self.position + written.len();
        let kept = self.bytes.split_off(end.min(self.bytes.len()));
        self.bytes.truncate(self.position);
        self.bytes.extend(written);
        self.bytes.extend(kept);
        (self.position, self.dirty) = (end, true);
        Ok(())
    }

    /// Makes it so long.
    ///
    /// # Errors
    /// Where it is only read.
    pub(super) fn set_len(&mut self, len: usize) -> Result<(), ErrorCode> {
        self.check_writable()?;
        self.bytes.resize(len, 0);
        self.position = self.position.min(len);
        self.dirty = true;
        Ok(())
    }

    /// What was written, once: the message's handle, the property, its value.
    pub(super) fn take_written(&mut self) -> Option<(u32, PropertyTag, PropertyValue)> {
        let target = self.target.filter(|_| self.dirty)?;
        self.dirty = false;
        Some((target, self.tag, from_bytes(self.tag.kind(), &self.bytes)))
    }

    /// How many bytes it holds.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes.capacity()
    }

    fn check_writable(&self) -> Result<(), ErrorCode> {
        self.target.map(drop).ok_or(ErrorCode::STREAM_ACCESS_DENIED)
    }
}

/// The value of a property as a stream has it: texts without their zero.
///
/// # Errors
/// What is neither text nor bytes.
pub(super) fn to_bytes(value: PropertyValue) -> Result<Vec<u8>, ErrorCode> {
    if let PropertyValue::Unicode(text) = value {
        return Ok(value::to_utf16(&text));
    }
    if let PropertyValue::String8(bytes) | PropertyValue::Binary(bytes) = value {
        return Ok(bytes);
    }
    Err(ErrorCode::NOT_SUPPORTED)
}

/// Whether properties of that type can be opened as streams.
pub(super) const fn is_streamed(kind: PropertyType) -> bool {
    matches!(kind, PropertyType::UNICODE | PropertyType::STRING8 | PropertyType::BINARY)
}

fn from_bytes(kind: PropertyType, bytes: &[u8]) -> PropertyValue {
    match kind {
        PropertyType::UNICODE => PropertyValue::Unicode(value::from_utf16(bytes)),
        PropertyType::STRING8 => PropertyValue::String8(bytes.to_vec()),
        _ => PropertyValue::Binary(bytes.to_vec()),
    }
}

#[cfg(test)]
mod tests;
