//! Sort orders: in which order a table has its rows (MS-OXCDATA, section 2.13).

use super::Malformed;
use super::codec::{Codec, Plain, layout};
use super::property::PropertyTag;
use super::reader::Reader;

layout! {
    /// One column by which a table is sorted.
    pub struct SortOrder {
        /// The column.
        tag: PropertyTag,
        /// The direction.
        direction: Direction,
    }

    /// How many columns of a sort order make headings.
    pub struct Categories {
        /// How many.
        columns: u16,
        /// How many of them begin unfolded.
        expanded: u16,
    }
}

impl SortOrder {
    /// The least value first.
    pub const fn ascending(tag: PropertyTag) -> Self {
        Self { tag, direction: Direction::ASCENDING }
    }

    /// The greatest value first.
    pub const fn descending(tag: PropertyTag) -> Self {
        Self { tag, direction: Direction::DESCENDING }
    }
}

/// In which direction a column is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Direction(pub u8);

impl Direction {
    /// The least value first.
    pub const ASCENDING: Self = Self(0);
    /// The greatest value first.
    pub const DESCENDING: Self = Self(1);
    /// The heading whose messages have the greatest value first.
    pub const MAXIMUM_CATEGORY: Self = Self(4);
}

impl Codec<Direction> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Direction, Malformed> {
        reader.u8(what).map(Direction)
    }

    fn write(value: &Direction, out: &mut Vec<u8>) {
        out.push(value.0);
    }
}
