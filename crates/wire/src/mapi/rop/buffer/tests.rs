use proptest::prelude::*;

use super::super::super::tests::bytes;
use super::*;

#[test]
fn list_and_handles_come_apart_and_together() {
    let payload = bytes("05 00 01 00 00 28000000 FFFFFFFF");
    let buffer = RopBuffer::read(&payload).unwrap();
    assert_eq!(buffer.list(), [1, 0, 0]);
    assert_eq!(buffer.handles().collect::<Vec<_>>(), [0x28, NO_HANDLE]);
    let mut written = Vec::new();
    RopBuffer::write(buffer.list(), buffer.handles(), &mut written);
    assert_eq!(written, payload);
}

#[test]
fn sizes_that_lie_are_errors() {
    for (payload, why) in [
        (&[][..], Malformed::Ends("a ROP list")),
        (&[1, 0], Malformed::Wrong("the size of a ROP list")),
        (&[4, 0, 1], Malformed::Ends("a ROP list")),
        (&[2, 0, 1, 0, 0], Malformed::Ends("a table of handles")),
    ] {
        assert_eq!(RopBuffer::read(payload), Err(why), "{payload:?}");
    }
}

#[test]
fn after_a_rop_that_cannot_be_read_there_is_nothing_more() {
    let payload = [7, 0, 0x28, 0, 0, 1, 0];
    let mut rops = RopBuffer::read(&payload).unwrap().rops(Logons::default());
    assert_eq!(rops.next(), Some(Err(Malformed::UnknownRop(0x28))));
    assert_eq!(rops.next(), None);
    assert_eq!(rops.rest(), [0x28, 0, 0, 1, 0]);
}

proptest! {
    #[test]
    fn any_payload_that_is_read_is_written_to_the_same_bytes(
        size in 0u8..40, rest in prop::collection::vec(any::<u8>(), 0..60)
    ) {
        let payload = [vec![size, 0], rest].concat();
        if let Ok(buffer) = RopBuffer::read(&payload) {
            let mut written = Vec::new();
            RopBuffer::write(buffer.list(), buffer.handles(), &mut written);
            prop_assert_eq!(written, payload);
        }
    }
}
