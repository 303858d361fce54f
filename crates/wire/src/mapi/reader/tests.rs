use super::*;

#[test]
fn a_field_is_taken_whole_or_not_at_all() {
    let mut reader = Reader::new(&[1, 2, 3]);
    assert_eq!(reader.u32("a number"), Err(Malformed::Ends("a number")));
    assert_eq!(reader.u16("a number"), Ok(0x0201));
    assert_eq!(reader.sized32("data"), Err(Malformed::Ends("data")));
    assert_eq!(reader.rest(), [3]);
    assert_eq!(reader.end("it"), Err(Malformed::Left("it")));
}

#[test]
fn text_goes_to_its_zero_and_two_byte_text_to_a_pair_of_zeros() {
    let mut reader = Reader::new(b"ab\0\0c\0\0\0z");
    assert_eq!(reader.text8("a name"), Ok(&b"ab"[..]));
    // A zero that is half of a character ends nothing.
    assert_eq!(reader.text16("a name"), Ok(&b"\0c"[..]));
    assert_eq!(reader.text16("a name"), Err(Malformed::Ends("a name")));
    assert_eq!(reader.text8("a name"), Ok(&[][..]));
    assert_eq!(reader.text8("a name"), Err(Malformed::Ends("a name")));
}

#[test]
fn numbers_that_overflow_are_ends() {
    let mut reader = Reader::new(&[0; 8]);
    assert_eq!(reader.skip(usize::MAX, 2, "values"), Err(Malformed::Ends("values")));
}
