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
}

/// The order of a table's rows: by the first column, then by the second, and so on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SortOrders {
    /// The columns.
    pub orders: Vec<SortOrder>,
    /// How many of them make headings.
    pub categories: u16,
    /// How many of the headings begin unfolded.
    pub expanded: u16,
}

impl From<Vec<SortOrder>> for SortOrders {
    fn from(orders: Vec<SortOrder>) -> Self {
        Self { orders, ..Self::default() }
    }
}

/// Three counts, and as many columns as the first says.
impl Codec<SortOrders> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<SortOrders, Malformed> {
        let count = reader.u16(what)?;
        let (categories, expanded) = (reader.u16(what)?, reader.u16(what)?);
        let orders = (0..count).map(|_| Self::read(reader, what)).collect::<Result<_, _>>()?;
        Ok(SortOrders { orders, categories, expanded })
    }

    fn write(value: &SortOrders, out: &mut Vec<u8>) {
        let count = u16::try_from(value.orders.len()).unwrap_or(u16::MAX);
        for number in [count, value.categories, value.expanded] {
            Self::write(&number, out);
        }
        for order in value.orders.iter().take(count.into()) {
            Self::write(order, out);
        }
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
