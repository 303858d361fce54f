//! What stands in a row's cells, as far as it is there and of the kind that one expects.

#[cfg(test)]
mod tests;

use weir_units::WallTime;
use weir_wire::mapi::property::PropertyValue;
use weir_wire::mapi::row::Cell;

/// Microseconds from the beginning of 1601 to that of 1970.
const EPOCHS_APART: i64 = 11_644_473_600_000_000;

fn value(row: &[Cell], place: usize) -> Option<&PropertyValue> {
    row.get(place).and_then(Cell::value)
}

/// An identifier; 0, which nothing has, where there is none.
pub(super) fn id(row: &[Cell], place: usize) -> u64 {
    match value(row, place) {
        Some(PropertyValue::Integer64(id)) => u64::from_le_bytes(id.to_le_bytes()),
        Some(_) | None => 0,
    }
}

/// A number.
pub(super) fn number(row: &[Cell], place: usize) -> Option<i64> {
    match value(row, place) {
        Some(PropertyValue::Integer16(number)) => Some((*number).into()),
        Some(PropertyValue::Integer32(number)) => Some((*number).into()),
        Some(PropertyValue::Integer64(number)) => Some(*number),
        Some(_) | None => None,
    }
}

/// How many, where it is a number that counts; else none.
pub(super) fn count(row: &[Cell], place: usize) -> u32 {
    number(row, place).and_then(|number| number.try_into().ok()).unwrap_or(0)
}

/// A text; an empty one, where there is none.
pub(super) fn text(row: &[Cell], place: usize) -> String {
    match value(row, place) {
        Some(PropertyValue::Unicode(text)) => text.clone(),
        Some(PropertyValue::String8(text)) => String::from_utf8_lossy(text).into_owned(),
        Some(_) | None => String::new(),
    }
}

/// A time.
pub(super) fn time(row: &[Cell], place: usize) -> Option<WallTime> {
    let Some(PropertyValue::Time(time)) = value(row, place) else { return None };
    let micros = i64::try_from(time / 10).ok()?;
    micros.checked_sub(EPOCHS_APART).map(WallTime::from_unix_micros)
}
