use proptest::prelude::*;

use super::super::tests::any_text;
use super::*;

pub(in super::super::super) fn any_name() -> impl Strategy<Value = PropertyName> {
    let name =
        prop_oneof![any::<u32>().prop_map(Name::Number), any_text().prop_map(Name::Text), Just(Name::None)];
    (any::<[u8; 16]>(), name).prop_map(|(namespace, name)| PropertyName { namespace, name })
}

#[test]
fn a_name_is_as_long_as_it_is() {
    let named = |name| PropertyName { namespace: [7; 16], name };
    for (name, end) in [
        (named(Name::Number(0x8205)), &[0x05, 0x82, 0, 0][..]),
        (named(Name::Text("ab".into())), b"\x06a\0b\0\0\0"),
        (named(Name::None), &[]),
    ] {
        let mut out = Vec::new();
        Plain::write(&name, &mut out);
        assert_eq!(&out[1..17], [7; 16]);
        assert_eq!(&out[17..], end);
        assert_eq!(Plain::read(&mut Reader::new(&out), "it"), Ok(name));
    }
}

#[test]
fn a_name_that_is_too_long_is_cut_off() {
    let mut out = Vec::new();
    Plain::write(&PropertyName { namespace: [0; 16], name: Name::Text("é".repeat(200)) }, &mut out);
    let read: PropertyName = Plain::read(&mut Reader::new(&out), "it").unwrap();
    assert_eq!(read.name, Name::Text("é".repeat(MAX_NAME)));
}

#[test]
fn a_name_without_its_zero_is_read_unless_it_is_longer_than_can_be_written() {
    let read = |units: u8| -> Result<PropertyName, _> {
        let bytes = [&[TEXT][..], &[7; 16], &[2 * units], &b"a\0".repeat(units.into())].concat();
        Plain::read(&mut Reader::new(&bytes), "it")
    };
    assert_eq!(read(126).unwrap().name, Name::Text("a".repeat(MAX_NAME)));
    assert_eq!(read(127), Err(Malformed::TooLong { what: "a property's name", limit: MAX_NAME }));
}
