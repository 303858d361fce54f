//! The contents of the records that are not simply a part of a body.

use weir_units::WallTime;

use super::{HEAD, HEAD_BYTES, Place};

/// What a segment's first record begins with: the format, and its version.
const MAGIC: [u8; 8] = *b"weirspl1";

/// Reads numbers and byte strings off the front of a slice. `None` where there are too few bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*chunk)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.chunk().map(u8::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.chunk().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.chunk().map(u64::from_le_bytes)
    }

    /// A byte string with its length before it.
    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u32()?).ok()?;
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    /// A flag that says whether the time behind it counts.
    fn due(&mut self) -> Option<(bool, WallTime)> {
        let waits = self.u8()? != 0;
        let at = self.chunk().map(i64::from_le_bytes)?;
        Some((waits, WallTime::from_unix_micros(at)))
    }

    /// How many follow, if the bytes can hold as many: nothing is made room for on the word of a file.
    fn count(&mut self, least: usize) -> Option<usize> {
        let count = usize::try_from(self.u32()?).ok()?;
        (count.checked_mul(least)? <= self.rest.len()).then_some(count)
    }
}

fn put_length(out: &mut Vec<u8>, count: usize) {
    let count = u32::try_from(count).expect("limits are checked before a record is written");
    out.extend_from_slice(&count.to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_length(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn put_due(out: &mut Vec<u8>, due: Option<WallTime>) {
    out.push(u8::from(due.is_some()));
    out.extend_from_slice(&due.map_or(0, WallTime::unix_micros).to_le_bytes());
}

/// A segment's first record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentRecord {
    /// The segment that was written before this one; 0 for none.
    pub(crate) previous: u32,
    /// How much of it counts: all that was synced, and nothing behind.
    pub(crate) previous_end: u32,
    /// The number of the next message at that time, so that no number is given twice.
    pub(crate) next_id: u64,
}

impl SegmentRecord {
    /// Bytes of the whole record.
    pub(crate) const RECORD_BYTES: u32 = HEAD_BYTES + 24;

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&self.previous.to_le_bytes());
        out.extend_from_slice(&self.previous_end.to_le_bytes());
        out.extend_from_slice(&self.next_id.to_le_bytes());
    }

    /// `None` where it is no segment of this version.
    pub(crate) fn read(content: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(content);
        let ours = cursor.chunk::<8>()? == MAGIC;
        let record = Self { previous: cursor.u32()?, previous_end: cursor.u32()?, next_id: cursor.u64()? };
        ours.then_some(record)
    }
}

/// One part of a body: its record, and how long it is. `None` for one that was damaged and set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) place: Option<Place>,
    pub(crate) length: u32,
}

/// The place that stands for none: segments count from 1.
const NOWHERE: Place = Place { segment: 0, offset: 0 };

/// One recipient, as a record has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot<'a> {
    /// Which one, counted from 0.
    pub(crate) recipient: u32,
    /// When it is to be looked at; never again for `None`.
    pub(crate) due: Option<WallTime>,
    /// The user's bytes.
    pub(crate) state: &'a [u8],
}

impl Part {
    /// Bytes of a part in a message's record.
    pub(crate) const BYTES: usize = 4 + 4 + 4;

    /// Bytes of the record that it is; none where it was set aside.
    pub(crate) fn record_bytes(&self) -> u64 {
        self.place.map_or(0, |_| u64::from(HEAD_BYTES + self.length))
    }
}

impl<'a> Slot<'a> {
    /// Bytes of a slot beside its state.
    pub(crate) const BYTES: usize = 4 + 9 + 4;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.recipient.to_le_bytes());
        put_due(out, self.due);
        put_bytes(out, self.state);
    }

    fn read(cursor: &mut Cursor<'a>) -> Option<Self> {
        let (recipient, (waits, at)) = (cursor.u32()?, cursor.due()?);
        Some(Self { recipient, due: waits.then_some(at), state: cursor.bytes()? })
    }

    fn write_all(slots: &[Self], out: &mut Vec<u8>) {
        put_length(out, slots.len());
        for slot in slots {
            slot.write(out);
        }
    }

    fn read_all(cursor: &mut Cursor<'a>) -> Option<Vec<Self>> {
        let count = cursor.count(Self::BYTES)?;
        (0..count).map(|_| Self::read(cursor)).collect()
    }
}

/// All that is known of a message, but for its body's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MessageRecord<'a> {
    pub(crate) id: u64,
    pub(crate) parts: Vec<Part>,
    pub(crate) envelope: &'a [u8],
    /// In the order of their numbers, none left out.
    pub(crate) slots: Vec<Slot<'a>>,
}

impl<'a> MessageRecord<'a> {
    /// Bytes beside the parts, the envelope and the slots.
    pub(crate) const BYTES: usize = 8 + 4 + 4 + 4;

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id.to_le_bytes());
        put_length(out, self.parts.len());
        for part in &self.parts {
            let place = part.place.unwrap_or(NOWHERE);
            out.extend_from_slice(&place.segment.to_le_bytes());
            out.extend_from_slice(&place.offset.to_le_bytes());
            out.extend_from_slice(&part.length.to_le_bytes());
        }
        put_bytes(out, self.envelope);
        Slot::write_all(&self.slots, out);
    }

    /// Bytes of the whole record.
    pub(crate) fn record_bytes(&self) -> usize {
        let slots: usize = self.slots.iter().map(|slot| Slot::BYTES + slot.state.len()).sum();
        HEAD + Self::BYTES + Part::BYTES * self.parts.len() + self.envelope.len() + slots
    }

    pub(crate) fn read(content: &'a [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(content);
        let id = cursor.u64()?;
        let count = cursor.count(Part::BYTES)?;
        let mut part = || {
            let place = Place { segment: cursor.u32()?, offset: cursor.u32()? };
            Some(Part { place: (place != NOWHERE).then_some(place), length: cursor.u32()? })
        };
        let parts = (0..count).map(|_| part()).collect::<Option<_>>()?;
        let (envelope, slots) = (cursor.bytes()?, Slot::read_all(&mut cursor)?);
        let in_order = slots.iter().zip(0..).all(|(slot, number)| slot.recipient == number);
        in_order.then_some(Self { id, parts, envelope, slots })
    }
}

/// What became of some recipients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UpdateRecord<'a> {
    pub(crate) id: u64,
    pub(crate) slots: Vec<Slot<'a>>,
}

impl<'a> UpdateRecord<'a> {
    /// Bytes beside the slots.
    pub(crate) const BYTES: usize = 8 + 4;

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id.to_le_bytes());
        Slot::write_all(&self.slots, out);
    }

    pub(crate) fn read(content: &'a [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(content);
        Some(Self { id: cursor.u64()?, slots: Slot::read_all(&mut cursor)? })
    }
}
