use proptest::prelude::*;

use super::*;

#[test]
fn time_is_counted_from_1601_in_tenths_of_microseconds() {
    assert_eq!(to_filetime(WallTime::from_unix_micros(0)), 116_444_736_000_000_000);
    assert_eq!(from_filetime(116_444_736_000_000_010), WallTime::from_unix_micros(1));
    assert_eq!(to_filetime(WallTime::from_unix_micros(i64::MIN)), 0, "before 1601");
}

#[test]
fn a_value_that_cannot_stand_in_a_type_is_not_there() {
    assert_eq!(to_mapi(&Value::Text("7".to_owned()), PropertyType::INTEGER32), None);
    assert_eq!(to_mapi(&Value::Integer(1 << 40), PropertyType::INTEGER32), None);
    assert_eq!(
        to_mapi(&Value::Integer(1 << 40), PropertyType::INTEGER64),
        Some(PropertyValue::Integer64(1 << 40))
    );
    assert_eq!(to_mapi(&Value::Integer(1), PropertyType::BOOLEAN), Some(PropertyValue::Boolean(true)));
}

#[test]
fn letters_beyond_latin_1_become_question_marks_in_one_byte() {
    assert_eq!(to_narrow("Grüße – ☃"), b"Gr\xfc\xdfe ? ?");
    assert_eq!(from_narrow(b"Gr\xfc\xdfe"), "Grüße");
    assert_eq!(from_narrow("Grüße – ☃".as_bytes()), "Grüße – ☃", "UTF-8 is read as that");
}

#[test]
fn half_a_pair_of_utf_16_becomes_a_replacement_character() {
    assert_eq!(from_utf16(&[0x3d, 0xd8, 0x41, 0x00, 0x42]), "\u{FFFD}A");
}

fn stored() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<String>().prop_map(Value::Text),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|number| Value::Integer(number.into())),
        prop::num::f64::NORMAL.prop_map(Value::Double),
        (0..4_000_000_000_000_000_i64).prop_map(|micros| Value::Time(WallTime::from_unix_micros(micros))),
        any::<Vec<u8>>().prop_map(Value::Bytes),
        any::<Vec<String>>().prop_map(Value::Texts),
    ]
}

proptest! {
    #[test]
    fn what_the_store_has_comes_back_as_it_was(value in stored()) {
        let sent = to_mapi(&value, PropertyType::UNSPECIFIED).unwrap();
        prop_assert!(ews_kind(sent.kind()).is_some());
        prop_assert_eq!(mapi_kind(ews_kind(sent.kind()).unwrap()), Some(sent.kind()));
        prop_assert_eq!(to_store(&sent), Some(value));
    }
}
