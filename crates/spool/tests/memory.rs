//! What a queued message costs in memory, and that a long body costs no more than a piece.

#![allow(clippy::unwrap_used, reason = "a test stops at what is wrong")]

use weir_spool::{Folder, Identity, Limits, PIECE_BYTES, Simulated, State, Store};
use weir_units::WallTime;

const MESSAGES: usize = 20_000;

fn recipients(count: i64) -> Vec<State> {
    (0..count).map(|at| State { due: Some(WallTime::from_unix_micros(at)), bytes: Vec::new() }).collect()
}

/// Bytes that a spool of so many messages with so many recipients takes when it is opened.
fn opened(messages: usize, count: i64) -> u64 {
    let disk = Simulated::new(1);
    let (mut store, _) = Store::<_, ()>::open(disk.clone(), Limits::default(), Identity(1)).unwrap();
    for _ in 0..messages {
        store.queue(0, b"body", b"envelope", &recipients(count), ());
    }
    store.commit();
    drop(store);
    disk.restart(false);
    let mut kept = None;
    let measured = allocation_counter::measure(|| {
        kept = Some(Store::<_, ()>::open(disk, Limits::default(), Identity(1)).unwrap());
    });
    drop(kept);
    u64::try_from(measured.bytes_current).unwrap()
}

#[test]
fn a_message_of_one_recipient_takes_at_most_200_bytes_and_a_further_one_40() {
    let messages = u64::try_from(MESSAGES).unwrap();
    let one = opened(MESSAGES, 1) / messages;
    let ten = opened(MESSAGES, 10) / messages;
    println!("{one} bytes for a message with one recipient, {ten} with ten");
    assert!(one <= 200 && ten <= one + 10 * 40, "{one} and {ten}");
}

#[test]
fn a_body_is_never_in_memory_as_a_whole() {
    let place = tempfile::tempdir().unwrap();
    let disk = Folder::open(place.path()).unwrap();
    let (mut store, _) = Store::<_, ()>::open(disk, Limits::default(), Identity(1)).unwrap();
    let piece = vec![7; PIECE_BYTES];
    let measured = allocation_counter::measure(|| {
        for _ in 0..1_000 {
            store.piece(1, &piece).unwrap();
        }
        store.queue(1, &piece, b"", &recipients(1), ());
        store.commit();
        let id = store.take_due(1, WallTime::from_unix_micros(0)).remove(0).id;
        let mut stored = store.locate(id).unwrap().read().unwrap();
        while let Some(read) = stored.body.next_piece().unwrap() {
            assert!(read == piece, "it is what was written");
        }
    });
    let (most, body) = (measured.bytes_max, 1_001 * PIECE_BYTES);
    assert!(most < 4 << 20, "{most} bytes for a body of {body}");
}
