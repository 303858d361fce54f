use proptest::prelude::*;

use super::super::restriction::MAX_RESTRICTION_DEPTH;
use super::super::restriction::tests::any_restriction;
use super::*;

/// Text that can be sent: without zeros.
pub(in super::super) fn any_text() -> impl Strategy<Value = String> {
    "[a-zé€𝄞]{0,6}"
}

/// Bytes that end with a zero where they are sent.
pub(in super::super) fn any_text8() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(1u8.., 0..6)
}

/// A tag of any property, of a type that has values.
pub(in super::super) fn any_tag() -> impl Strategy<Value = PropertyTag> {
    (any::<u16>(), any_simple_value()).prop_map(|(id, value)| PropertyTag::new(id, value.kind()))
}

/// A value that holds no other.
pub(in super::super) fn any_simple_value() -> BoxedStrategy<PropertyValue> {
    use PropertyValue as V;
    fn several<T: std::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
        prop::collection::vec(one, 0..4)
    }
    let float32 = || any::<f32>().prop_filter("equal to itself", |float| !float.is_nan());
    let float64 = || any::<f64>().prop_filter("equal to itself", |float| !float.is_nan());
    let bytes = || prop::collection::vec(any::<u8>(), 0..6);
    let single = prop_oneof![
        Just(V::Null),
        any::<i16>().prop_map(V::Integer16),
        any::<i32>().prop_map(V::Integer32),
        float32().prop_map(V::Floating32),
        float64().prop_map(V::Floating64),
        any::<i64>().prop_map(V::Currency),
        float64().prop_map(V::FloatingTime),
        any::<u32>().prop_map(V::ErrorCode),
        any::<bool>().prop_map(V::Boolean),
        any::<i64>().prop_map(V::Integer64),
        any_text8().prop_map(V::String8),
        any_text().prop_map(V::Unicode),
        any::<u64>().prop_map(V::Time),
        any::<[u8; 16]>().prop_map(V::Guid),
        bytes().prop_map(V::ServerId),
        several(bytes()).prop_map(V::RuleAction),
        bytes().prop_map(V::Binary),
    ];
    let multiple = prop_oneof![
        several(any::<i16>()).prop_map(V::MultipleInteger16),
        several(any::<i32>()).prop_map(V::MultipleInteger32),
        several(float32()).prop_map(V::MultipleFloating32),
        several(float64()).prop_map(V::MultipleFloating64),
        several(any::<i64>()).prop_map(V::MultipleCurrency),
        several(float64()).prop_map(V::MultipleFloatingTime),
        several(any::<i64>()).prop_map(V::MultipleInteger64),
        several(any_text8()).prop_map(V::MultipleString8),
        several(any_text()).prop_map(V::MultipleUnicode),
        several(any::<u64>()).prop_map(V::MultipleTime),
        several(any::<[u8; 16]>()).prop_map(V::MultipleGuid),
        several(bytes()).prop_map(V::MultipleBinary),
    ];
    prop_oneof![2 => single, 1 => multiple].boxed()
}

/// A value of any type.
pub(in super::super) fn any_value() -> impl Strategy<Value = PropertyValue> {
    prop_oneof![
        9 => any_simple_value(),
        1 => any_restriction().prop_map(|restriction| PropertyValue::Restriction(Box::new(restriction))),
    ]
}

/// A property with a value of its type.
pub(in super::super) fn any_tagged(
    value: impl Strategy<Value = PropertyValue>,
) -> impl Strategy<Value = TaggedValue> {
    (any::<u16>(), value).prop_map(|(id, value)| TaggedValue::new(PropertyTag::new(id, value.kind()), value))
}

/// Reads a tagged value and writes it again; tells how long it is.
fn taken(kind: u16, value: &[u8]) -> Result<usize, Malformed> {
    let bytes = [&kind.to_le_bytes()[..], &[0x37, 0], value, b"rest"].concat();
    let mut reader = Reader::new(&bytes);
    let tagged: TaggedValue = Plain::read(&mut reader, "it")?;
    let mut written = Vec::new();
    Plain::write(&tagged, &mut written);
    let taken = bytes.len() - reader.rest().len();
    assert_eq!(written, bytes[..taken], "{tagged:?}");
    Ok(taken - 4)
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
        (0x00FD, &[8, 0x1F, 0, 0x37, 0]),
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
    for kind in [0x0000, 0x000D, 0x0FFF, 0x1001, 0x2003, 0x4003] {
        assert_eq!(taken(kind, &[0; 8]), Err(Malformed::UnknownType(kind)), "{kind:#06x}");
    }
}

#[test]
fn a_restriction_as_the_value_of_a_restriction_nests() {
    let within = [4, 0, 0, 0, 0, 0, 0xFD, 0, 0, 0].repeat(MAX_RESTRICTION_DEPTH + 1);
    let too_deep = Malformed::TooLong { what: "the nesting of restrictions", limit: MAX_RESTRICTION_DEPTH };
    assert_eq!(taken(0x00FD, &within), Err(too_deep));
}

#[test]
fn a_tag_is_a_property_and_a_type() {
    assert_eq!(tag::DISPLAY_NAME, PropertyTag(0x3001_001F));
    assert_eq!((tag::MID.id(), tag::MID.kind()), (0x674A, PropertyType::INTEGER64));
    assert_eq!(tag::HTML.with_kind(PropertyType::UNICODE), tag::BODY_HTML);
    assert!(PropertyTag(0x8005_001F).is_named() && !tag::SUBJECT.is_named());
}

#[test]
fn a_value_that_is_not_of_its_tags_type_is_sent_with_the_type_it_has() {
    let mut out = Vec::new();
    Plain::write(&TaggedValue::new(tag::SUBJECT, PropertyValue::Boolean(true)), &mut out);
    assert_eq!(out, [0x0B, 0, 0x37, 0, 1]);
}

proptest! {
    #[test]
    fn every_value_is_read_as_it_was_written(tagged in any_tagged(any_value()), cut: prop::sample::Index) {
        let mut bytes = Vec::new();
        Plain::write(&tagged, &mut bytes);
        let mut reader = Reader::new(&bytes);
        prop_assert_eq!(Plain::read(&mut reader, "it"), Ok(tagged));
        prop_assert!(reader.is_empty());
        let cut: Result<TaggedValue, _> = Plain::read(&mut Reader::new(&bytes[..cut.index(bytes.len())]), "it");
        prop_assert!(matches!(cut, Err(Malformed::Ends(_))));
    }

    #[test]
    fn any_bytes_are_a_value_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..100), value in any_value()) {
        let _ = PropertyValue::read(value.kind(), &mut Reader::new(&bytes));
    }
}
