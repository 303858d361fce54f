//! Tables: what they show, and their rows.

use super::super::Malformed;
use super::super::codec::{Codec, Counted, Plain, Sized, layout};
use super::super::property::PropertyTag;
use super::super::reader::Reader;
use super::super::restriction::Restriction;
use super::super::sort::SortOrders;

layout! {
    /// Says which columns a table shows.
    pub struct SetColumns {
        /// The place of the table's handle.
        input: u8,
        /// [`Self::ASYNCHRONOUS`], if it may be done later.
        flags: u8,
        /// The columns.
        columns: Vec<PropertyTag> as Counted<u16, Plain>,
    }

    /// Says in which order a table has its rows.
    pub struct SortTable {
        /// The place of the table's handle.
        input: u8,
        /// [`SetColumns::ASYNCHRONOUS`], if it may be done later.
        flags: u8,
        /// The order.
        orders: SortOrders,
    }

    /// Says which rows a table shows.
    pub struct Restrict {
        /// The place of the table's handle.
        input: u8,
        /// [`SetColumns::ASYNCHRONOUS`], if it may be done later.
        flags: u8,
        /// Those that meet this; without it, all.
        restriction: Option<Restriction> as SizedRestriction,
    }

    /// Asks for rows from the cursor on.
    pub struct QueryRows {
        /// The place of the table's handle.
        input: u8,
        /// [`Self::NO_ADVANCE`], if the cursor stays.
        flags: u8,
        /// Whether forwards, or backwards.
        forward: bool,
        /// How many at most.
        count: u16,
    }

    /// Moves the cursor.
    pub struct SeekRow {
        /// The place of the table's handle.
        input: u8,
        /// From where: [`Self::BEGINNING`] and others.
        origin: u8,
        /// By how many rows, backwards where it is negative.
        rows: i32,
        /// Whether the client wants to know how far it moved.
        want_moved: bool,
    }

    /// Asks where the cursor is.
    pub struct QueryPosition {
        /// The place of the table's handle.
        input: u8,
    }

    /// Asks whether the table is busy.
    pub struct GetStatus {
        /// The place of the table's handle.
        input: u8,
    }

    /// Takes columns, order and restriction away.
    pub struct ResetTable {
        /// The place of the table's handle.
        input: u8,
    }
}

impl SetColumns {
    /// It may be done later.
    pub const ASYNCHRONOUS: u8 = 0x01;
}

impl QueryRows {
    /// The cursor stays.
    pub const NO_ADVANCE: u8 = 0x01;
    /// The rows are packed. No server need do that.
    pub const PACKED: u8 = 0x02;
}

impl SeekRow {
    /// From the first row.
    pub const BEGINNING: u8 = 0;
    /// From the cursor.
    pub const CURRENT: u8 = 1;
    /// From behind the last row.
    pub const END: u8 = 2;
}

/// A restriction behind its size; a size of 0 is none.
pub(in super::super) enum SizedRestriction {}

impl Codec<Option<Restriction>> for SizedRestriction {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Option<Restriction>, Malformed> {
        let bytes = reader.sized16(what)?;
        if bytes.is_empty() { Ok(None) } else { Restriction::read(bytes).map(Some) }
    }

    /// One that is longer than its size can say would be another, so that it is sent as none that can be read.
    fn write(value: &Option<Restriction>, out: &mut Vec<u8>) {
        let mut bytes = Vec::new();
        if let Some(restriction) = value {
            restriction.write(&mut bytes);
        }
        Sized::<u16>::write(&bytes, out);
    }
}
