use proptest::prelude::*;

use super::*;

/// How much of the bytes a tagged value of that type takes.
fn taken(kind: u16, value: &[u8]) -> Result<usize, Malformed> {
    let bytes = [&kind.to_le_bytes()[..], &[0x37, 0], value, b"rest"].concat();
    let mut reader = Reader::new(&bytes);
    skip_tagged(&mut reader, 0)?;
    Ok(bytes.len() - reader.rest().len() - 4)
}

#[test]
fn values_of_every_type_are_as_long_as_they_are() {
    for (kind, value) in [
        (0x0001, &[][..]),
        (0x0002, &[1, 2]),
        (0x0003, &[1; 4]),
        (0x0004, &[1; 4]),
        (0x0005, &[1; 8]),
        (0x0006, &[1; 8]),
        (0x0007, &[1; 8]),
        (0x000A, &[1; 4]),
        (0x000B, &[1]),
        (0x0014, &[1; 8]),
        (0x001E, b"text\0"),
        (0x001F, b"t\0x\0\0\0"),
        (0x0040, &[1; 8]),
        (0x0048, &[1; 16]),
        (0x00FB, &[2, 0, 1, 1]),
        (0x00FE, &[2, 0, 1, 0, 9, 0, 0]),
        (0x0102, &[3, 0, 1, 2, 3]),
        // Several values are counted in four bytes, the bytes of each in two.
        (0x1002, &[2, 0, 0, 0, 1, 1, 2, 2]),
        (0x1003, &[0, 0, 0, 0]),
        (0x101E, b"\x02\0\0\0a\0b\0"),
        (0x101F, b"\x01\0\0\0a\0\0\0"),
        (0x1102, &[1, 0, 0, 0, 1, 0, 7]),
        (0x1014, &[1, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9]),
        // One of several is one.
        (0x3003, &[1; 4]),
        (0x301F, b"t\0\0\0"),
    ] {
        assert_eq!(taken(kind, value), Ok(value.len()), "{kind:#06x}");
    }
}

#[test]
fn types_without_a_known_length_are_errors() {
    for kind in [0x0000, 0x000D, 0x0FFF, 0x2003, 0x4003] {
        assert_eq!(taken(kind, &[0; 8]), Err(Malformed::UnknownType(kind)), "{kind:#06x}");
    }
    assert_eq!(
        taken(0x1001, &[0xFF; 4]),
        Err(Malformed::UnknownType(0x1001)),
        "values without bytes, without end"
    );
}

#[test]
fn restrictions_of_every_kind_are_as_long_as_they_are() {
    let exists = [8, 0x1F, 0, 0x37, 0];
    let long = [4, 3, 0, 0, 0x17, 0, 3, 0, 0x17, 0, 1, 0, 0, 0];
    let content = b"\x03\x01\0\x01\0\x1F\0\x37\0\x1F\0\x37\0a\0\0\0";
    for restriction in [
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
        assert_eq!(taken(0x00FD, &restriction), Ok(restriction.len()), "{restriction:?}");
    }
    assert_eq!(taken(0x00FD, &[0x0C]), Err(Malformed::Wrong("the kind of a restriction")));
}

#[test]
fn restrictions_nest_as_deep_as_the_limit_and_no_deeper() {
    let nested = |depth: usize| [vec![2; depth - 1], vec![8, 0, 0, 0, 0]].concat();
    assert_eq!(taken(0x00FD, &nested(MAX_RESTRICTION_DEPTH)), Ok(MAX_RESTRICTION_DEPTH + 4));
    let too_deep = Malformed::TooLong { what: "the nesting of restrictions", limit: MAX_RESTRICTION_DEPTH };
    assert_eq!(taken(0x00FD, &nested(MAX_RESTRICTION_DEPTH + 1)), Err(too_deep));
    // A restriction as the value of a restriction counts on.
    let within = [4, 0, 0, 0, 0, 0, 0xFD, 0, 0, 0].repeat(MAX_RESTRICTION_DEPTH + 1);
    assert_eq!(taken(0x00FD, &within), Err(too_deep));
}

proptest! {
    #[test]
    fn any_bytes_are_passed_over_or_an_error(bytes in prop::collection::vec(0u8..16, 0..200)) {
        let _ = skip_values(&mut Reader::new(&bytes));
        let _ = skip_restriction(&mut Reader::new(&bytes), 0);
    }
}
