//! Tables: opened, shaped, and read (MS-OXCTABL, MS-OXCFOLD).

use weir_wire::mapi::call::folder::{GetContentsTable, GetHierarchyTable};
use weir_wire::mapi::call::table::{QueryRows, Restrict, SeekRow, SetColumns, SortTable};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::{PropertyTag, PropertyType};
use weir_wire::mapi::reply::folder::OpenTable;
use weir_wire::mapi::reply::table::{QueryPosition, QueryRows as Rows, SeekRow as Moved};

use super::{Done, Work};
use crate::mapi::filter::{self, Filter};
use crate::mapi::objects::Object;
use crate::mapi::table::{List, MAX_ROWS, Table, Window};

/// The most columns that a table has.
const MAX_COLUMNS: usize = 256;
/// How the store numbers where messages are with regard to their folder.
mod place {
    pub(super) const LIVE: i64 = 0;
    pub(super) const SOFT_DELETED: i64 = 1;
    pub(super) const ASSOCIATED: i64 = 2;
}

/// Opens the table of the folders of a folder. Gives the number of its rows.
pub(in crate::mapi) fn folders(work: &mut Work<'_>, call: &GetHierarchyTable) -> Done<OpenTable> {
    let (logon, parent) = work.folder(call.input)?;
    if call.flags & GetHierarchyTable::SOFT_DELETED != 0 {
        return Err(ErrorCode::NOT_SUPPORTED);
    }
    let deep = call.flags & GetHierarchyTable::DEPTH != 0;
    let table = Table::new(List::Folders { parent, deep });
    let rows = work.read(&logon, |view| Ok(table.count(view)?))?;
    work.open(call.output, logon, Object::Table(Box::new(table)))?;
    Ok(OpenTable { rows })
}

/// Opens the table of the messages of a folder. Gives the number of its rows.
pub(in crate::mapi) fn messages(work: &mut Work<'_>, call: &GetContentsTable) -> Done<OpenTable> {
    let (logon, folder) = work.folder(call.input)?;
    let shows = |flag: u8| call.flags & flag != 0;
    let place = match (shows(GetContentsTable::ASSOCIATED), shows(GetContentsTable::SOFT_DELETED)) {
        (false, false) => place::LIVE,
        (true, false) => place::ASSOCIATED,
        (false, true) => place::SOFT_DELETED,
        (true, true) => return Err(ErrorCode::NOT_SUPPORTED),
    };
    let table = Table::new(List::Messages { folder, place });
    let rows = work.read(&logon, |view| Ok(table.count(view)?))?;
    work.open(call.output, logon, Object::Table(Box::new(table)))?;
    Ok(OpenTable { rows })
}

/// Says which columns rows have.
pub(in crate::mapi) fn set_columns(work: &mut Work<'_>, call: &SetColumns) -> Done<()> {
    let (_, table) = work.table(call.input)?;
    let columns = &call.columns;
    if columns.is_empty() || columns.iter().any(|column| !is_column(*column)) {
        return Err(ErrorCode::INVALID_PARAMETER);
    }
    if columns.len() > MAX_COLUMNS {
        return Err(ErrorCode::TOO_COMPLEX);
    }
    table.columns.clone_from(columns);
    Ok(())
}

/// Says in which order the rows are, and begins anew. Headings are not supported.
pub(in crate::mapi) fn sort(work: &mut Work<'_>, call: &SortTable) -> Done<()> {
    let (logon, table) = work.table(call.input)?;
    let orders = &call.orders.orders;
    if call.orders.categories > 0 {
        return Err(ErrorCode::TOO_COMPLEX);
    }
    let order = match table.list {
        List::Folders { .. } => return Err(ErrorCode::NOT_SUPPORTED),
        List::Messages { .. } if orders.is_empty() => None,
        List::Messages { .. } => Some(work.read(&logon, |view| filter::sorted(view.visit, orders))?),
    };
    let (_, table) = work.table(call.input)?;
    (table.order, table.position) = (order, 0);
    Ok(())
}

/// Says which rows there are, and begins anew; all, where there is no restriction.
pub(in crate::mapi) fn restrict(work: &mut Work<'_>, call: &Restrict) -> Done<()> {
    let (logon, table) = work.table(call.input)?;
    let list = table.list;
    let filter = call.restriction.as_ref().map(|restriction| match list {
        List::Folders { .. } => work.read(&logon, |view| Filter::of_folders(view, restriction)),
        List::Messages { .. } => work.read(&logon, |view| Filter::of_messages(view.visit, restriction)),
    });
    let filter = filter.transpose()?;
    if filter.as_ref().map_or(0, Filter::bytes) > work.state.objects.bytes_left() {
        return Err(ErrorCode::NOT_ENOUGH_MEMORY);
    }
    let (_, table) = work.table(call.input)?;
    (table.filter, table.position) = (filter, 0);
    Ok(())
}

/// Forgets columns, order and restriction, and begins anew.
pub(in crate::mapi) fn reset(work: &mut Work<'_>, from: u8) -> Done<()> {
    let (_, table) = work.table(from)?;
    *table = Table::new(table.list);
    Ok(())
}

/// Reads rows, as many as there is room for; at least one, where there is one.
pub(in crate::mapi) fn query_rows(work: &mut Work<'_>, call: &QueryRows) -> Done<Rows> {
    let (logon, table) = work.table(call.input)?;
    if table.columns.is_empty() {
        return Err(ErrorCode::NOT_INITIALIZED);
    }
    let (table, room) = (table.clone(), work.room);
    let (asked, forward) = (u32::from(call.count).min(MAX_ROWS), call.forward);
    let (rows, position, origin) = work.read(&logon, |view| {
        let total = table.count(view)?;
        let here = table.position.min(total);
        let take = asked.min(if forward { total - here } else { here });
        let window = Window { skip: if forward { here } else { here - take }, take, backward: !forward };
        let rows = table.rows(view, window, room)?;
        if rows.cells.is_empty() && rows.cut {
            return Err(ErrorCode::BUFFER_TOO_SMALL);
        }
        let read = if rows.cut { u32::try_from(rows.cells.len()).unwrap_or(take) } else { take };
        let after = if forward { here + read } else { here - read };
        let at = match after {
            0 if !forward => SeekRow::BEGINNING,
            after if forward && after >= total => SeekRow::END,
            _ => SeekRow::CURRENT,
        };
        Ok((rows.cells, after, at))
    })?;
    if call.flags & QueryRows::NO_ADVANCE == 0 {
        work.table(call.input)?.1.position = position;
    }
    Ok(Rows { origin, columns: table.columns, rows })
}

/// Where the table stands, and how many rows it has.
pub(in crate::mapi) fn position(work: &mut Work<'_>, from: u8) -> Done<QueryPosition> {
    let (logon, table) = work.table(from)?;
    let table = table.clone();
    let total = work.read(&logon, |view| Ok(table.count(view)?))?;
    Ok(QueryPosition { numerator: table.position.min(total), denominator: total })
}

/// Moves by some rows. Gives how many rows it moved by, and whether those were fewer.
pub(in crate::mapi) fn seek(work: &mut Work<'_>, call: &SeekRow) -> Done<Moved> {
    let QueryPosition { numerator: here, denominator: total } = position(work, call.input)?;
    let base = match call.origin {
        SeekRow::BEGINNING => 0,
        SeekRow::CURRENT => here,
        SeekRow::END => total,
        _ => return Err(ErrorCode::INVALID_BOOKMARK),
    };
    let wanted = i64::from(base) + i64::from(call.rows);
    let place = wanted.clamp(0, i64::from(total));
    work.table(call.input)?.1.position = u32::try_from(place).unwrap_or(total);
    let moved = i32::try_from(place - i64::from(base)).unwrap_or(call.rows);
    Ok(Moved { fewer: place != wanted, rows: moved })
}

/// Whether something can stand in a row.
fn is_column(tag: PropertyTag) -> bool {
    tag.kind() != PropertyType::OBJECT && tag.kind() != PropertyType::NULL
}
