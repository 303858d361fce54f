use weir_wire::mapi::error_code::ErrorCode;

use super::*;

#[test]
fn what_is_not_there_or_of_another_kind_is_nothing() {
    let row = [Cell::Absent, Cell::Error(ErrorCode::NOT_FOUND), PropertyValue::Boolean(true).into()];
    for place in 0..4 {
        assert_eq!((id(&row, place), number(&row, place)), (0, None));
        assert_eq!((text(&row, place), time(&row, place), count(&row, place)), (String::new(), None, 0));
    }
}

#[test]
fn times_count_tenths_of_microseconds_from_1601() {
    let row = [PropertyValue::Time(116_444_736_000_000_000).into(), PropertyValue::Time(0).into()];
    assert_eq!(time(&row, 0), Some(WallTime::from_unix_micros(0)));
    assert_eq!(time(&row, 1), Some(WallTime::from_unix_micros(-11_644_473_600_000_000)));
}

#[test]
fn an_identifier_has_all_its_bits() {
    assert_eq!(id(&[PropertyValue::Integer64(-1).into()], 0), u64::MAX);
    assert_eq!(number(&[PropertyValue::Integer16(-3).into()], 0), Some(-3));
}
