use proptest::prelude::*;

use super::super::property::tag;
use super::super::property::tests::{any_tag, any_value};
use super::super::tests::bytes;
use super::*;

/// Columns and a cell for each, some of the columns without a type.
pub(in super::super) fn any_row() -> impl Strategy<Value = (Vec<PropertyTag>, Vec<Cell>)> {
    let cell = prop_oneof![
        4 => any_value().prop_map(Cell::Value),
        1 => Just(Cell::Absent),
        1 => any::<u32>().prop_map(|code| Cell::Error(ErrorCode(code))),
    ];
    let column = (cell, any_tag(), any::<bool>()).prop_map(|(cell, tag, typed)| {
        let kind = cell.value().map_or(tag.kind(), PropertyValue::kind);
        (tag.with_kind(if typed { kind } else { PropertyType::UNSPECIFIED }), cell)
    });
    prop::collection::vec(column, 0..6).prop_map(|columns| columns.into_iter().unzip())
}

fn written(columns: &[PropertyTag], cells: &[Cell]) -> Vec<u8> {
    let mut out = Vec::new();
    write(columns, cells, &mut out);
    out
}

#[test]
fn a_row_of_values_is_only_the_values() {
    let columns = [tag::CONTENT_COUNT, tag::DISPLAY_NAME];
    let cells = [PropertyValue::Integer32(13).into(), PropertyValue::Unicode("In".into()).into()];
    assert_eq!(written(&columns, &cells), bytes("00 0D000000 49006E000000"));
    assert_eq!(read(&columns, &bytes("00 0D000000 49006E000000 FF")), Ok((cells.to_vec(), &[0xFF][..])));
}

#[test]
fn a_row_with_a_cell_that_has_no_value_says_of_each_what_it_has() {
    let columns = [tag::CONTENT_COUNT, tag::COMMENT, tag::DISPLAY_NAME];
    let cells = [PropertyValue::Integer32(13).into(), Cell::Absent, Err(ErrorCode::NOT_ENOUGH_MEMORY).into()];
    assert_eq!(written(&columns, &cells), bytes("01 00 0D000000 01 0A 0E000780"));
}

#[test]
fn a_cell_of_a_column_without_a_type_says_its_own() {
    let columns = [PropertyTag(0x3001_0000), PropertyTag(0x3602_0000)];
    let name = Cell::Value(PropertyValue::Unicode("A".into()));
    let count = Cell::Value(PropertyValue::Integer32(1));
    assert_eq!(written(&columns, &[name.clone(), count]), bytes("00 1F00 41000000 0300 01000000"));
    let failed = Cell::Error(ErrorCode::NOT_FOUND);
    assert_eq!(written(&columns, &[name, failed]), bytes("01 1F00 00 41000000 0A00 0A 0F010480"));
}

#[test]
fn a_cell_that_does_not_fit_its_column_cannot_shift_the_others() {
    let columns = [tag::CONTENT_COUNT, tag::READ];
    let cells = [Cell::Value(PropertyValue::Integer64(1)), Cell::Value(PropertyValue::Boolean(true))];
    assert_eq!(written(&columns, &cells), bytes("01 0A 04030480 00 01"));
    // One that is missing is absent, one too many nowhere.
    assert_eq!(written(&columns, &[]), bytes("01 01 01"));
    assert_eq!(written(&[], &cells), bytes("00"));
}

#[test]
fn a_row_for_one_of_several_values_has_one() {
    let columns = [PropertyTag(0x8005_301F)];
    let cells = [Cell::Value(PropertyValue::Unicode("red".into()))];
    let row = written(&columns, &cells);
    assert_eq!(read(&columns, &row), Ok((cells.to_vec(), &[][..])));
}

#[test]
fn a_column_of_nothing_takes_up_a_byte() {
    let columns = [PropertyTag(0x3001_0001), tag::READ];
    let cells = [PropertyValue::Null.into(), PropertyValue::Boolean(true).into()];
    assert_eq!(written(&columns, &cells), bytes("01 00 00 01"));
    assert_eq!(read(&columns, &bytes("00 01")), Err(Malformed::UnknownType(1)));
    assert_eq!(read(&[PropertyTag(0x3001_3001)], &bytes("00")), Err(Malformed::UnknownType(0x3001)));
}

#[test]
fn what_no_row_has_is_an_error() {
    assert_eq!(read(&[], &[2]), Err(Malformed::Wrong("the kind of a row")));
    assert_eq!(read(&[tag::READ], &[1, 2]), Err(Malformed::Wrong("the flag of a cell")));
}

proptest! {
    #[test]
    fn every_row_is_read_as_it_was_written((columns, cells) in any_row(), cut: prop::sample::Index) {
        let row = written(&columns, &cells);
        prop_assert_eq!(read(&columns, &row), Ok((cells, &[][..])));
        let cut = read(&columns, &row[..cut.index(row.len())]);
        prop_assert!(matches!(cut, Err(Malformed::Ends(_))));
    }

    #[test]
    fn any_bytes_are_a_row_or_an_error((columns, _) in any_row(), row in prop::collection::vec(0u8..12, 0..100)) {
        let _ = read(&columns, &row);
    }
}
