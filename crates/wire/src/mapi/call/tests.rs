mod any;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::super::rop::{Logons, RopBuffer};
use super::super::tests::{bytes, captured_lists};
use super::super::text::Text;
use super::stream::ByteCount;
use super::*;

pub(in super::super) use any::any_call;

/// Reads the ROPs of a list.
pub(in super::super) fn calls(list: &[u8]) -> Result<Vec<(u8, Call)>, Malformed> {
    let mut payload = Vec::new();
    RopBuffer::write(list, [].into_iter(), &mut payload);
    let buffer = RopBuffer::read(&payload).unwrap();
    buffer.rops(Logons::default()).map(|rop| rop.and_then(|rop| Ok((rop.logon, Call::read(&rop)?)))).collect()
}

fn written(calls: &[(u8, Call)]) -> Vec<u8> {
    let mut list = Vec::new();
    for (logon, call) in calls {
        call.write(*logon, &mut list);
    }
    list
}

#[test]
fn captured_rops_are_typed_and_written_to_the_same_bytes() {
    for list in captured_lists("Execute req-body") {
        let calls = calls(&list).unwrap();
        assert!(calls.iter().all(|(logon, call)| *logon == 0 && !matches!(call, Call::Other(_))));
        assert_eq!(written(&calls), list);
    }
}

#[test]
fn published_examples_say_what_they_say() {
    let published = bytes("13 00 00 00 02 00 01 00 01 00 1F 30 08 80 00 40 00 06 0E 01");
    let [(0, Call::SortTable(sort))] = &calls(&published).unwrap()[..] else { panic!("one ROP expected") };
    assert_eq!((sort.orders.orders.len(), sort.orders.categories, sort.orders.expanded), (2, 1, 1));
    assert_eq!(sort.orders.orders[1].tag, super::super::property::tag::MESSAGE_DELIVERY_TIME);
    assert_eq!(calls(&bytes("32 00 02 00")).unwrap()[0].1.answered_at(), 2);
    assert_eq!(calls(&bytes("2B 01 00 01 02 01 9A 0E 01")).unwrap()[0].1.answered_at(), 1);
}

#[test]
fn a_rop_that_is_not_typed_says_where_its_answer_belongs() {
    let other = |list: &str| calls(&bytes(list)).unwrap()[0].1.answered_at();
    // RopOpenAttachment opens something, RopTellVersion does not.
    assert_eq!(other("22 00 04 05 00 00000000"), 5);
    assert_eq!(other("86 00 04 0000 0000 0000"), 4);
}

#[test]
fn a_logon_tells_whose_mailbox_it_is_to() {
    let call = logon::Logon { flags: 1, essdn: b"/o=x\0".into(), ..logon::Logon::default() };
    assert_eq!((call.owner(), call.is_private()), (&b"/o=x"[..], true));
}

#[test]
fn a_count_that_looks_like_a_mark_is_sent_behind_one() {
    let read = |count| written(&[(0, stream::ReadStream { input: 1, count }.into())]);
    assert_eq!(read(ByteCount::new(0x7FFF)), bytes("2C 00 01 FF7F"));
    assert_eq!(read(ByteCount::Short(0xBABE)), bytes("2C 00 01 BEBA BEBA0000"));
    assert_eq!(ByteCount::new(0xBABE), ByteCount::Long(0xBABE));
    assert_eq!(ByteCount::Long(0x7FFF).bytes(), 0x7FFF);
}

#[test]
fn sizes_within_a_rop_that_lie_are_errors() {
    // A restriction and values that are shorter than their size.
    assert_eq!(calls(&bytes("14 00 00 00 0600 08 1F003700 FF")), Err(Malformed::Left("a restriction")));
    assert_eq!(calls(&bytes("0A 00 00 0300 0000 FF")), Err(Malformed::Left("RopSetProperties")));
}

#[test]
fn the_strategy_knows_every_typed_rop() {
    let mut runner = TestRunner::deterministic();
    let ids: BTreeSet<_> =
        (0..4000).map(|_| any_call().new_tree(&mut runner).unwrap().current().rop()).collect();
    // All that are typed, and the one that is not.
    assert_eq!(ids.len(), 47);
}

proptest! {
    #[test]
    fn every_rop_is_as_long_as_it_is_measured_and_read_as_it_was_written(
        list in prop::collection::vec((0u8..3, any_call()), 0..5)
    ) {
        prop_assert_eq!(calls(&written(&list)), Ok(list));
    }

    #[test]
    fn every_rop_that_is_cut_off_is_an_error(call in any_call(), cut: prop::sample::Index) {
        let list = written(&[(0, call)]);
        let cut = &list[..cut.index(list.len())];
        prop_assert!(cut.is_empty() || calls(cut).is_err());
    }

    #[test]
    fn a_rop_with_a_byte_changed_is_read_or_an_error(call in any_call(), place: prop::sample::Index, byte: u8) {
        let mut list = written(&[(0, call)]);
        let place = place.index(list.len());
        list[place] = byte;
        let _ = calls(&list);
    }
}
