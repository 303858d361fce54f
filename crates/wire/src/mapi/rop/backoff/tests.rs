use proptest::prelude::*;

use super::super::super::tests::bytes;
use super::super::buffer::RopBuffer;
use super::*;

/// Reads the published vector, a ROP buffer whose second response is the back-off, and writes it again.
fn published(vector: &str, first: usize) -> Backoff {
    let payload = bytes(vector);
    let buffer = RopBuffer::read(&payload).unwrap();
    let (executed, later) = buffer.list().split_at(first);
    let (backoff, rest) = Backoff::read(later).unwrap().unwrap();
    assert!(rest.is_empty());
    let mut list = executed.to_vec();
    backoff.write(&mut list);
    let mut written = Vec::new();
    RopBuffer::write(&list, buffer.handles(), &mut written);
    assert_eq!(written, payload);
    backoff
}

#[test]
fn the_published_back_off_of_a_logon_is_read_and_written() {
    let backoff = published("12 00 12 00 00 00 00 00 00 F9 00 34 12 00 00 00 00 00 28 00 00 00", 7);
    assert_eq!(backoff, Backoff::logon(0, Millis::new(0x1234)));
}

#[test]
fn the_published_back_off_of_one_type_of_rop_is_read_and_written() {
    let vector =
        "18 00 02 01 00 00 00 00 00 00 F9 00 00 00 00 00 01 1C 17 4F 04 00 00 00 0A 00 00 00 24 00 00 00";
    let backoff = published(vector, 8);
    assert_eq!((backoff.logon, backoff.duration), (0, Millis::new(0)));
    assert_eq!(backoff.rop_types, [(RopId(0x1C), Millis::new(0x4_4F17))]);
    assert_eq!(backoff.rop_types[0].0.to_string(), "RopCreateFolder");
}

#[test]
fn another_response_is_none_and_one_that_is_cut_off_an_error() {
    assert_eq!(Backoff::read(&[0x12, 0, 0]), Ok(None));
    assert_eq!(Backoff::read(&[]), Ok(None));
    let whole = bytes("F9 00 00000000 01 1C 174F0400 0100 AA");
    for cut in 1..whole.len() {
        assert_eq!(Backoff::read(&whole[..cut]), Err(Malformed::Ends("RopBackoff")), "{cut}");
    }
}

#[test]
fn what_does_not_fit_is_cut_to_what_does() {
    let backoff = Backoff {
        duration: Millis::new(u64::MAX),
        rop_types: vec![(RopId(1), Millis::new(1)); 300],
        additional: vec![7; 70_000],
        ..Backoff::default()
    };
    let mut list = Vec::new();
    backoff.write(&mut list);
    let (read, rest) = Backoff::read(&list).unwrap().unwrap();
    assert!(rest.is_empty());
    assert_eq!(read.duration, Millis::new(u32::MAX.into()));
    assert_eq!((read.rop_types.len(), read.additional.len()), (MAX_ROP_TYPES, 65_535));
}

proptest! {
    #[test]
    fn any_bytes_that_are_read_are_written_to_the_same(rest in prop::collection::vec(0u8..5, 0..60)) {
        let list = [vec![0xF9], rest].concat();
        if let Ok(Some((backoff, rest))) = Backoff::read(&list) {
            let mut written = Vec::new();
            backoff.write(&mut written);
            written.extend(rest);
            prop_assert_eq!(written, list);
        }
    }
}
