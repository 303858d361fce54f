//! What ROPs for tables give.

use super::super::Malformed;
use super::super::codec::{Codec, Plain, layout};
use super::super::property::PropertyTag;
use super::super::reader::Reader;
use super::super::row::{self, Cell};
use super::ByColumns;

layout! {
    /// Whether a table is busy.
    pub struct TableStatus {
        /// [`Self::COMPLETE`] or what it is doing.
        status: u8,
    }

    /// Where the cursor is.
    pub struct QueryPosition {
        /// The row.
        numerator: u32,
        /// How many rows there are.
        denominator: u32,
    }

    /// How far the cursor moved.
    pub struct SeekRow {
        /// Whether by fewer rows than it was to.
        fewer: bool,
        /// By how many, backwards where it is negative.
        rows: i32,
    }
}

impl TableStatus {
    /// It is not busy.
    pub const COMPLETE: u8 = 0x00;
    /// It is being sorted.
    pub const SORTING: u8 = 0x09;
    /// Its columns are being set.
    pub const SETTING_COLUMNS: u8 = 0x0B;
    /// Its rows are being chosen.
    pub const RESTRICTING: u8 = 0x0E;
}

/// Rows of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryRows {
    /// Where the cursor is: [`SeekRow`](super::super::call::table::SeekRow) has the numbers.
    pub origin: u8,
    /// The columns, which are not sent.
    pub columns: Vec<PropertyTag>,
    /// The rows, each with a cell a column.
    pub rows: Vec<Vec<Cell>>,
}

impl ByColumns for QueryRows {
    fn read(columns: &[PropertyTag], reader: &mut Reader<'_>, what: &'static str) -> Result<Self, Malformed> {
        let origin = reader.u8(what)?;
        let rows = (0..reader.u16(what)?).map(|_| row::take(columns, reader)).collect::<Result<_, _>>()?;
        Ok(Self { origin, columns: columns.to_vec(), rows })
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.origin);
        let count = u16::try_from(self.rows.len()).unwrap_or(u16::MAX);
        Plain::write(&count, out);
        for cells in self.rows.iter().take(count.into()) {
            row::write(&self.columns, cells, out);
        }
    }
}
