use proptest::prelude::*;

use super::super::property::tests::{any_simple_value, any_tag, any_tagged};
use super::*;

/// A restriction that nests a few levels.
pub(in super::super) fn any_restriction() -> impl Strategy<Value = Restriction> {
    use Restriction as R;
    let operator = || any::<u8>().prop_map(Operator);
    let value = || any_tagged(any_simple_value());
    let leaf = prop_oneof![
        (any::<u16>(), any::<u16>(), any_tag(), value())
            .prop_map(|(place, fuzziness, tag, value)| R::Content { place, fuzziness, tag, value }),
        (operator(), any_tag(), value()).prop_map(|(operator, tag, value)| R::Property {
            operator,
            tag,
            value
        }),
        (operator(), any_tag(), any_tag()).prop_map(|(operator, left, right)| R::CompareProperties {
            operator,
            left,
            right
        }),
        (any::<bool>(), any_tag(), any::<u32>()).prop_map(|(set, tag, mask)| R::BitMask { set, tag, mask }),
        (operator(), any_tag(), any::<u32>()).prop_map(|(operator, tag, size)| R::Size {
            operator,
            tag,
            size
        }),
        any_tag().prop_map(R::Exist),
    ];
    leaf.prop_recursive(4, 16, 3, move |inner| {
        let several = prop::collection::vec(inner.clone(), 0..3);
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            several.clone().prop_map(R::And),
            several.prop_map(R::Or),
            boxed.clone().prop_map(R::Not),
            (any_tag(), boxed.clone()).prop_map(|(of, restriction)| R::SubRestriction { of, restriction }),
            (any::<u32>(), boxed.clone()).prop_map(|(count, restriction)| R::Count { count, restriction }),
            (prop::collection::vec(any_tagged(any_simple_value()), 0..3), prop::option::of(boxed))
                .prop_map(|(values, restriction)| R::Comment { values, restriction }),
        ]
    })
}

#[test]
fn restrictions_of_every_kind_are_written_as_they_were_read() {
    let exists = [8, 0x1F, 0, 0x37, 0];
    let long = [4, 3, 0, 0, 0x17, 0, 3, 0, 0x17, 0, 1, 0, 0, 0];
    let content = b"\x03\x01\0\x01\0\x1F\0\x37\0\x1F\0\x37\0a\0\0\0";
    for bytes in [
        exists.to_vec(),
        long.to_vec(),
        content.to_vec(),
        [&[0, 3, 0][..], &exists, &long, content].concat(),
        vec![1, 0, 0],
        [&[2][..], &exists].concat(),
        [&[5, 0][..], &[1; 8]].concat(),
        [&[6, 0][..], &[1; 8]].concat(),
        [&[7, 0][..], &[1; 8]].concat(),
        [&[9, 0x0D, 0, 0x12, 0x0E][..], &exists].concat(),
        [&[0x0B, 5, 0, 0, 0][..], &long].concat(),
        vec![0x0A, 1, 0x0B, 0, 1, 0, 1, 0],
        [&[0x0A, 0, 1][..], &exists].concat(),
    ] {
        let restriction = Restriction::read(&bytes).unwrap();
        let mut written = Vec::new();
        restriction.write(&mut written);
        assert_eq!(written, bytes, "{restriction:?}");
    }
    assert_eq!(Restriction::read(&[0x0C]), Err(Malformed::Wrong("the kind of a restriction")));
    assert_eq!(Restriction::read(&[1, 0, 0, 0]), Err(Malformed::Left("a restriction")));
}

#[test]
fn restrictions_nest_as_deep_as_the_limit_and_no_deeper() {
    let nested = |depth: usize| Restriction::read(&[vec![2; depth - 1], vec![8, 0, 0, 0, 0]].concat());
    assert!(nested(MAX_RESTRICTION_DEPTH).is_ok());
    let too_deep = Malformed::TooLong { what: "the nesting of restrictions", limit: MAX_RESTRICTION_DEPTH };
    assert_eq!(nested(MAX_RESTRICTION_DEPTH + 1), Err(too_deep));
    // Side by side they are not nested.
    let beside = [&[0, 200, 0][..], &[8, 0, 0, 0, 0].repeat(200)].concat();
    assert!(Restriction::read(&beside).is_ok());
}

proptest! {
    #[test]
    fn every_restriction_is_read_as_it_was_written(restriction in any_restriction(), cut: prop::sample::Index) {
        let mut bytes = Vec::new();
        restriction.write(&mut bytes);
        prop_assert_eq!(Restriction::read(&bytes), Ok(restriction));
        let cut = Restriction::read(&bytes[..cut.index(bytes.len())]);
        prop_assert!(matches!(cut, Err(Malformed::Ends(_))));
    }

    #[test]
    fn any_bytes_are_a_restriction_or_an_error(bytes in prop::collection::vec(0u8..16, 0..200)) {
        let _ = Restriction::read(&bytes);
    }
}
