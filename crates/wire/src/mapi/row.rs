//! Rows of properties: one cell a column, without tags (MS-OXCDATA, section 2.8.1).
//!
//! Where every cell has a value a row is nothing but the values. Else each cell says whether it has one, has none, or
//! why not. A column without a type has cells that say their own. Each cell takes up a byte at least, so that columns
//! of nothing, as many as a client may name, multiply to nothing with rows.

#[cfg(test)]
pub(super) mod tests;

use super::Malformed;
use super::codec::{Codec, Plain};
use super::error_code::ErrorCode;
use super::property::{PropertyTag, PropertyType, PropertyValue};
use super::reader::Reader;

/// What a row has in a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A value.
    Value(PropertyValue),
    /// Nothing, and nothing is said about it.
    Absent,
    /// No value, for that reason.
    Error(ErrorCode),
}

impl Cell {
    /// The value, if there is one.
    pub const fn value(&self) -> Option<&PropertyValue> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Error(_) => None,
        }
    }

    /// Whether it can stand in a column of that type.
    fn fits(&self, kind: PropertyType) -> bool {
        let fits = |value: &PropertyValue| kind == PropertyType::UNSPECIFIED || value.kind() == kind.single();
        self.value().is_none_or(fits)
    }
}

impl From<Result<PropertyValue, ErrorCode>> for Cell {
    fn from(result: Result<PropertyValue, ErrorCode>) -> Self {
        result.map_or_else(Self::Error, Self::Value)
    }
}

impl From<PropertyValue> for Cell {
    fn from(value: PropertyValue) -> Self {
        Self::Value(value)
    }
}

const ROW: &str = "a row of properties";

/// The kinds of rows.
const VALUES: u8 = 0;
const FLAGGED: u8 = 1;

/// What a cell of a flagged row has.
const VALUE: u8 = 0;
const ABSENT: u8 = 1;
const ERROR: u8 = 0x0A;

/// Whether values of that type have no bytes.
fn is_nothing(kind: PropertyType) -> bool {
    kind.single() == PropertyType::NULL
}

/// Appends a row of these columns. A cell that is missing is absent; a value of another type than its column's is an
/// error, [`ErrorCode::UNEXPECTED_TYPE`].
pub fn write(columns: &[PropertyTag], cells: &[Cell], out: &mut Vec<u8>) {
    let cells = || {
        let cells = cells.iter().chain(std::iter::repeat(&Cell::Absent));
        columns.iter().map(|column| column.kind()).zip(cells).map(|(kind, cell)| {
            (kind, if cell.fits(kind) { cell } else { &Cell::Error(ErrorCode::UNEXPECTED_TYPE) })
        })
    };
    let flagged = cells().any(|(kind, cell)| is_nothing(kind) || cell.value().is_none());
    out.push(if flagged { FLAGGED } else { VALUES });
    for (kind, cell) in cells() {
        if kind == PropertyType::UNSPECIFIED {
            let kind = match cell {
                Cell::Value(value) => value.kind(),
                Cell::Absent => PropertyType::NULL,
                Cell::Error(_) => PropertyType::ERROR_CODE,
            };
            Plain::write(&kind, out);
        }
        match cell {
            Cell::Value(value) => {
                out.extend(flagged.then_some(VALUE));
                value.write(out);
            }
            Cell::Absent => out.push(ABSENT),
            Cell::Error(code) => {
                out.push(ERROR);
                Plain::write(code, out);
            }
        }
    }
}

/// Reads the row of these columns that bytes begin with, and gives it with what follows.
///
/// # Errors
///
/// What is no such row.
pub fn read<'a>(columns: &[PropertyTag], bytes: &'a [u8]) -> Result<(Vec<Cell>, &'a [u8]), Malformed> {
    let mut reader = Reader::new(bytes);
    let cells = take(columns, &mut reader)?;
    Ok((cells, reader.rest()))
}

/// Takes a row of these columns.
pub(super) fn take(columns: &[PropertyTag], reader: &mut Reader<'_>) -> Result<Vec<Cell>, Malformed> {
    let flagged = match reader.u8(ROW)? {
        VALUES => false,
        FLAGGED => true,
        _ => return Err(Malformed::Wrong("the kind of a row")),
    };
    let cells = columns.iter().map(|column| {
        let kind = match column.kind() {
            PropertyType::UNSPECIFIED => Plain::read(reader, ROW)?,
            kind if is_nothing(kind) && !flagged => return Err(Malformed::UnknownType(kind.0)),
            kind => kind,
        };
        match if flagged { reader.u8(ROW)? } else { VALUE } {
            VALUE => PropertyValue::read(kind, reader).map(Cell::Value),
            ABSENT => Ok(Cell::Absent),
            ERROR => Plain::read(reader, ROW).map(Cell::Error),
            _ => Err(Malformed::Wrong("the flag of a cell")),
        }
    });
    cells.collect()
}
