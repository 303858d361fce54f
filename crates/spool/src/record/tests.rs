use proptest::prelude::*;
use weir_units::WallTime;

use super::*;

const IDENTITY: Identity = Identity(7);
const PLACE: Place = Place { segment: 3, offset: 4_000 };

fn record(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, IDENTITY, PLACE, Kind::Piece, |out| out.extend_from_slice(content));
    out
}

/// The content of the record that `bytes` are, if they are one at `place`.
fn read(bytes: &[u8], identity: Identity, place: Place) -> Option<&[u8]> {
    let (head, content) = bytes.split_first_chunk::<HEAD>()?;
    let head = Head::read(head, identity, place)?;
    let content = content.get(..usize::try_from(head.length).unwrap())?;
    head.fits(content).then_some(content)
}

#[test]
fn a_record_is_one_only_where_it_was_written() {
    let bytes = record(b"body");
    assert_eq!(read(&bytes, IDENTITY, PLACE), Some(&b"body"[..]));
    assert_eq!(read(&bytes, Identity(8), PLACE), None);
    assert_eq!(read(&bytes, IDENTITY, Place { offset: 4_001, ..PLACE }), None);
    assert_eq!(read(&bytes, IDENTITY, Place { segment: 4, ..PLACE }), None);
}

#[test]
fn every_flipped_bit_is_noticed() {
    let bytes = record(b"a body of some bytes");
    for bit in 0..bytes.len() * 8 {
        let mut broken = bytes.clone();
        broken[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(read(&broken, IDENTITY, PLACE), None, "bit {bit}");
    }
}

#[test]
fn a_message_reads_as_it_was_written() {
    let at = Some(WallTime::from_unix_micros(-5));
    let message = MessageRecord {
        id: 9,
        parts: vec![Part { place: Some(PLACE), length: 11 }, Part { place: None, length: 2 }],
        envelope: b"from and to",
        slots: vec![
            Slot { recipient: 0, due: at, state: b"" },
            Slot { recipient: 1, due: None, state: b"550" },
        ],
    };
    let mut bytes = Vec::new();
    message.write(&mut bytes);
    assert_eq!(MessageRecord::read(&bytes), Some(message.clone()));
    assert_eq!(message.record_bytes(), HEAD + bytes.len());
    let mut update = Vec::new();
    UpdateRecord { id: 9, slots: message.slots.clone() }.write(&mut update);
    assert_eq!(UpdateRecord::read(&update), Some(UpdateRecord { id: 9, slots: message.slots }));
}

#[test]
fn a_segment_of_another_version_is_none_of_ours() {
    let segment = SegmentRecord { previous: 1, previous_end: 2, next_id: 3 };
    let mut bytes = Vec::new();
    segment.write(&mut bytes);
    assert_eq!(SegmentRecord::read(&bytes), Some(segment));
    bytes[7] = b'2';
    assert_eq!(SegmentRecord::read(&bytes), None);
}

proptest! {
    #[test]
    fn no_bytes_make_the_readers_panic_or_take_more_memory_than_they_are(
        bytes in proptest::collection::vec(any::<u8>(), 0..200)
    ) {
        if let Some(message) = MessageRecord::read(&bytes) {
            prop_assert!(message.parts.len() * 12 + message.slots.len() * Slot::BYTES <= bytes.len());
        }
        if let Some(update) = UpdateRecord::read(&bytes) {
            prop_assert!(update.slots.len() * Slot::BYTES <= bytes.len());
        }
        prop_assert_eq!(SegmentRecord::read(&bytes), None);
    }
}
