//! What stands in a segment: records, one after the other, each with its length and two checksums.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | checksum of the next 12, and of the place: whose spool, which segment, where in it |
//! | 4 | checksum of the content |
//! | 4 | length of the content, little endian as everything |
//! | 1 + 3 | kind, and zeros |
//! | … | the content |
//!
//! Because the place is part of the checksum, bytes that look like a record – in somebody's message, or left over from
//! a file that was there before – are none. The head has a checksum of its own, so that the way from record to record is
//! found without reading what is between. Absent: reading and writing; this is about bytes in memory.

use crc32fast::Hasher;

use crate::limits::RECORD_BYTES_MAX;

mod content;

pub(crate) use content::{Cursor, MessageRecord, Part, SegmentRecord, Slot, UpdateRecord};

/// Bytes of a record before its content.
pub(crate) const HEAD: usize = 16;
/// The same as a distance in a file.
pub(crate) const HEAD_BYTES: u32 = 16;

/// Who a spool is: a number that nobody else's files have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(pub u64);

/// Where a record begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) segment: u32,
    pub(crate) offset: u32,
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The first of a segment: which one it is, and how the one before it ended.
    Segment,
    /// A part of a body.
    Piece,
    /// A message as a whole – where its pieces are, its envelope, its recipients –, which replaces whatever was said of it before.
    Message,
    /// What became of some recipients of a message.
    Update,
    /// Everything before this place was synced before it was written.
    Mark,
}

impl Kind {
    const fn number(self) -> u8 {
        match self {
            Self::Segment => 1,
            Self::Piece => 2,
            Self::Message => 3,
            Self::Update => 4,
            Self::Mark => 5,
        }
    }

    const fn of(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Segment),
            2 => Some(Self::Piece),
            3 => Some(Self::Message),
            4 => Some(Self::Update),
            5 => Some(Self::Mark),
            _ => None,
        }
    }
}

/// The head of a record, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) kind: Kind,
    /// Bytes of the content.
    pub(crate) length: u32,
    content: u32,
}

impl Head {
    /// The head that `bytes` are, if they are one at that place.
    pub(crate) fn read(bytes: &[u8; HEAD], identity: Identity, place: Place) -> Option<Self> {
        let (own, rest) = bytes.split_first_chunk::<4>()?;
        if u32::from_le_bytes(*own) != head_checksum(rest, identity, place) {
            return None;
        }
        let mut cursor = Cursor::new(rest);
        let (content, length) = (cursor.u32()?, cursor.u32()?);
        let kind = Kind::of(cursor.u8()?)?;
        let bounded = usize::try_from(length).is_ok_and(|length| length <= RECORD_BYTES_MAX);
        bounded.then_some(Self { kind, length, content })
    }

    /// Whether `content` is what was written behind this head.
    pub(crate) fn fits(&self, content: &[u8]) -> bool {
        crc32fast::hash(content) == self.content
    }

    /// Bytes of the whole record.
    pub(crate) const fn record_bytes(&self) -> u32 {
        HEAD_BYTES + self.length
    }
}

fn head_checksum(rest: &[u8], identity: Identity, place: Place) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(rest);
    hasher.update(&identity.0.to_le_bytes());
    hasher.update(&place.segment.to_le_bytes());
    hasher.update(&place.offset.to_le_bytes());
    hasher.finalize()
}

/// Appends a record for `place` to `out`; `content` writes what is in it.
pub(crate) fn write(
    out: &mut Vec<u8>,
    identity: Identity,
    place: Place,
    kind: Kind,
    content: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    out.extend_from_slice(&[0; HEAD]);
    content(out);
    let (head, content) = out.split_at_mut(start).1.split_at_mut(HEAD);
    let length = u32::try_from(content.len()).expect("limits are checked before a record is written");
    let mut rest = Vec::with_capacity(HEAD - 4);
    rest.extend_from_slice(&crc32fast::hash(content).to_le_bytes());
    rest.extend_from_slice(&length.to_le_bytes());
    rest.extend_from_slice(&[kind.number(), 0, 0, 0]);
    let (own, others) = head.split_at_mut(4);
    own.copy_from_slice(&head_checksum(&rest, identity, place).to_le_bytes());
    others.copy_from_slice(&rest);
}

#[cfg(test)]
mod tests;
