use proptest::prelude::*;

use super::super::super::body::ExecuteRequest;
use super::super::super::payload::Form;
use super::super::super::tests::captured;
use super::*;

/// A ROP buffer of one payload for each list, without handles.
fn buffer(lists: &[&[u8]]) -> Vec<u8> {
    let mut buffer = Vec::new();
    for (place, list) in lists.iter().enumerate() {
        let mut payload = Vec::new();
        RopBuffer::write(list, std::iter::empty(), &mut payload);
        Form { compressed: true, mixed: true }.write(&payload, place + 1 == lists.len(), &mut buffer);
    }
    buffer
}

fn tally(lists: &[&[u8]]) -> Tally {
    Tally::of(&buffer(lists), Logons::default()).unwrap()
}

#[test]
fn the_rops_of_captured_requests_are_counted_exactly() {
    let counts: Vec<_> = captured("Execute req-body")
        .iter()
        .map(|body| Tally::of(ExecuteRequest::read(body).unwrap().rops, Logons::default()).unwrap())
        .map(|tally| (tally.rops(), tally.fault(), tally.named().iter().collect::<Vec<_>>()))
        .collect();
    assert_eq!(counts, [1, 6, 5, 1, 4, 2, 20].map(|rops| (rops, None, vec![0])));
}

#[test]
fn empty_and_release_only_calls_are_free() {
    for (list, rops, free) in [
        (&[][..], 0, true),
        (&[1, 0, 0], 1, true),
        (&[1, 0, 0, 1, 7, 3], 2, true),
        (&[1, 0, 0, 9, 0, 0], 2, false),
        // What cannot be read is none of the free ones, whatever it is.
        (&[1, 0, 0, 1], 2, false),
        (&[0x28], 1, false),
    ] {
        let tally = tally(&[list]);
        assert_eq!((tally.rops(), tally.is_free()), (rops, free), "{list:?}");
    }
    assert!(Tally::of(&[], Logons::default()).unwrap().is_free());
}

#[test]
fn what_cannot_be_read_counts_as_one_and_names_its_logon() {
    let tally = tally(&[&[9, 3, 0, 0x28, 4, 0, 9, 5, 0], &[9, 6, 0]]);
    assert_eq!(tally.rops(), 3);
    assert_eq!(tally.fault(), Some(Malformed::UnknownRop(0x28)));
    assert_eq!(tally.named().iter().collect::<Vec<_>>(), [3, 4, 6]);
}

#[test]
fn what_a_logon_is_to_is_remembered_for_later_requests() {
    let logon = [0xFE, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let flag = [&[0x11, 5, 0, 0, 1][..], &[7; 24]].concat();
    let first = tally(&[&logon]);
    assert!(first.logons().is_public(5) && !first.logons().is_public(4));
    let second = Tally::of(&buffer(&[&flag]), first.logons()).unwrap();
    assert_eq!((second.rops(), second.fault()), (1, None));
    // In one request, too, over its payloads.
    assert_eq!(tally(&[&logon, &flag]).rops(), 2);
}

#[test]
fn few_bytes_that_unpack_to_very_many_rops_are_counted_up_to_the_limit() {
    let list = [1, 0, 0].repeat(21_000);
    let many = vec![&list[..]; 20];
    assert!(buffer(&many).len() < 1000);
    let tally = tally(&many);
    let too_many = Malformed::TooLong { what: "a list of ROPs", limit: MAX_ROPS.into() };
    assert_eq!((tally.rops(), tally.fault()), (MAX_ROPS.into(), Some(too_many)));
    assert!(!tally.is_free());
}

#[test]
fn exactly_the_limit_of_rops_is_counted_without_fault() {
    let list = [1, 0, 0].repeat(MAX_ROPS.into());
    assert_eq!((tally(&[&list]).rops(), tally(&[&list]).fault()), (MAX_ROPS.into(), None));
}

#[test]
fn an_upload_that_goes_on_over_several_payloads_is_one() {
    for id in [0xA3, 0x54, 0x9D] {
        let part: &[u8] = &[id, 0, 0, 1, 0, 7];
        let after_another = [&[9, 0, 0], part].concat();
        assert_eq!(tally(&[part, part, part]).rops(), 1);
        assert_eq!(tally(&[&after_another, part]).rops(), 2);
        // What is no further part counts: something else, something more, and what nothing goes before.
        assert_eq!(tally(&[part, &[9, 0, 0]]).rops(), 2);
        assert_eq!(tally(&[part, &[part, part].concat()]).rops(), 3);
        assert_eq!(tally(&[&[part, &[9, 0, 0]].concat(), part]).rops(), 3);
    }
    let write: &[u8] = &[0x2D, 0, 0, 1, 0, 7];
    assert_eq!(tally(&[write, write]).rops(), 2);
}

#[test]
fn what_is_no_rop_buffer_is_an_error() {
    assert!(Tally::of(&[0, 0, 4, 0, 1, 0, 1, 0, 9], Logons::default()).is_err());
    assert!(Tally::of(b"none", Logons::default()).is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_counted_within_what_they_can_hold(list in prop::collection::vec(any::<u8>(), 0..300)) {
        let tally = tally(&[&list]);
        // A ROP has at least three bytes; one that cannot be read may have fewer.
        prop_assert!(usize::try_from(tally.rops()).unwrap() <= list.len() / 3 + 1);
        prop_assert!(tally.releases() <= tally.rops());
        let _ = Tally::of(&list, Logons::default());
    }
}
