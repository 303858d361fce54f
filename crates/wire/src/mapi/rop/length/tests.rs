use proptest::prelude::*;

use super::super::super::tests::bytes;
use super::super::table::TABLE;
use super::*;

/// Splits a list, for a session whose logon 9 is to public folders.
fn split(list: &[u8]) -> Result<Vec<(RopId, usize)>, Malformed> {
    let mut logons = Logons::default();
    logons.public.set(9, true);
    let mut reader = Reader::new(list);
    let mut rops = Vec::new();
    while !reader.is_empty() {
        let rop = take(&mut reader, &mut logons)?;
        rops.push((rop.id, rop.bytes.len()));
    }
    Ok(rops)
}

#[test]
fn published_examples_are_as_long_as_they_are() {
    for example in [
        // RopSortTable, RopSetColumns, RopOpenStream, RopSubmitMessage.
        "13 00 00 00 02 00 01 00 01 00 1F 30 08 80 00 40 00 06 0E 01",
        "12 00 01 00 06 00 14 00 48 67 14 00 4A 67 14 00 4D 67 03 00 4E 67 1F 00 37 00 40 00 06 0E",
        "2B 01 00 01 02 01 9A 0E 01",
        "32 00 02 00",
    ] {
        let rop = bytes(example);
        assert_eq!(split(&rop), Ok(vec![(RopId(rop[0]), rop.len())]), "{example}");
    }
}

#[test]
fn fields_that_depend_on_others_are_there_or_not() {
    for (rop, length) in [
        // Names of one and of two bytes a character.
        (b"\x1C\0\0\0\x01\0\0\0a\0b\0".to_vec(), 12),
        (b"\x1C\0\0\0\x01\x01\0\0a\0\0\0b\0\0\0".to_vec(), 16),
        (b"\x35\0\0\0\0\x01\0\0\0\0\0\0\0\0a\0\0\0".to_vec(), 18),
        // A notification for the whole store, and for one folder.
        (vec![0x29, 0, 0, 0, 2, 0, 1], 7),
        ([vec![0x29, 0, 0, 0, 2, 0, 0], vec![1; 16]].concat(), 23),
        // A read whose size stands behind, and one whose size does not.
        (vec![0x2C, 0, 0, 0xBE, 0xBA, 0, 0, 1, 0], 9),
        (vec![0x2C, 0, 0, 0xFF, 0x7F], 5),
        (vec![0x4E, 0, 0, 0xBE, 0xBA, 0, 0x7F], 7),
        // With and without a namespace.
        ([vec![0x5F, 0, 0, 0, 1], vec![1; 16]].concat(), 21),
        (vec![0x5F, 0, 0, 0, 0], 5),
        // To a mailbox, and to public folders.
        (vec![0x11, 0, 0, 0, 1], 5),
        ([vec![0x11, 9, 0, 0, 1], vec![7; 24]].concat(), 29),
        ([vec![0x64, 0, 0], vec![7; 25], vec![0, 0, 0, 0, 1, 0, 7], vec![7; 16]].concat(), 51),
        ([vec![0x64, 0, 0], vec![7; 25], vec![1, 0, 0, 0, 1, 0, 7]].concat(), 35),
        ([vec![0x64, 9, 0], vec![7; 25], vec![0, 0, 0, 0, 1, 0, 7]].concat(), 35),
        // Names of properties: a number, a text, none.
        (
            [
                vec![0x56, 0, 0, 2, 3, 0, 0],
                vec![7; 20],
                vec![1],
                vec![7; 16],
                vec![2, b'a', 0, 0xFF],
                vec![7; 16],
            ]
            .concat(),
            64,
        ),
    ] {
        assert_eq!(rop.len(), length);
        assert_eq!(split(&rop), Ok(vec![(RopId(rop[0]), length)]), "{rop:?}");
    }
}

#[test]
fn a_logon_says_what_later_rops_are_made_of() {
    // Logon 5 to public folders, a read flag for it; then the same number to a mailbox.
    let logon = |flags: u8| [&[0xFE, 5, 0, flags][..], &[0; 8], &[2, 0, b'x', 0]].concat();
    let flag = |data: usize| [vec![0x11, 5, 0, 0, 1], vec![7; data]].concat();
    let list = [logon(0), flag(24), logon(1), flag(0)].concat();
    let lengths: Vec<_> = split(&list).unwrap().into_iter().map(|(_, length)| length).collect();
    assert_eq!(lengths, [16, 29, 16, 5]);
}

#[test]
fn a_set_of_logons_holds_each_of_the_256() {
    let mut set = LogonSet::default();
    for logon in [0, 127, 128, 255] {
        set.set(logon, true);
    }
    set.set(127, false);
    assert_eq!(set.iter().collect::<Vec<_>>(), [0, 128, 255]);
}

/// Some bytes that a field may be. Sizes and counts are small, so that lists stay so.
fn field(field: Field, logon: u8) -> BoxedStrategy<Vec<u8>> {
    let some = |length| prop::collection::vec(any::<u8>(), length).boxed();
    let counted = |each: usize| {
        (0u8..4).prop_flat_map(move |count| {
            let rest = prop::collection::vec(any::<u8>(), each * usize::from(count));
            rest.prop_map(move |rest| [vec![count, 0], rest].concat())
        })
    };
    let text = prop::collection::vec(1u8.., 0..5).prop_map(|text| [text, vec![0]].concat());
    match field {
        Field::Skip(length) => some(length),
        Field::Times(each) => counted(each).boxed(),
        Field::Size16 => counted(1).boxed(),
        Field::Size32 => counted(1).prop_map(|sized| [&sized[..2], &[0, 0], &sized[2..]].concat()).boxed(),
        // Names are of one byte a character in all lists made here.
        Field::Wide => Just(vec![0]).boxed(),
        Field::Text | Field::Name => text.boxed(),
        Field::IfSet(length) => {
            prop_oneof![Just(vec![0]), some(length).prop_map(|more| [vec![1], more].concat())].boxed()
        }
        Field::IfZero(length) => {
            prop_oneof![Just(vec![1]), some(length).prop_map(|more| [vec![0], more].concat())].boxed()
        }
        Field::Babe(length) => {
            prop_oneof![Just(vec![0, 1]), some(length).prop_map(|more| [vec![0xBE, 0xBA], more].concat())]
                .boxed()
        }
        Field::Sorts => {
            counted(5).prop_map(|orders| [&orders[..2], &[1, 0, 1, 0], &orders[2..]].concat()).boxed()
        }
        Field::Recipients => (counted(4), some(5), counted(1))
            .prop_map(|(columns, row, data)| [columns, vec![1, 0], row, data].concat())
            .boxed(),
        Field::Names => some(20).prop_map(|number| [vec![1, 0, 0], number].concat()).boxed(),
        Field::Values => some(4).prop_map(|value| [vec![1, 0, 3, 0, 0x17, 0], value].concat()).boxed(),
        Field::Rows => some(4).prop_map(|value| [vec![1, 0, 1, 1, 0, 3, 0, 0x17, 0], value].concat()).boxed(),
        // Logons keep their kind: 9 is to public folders, all others are to mailboxes.
        Field::LogonKind => Just(vec![u8::from(logon != 9)]).boxed(),
        Field::Public(length) => some(if logon == 9 { length } else { 0 }),
        Field::PerUser => some(if logon == 9 { 0 } else { 16 })
            .prop_map(|more| [vec![0, 0, 0, 0, 1, 0, 7], more].concat())
            .boxed(),
    }
}

/// A ROP of any kind with anything in it.
fn any_rop() -> impl Strategy<Value = Vec<u8>> {
    (0..TABLE.len(), 7u8..11, any::<u8>()).prop_flat_map(|(place, logon, handle)| {
        let fields: Vec<_> = TABLE[place].fields.iter().map(|kind| field(*kind, logon)).collect();
        fields.prop_map(move |fields| [vec![TABLE[place].id, logon, handle], fields.concat()].concat())
    })
}

proptest! {
    #[test]
    fn every_list_of_rops_is_split_where_they_were_joined(rops in prop::collection::vec(any_rop(), 0..20)) {
        let expected: Vec<_> = rops.iter().map(|rop| (RopId(rop[0]), rop.len())).collect();
        prop_assert_eq!(split(&rops.concat()), Ok(expected));
    }

    #[test]
    fn every_rop_that_is_cut_off_is_an_error(rop in any_rop(), cut in any::<prop::sample::Index>()) {
        let cut = &rop[..cut.index(rop.len())];
        prop_assert!(cut.is_empty() || matches!(split(cut), Err(Malformed::Ends(_))));
    }

    #[test]
    fn any_bytes_are_rops_or_an_error(place in 0..TABLE.len(), bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = split(&bytes);
        let _ = split(&[&[TABLE[place].id][..], &bytes].concat());
    }
}
