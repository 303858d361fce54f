//! Tables: the folders of a folder, and the messages of one.
//!
//! A table is a question, not its answer: what it shows, in which order, and which row is next. Each call asks the store
//! for the rows that fit into the answer, so that a table costs no memory, whatever the folder holds, and shows what is
//! there when it is asked. Rows of messages are found as EWS finds them: keys first, in order, then one row at a time.

use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;
use weir_wire::mapi::property::{PropertyTag, PropertyValue};
use weir_wire::mapi::row::{self, Cell};

use super::filter::Filter;
use super::property::folder as folder_properties;
use super::property::message::{View, Wanted};
use crate::find::compile::Clause;
use crate::find::order;
use crate::server::{Outcome, Visit};
use crate::store::folder::{self, StoredFolder};
use crate::store::identifier::{FolderKey, ItemKey};
use crate::store::item;

/// The most rows that one answer has.
pub(super) const MAX_ROWS: u32 = 2000;
/// The longest text in a row, in characters; what is longer is cut off.
const MAX_TEXT: usize = 255;
/// The longest bytes in a row; what is longer is cut off.
const MAX_BINARY: usize = 510;

/// A table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// What it lists.
    pub(super) list: List,
    /// What its rows have; nothing, until a client says so.
    pub(super) columns: Vec<PropertyTag>,
    /// Which rows it has; all, where none.
    pub(super) filter: Option<Filter>,
    /// The order of messages; the newest first, where none.
    pub(super) order: Option<Clause>,
    /// How many rows stand before the next one.
    pub(super) position: u32,
}

/// What a table lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// The folders of a folder, or all below it.
    Folders {
        /// Of which.
        parent: FolderKey,
        /// All below it.
        deep: bool,
    },
    /// The messages of a folder.
    Messages {
        /// Of which.
        folder: FolderKey,
        /// Where they are with regard to it, as the store numbers it.
        place: i64,
    },
}

/// Rows as an answer has them.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Their cells, in the order of the table.
    pub(super) cells: Vec<Vec<Cell>>,
    /// Whether one was left out because there was no room.
    pub(super) cut: bool,
}

/// Which rows are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// So many rows stand before it.
    pub(super) skip: u32,
    /// At most so many.
    pub(super) take: u32,
    /// Where there is no room for all, those at its end are wanted.
    pub(super) backward: bool,
}

impl Table {
    /// A table of that list, as it is before a client says anything about it.
    pub(super) const fn new(list: List) -> Self {
        Self { list, columns: Vec::new(), filter: None, order: None, position: 0 }
    }

    /// How many rows it has.
    pub(super) fn count(&self, view: &View<'_>) -> Outcome<u32> {
        match self.list {
            List::Folders { parent, deep } => {
                let folders = self.folders(view, parent, deep)?;
                Ok(u32::try_from(folders.len()).unwrap_or(u32::MAX))
            }
            List::Messages { folder, place } => {
                let condition = self.condition(folder, place);
                let sql = format!("SELECT count(*) FROM item WHERE {}", condition.sql);
                let mut statement = view.visit.db.prepare_cached(&sql)?;
                Ok(statement.query_row(params_from_iter(&condition.values), |row| row.get(0))?)
            }
        }
    }

    /// The rows of a window that fit into `room` bytes.
    pub(super) fn rows(&self, view: &View<'_>, window: Window, room: usize) -> Outcome<Rows> {
        let mut page = Page { columns: &self.columns, left: room, rows: Rows::default() };
        match self.list {
            List::Folders { parent, deep } => {
                let folders = self.folders(view, parent, deep)?;
                let mut part: Vec<_> =
                    folders.into_iter().skip(size(window.skip)).take(size(window.take)).collect();
                if window.backward {
                    part.reverse();
                }
                for (stored, depth) in part {
                    let cells = folder_properties::cells(view, &stored, depth, &self.columns)?;
                    if !page.add(cells) {
                        break;
                    }
                }
            }
            List::Messages { folder, place } => {
                let wanted = Wanted::new(view.visit, &self.columns, true)?;
                let mut keys = self.keys(view.visit, (folder, place), window)?;
                if window.backward {
                    keys.reverse();
                }
                for key in keys {
                    let Some(row) = item::row(view.visit, key)? else { continue };
                    let shown = wanted.shown(view.visit, row, 0)?;
                    if !page.add(wanted.cells(view, &shown)) {
                        break;
                    }
                }
            }
        }
        let mut rows = page.rows;
        if window.backward {
            rows.cells.reverse();
        }
        Ok(rows)
    }

    /// The folders that it lists, each with how far below it lies; parents before children, siblings by name.
    fn folders(&self, view: &View<'_>, parent: FolderKey, deep: bool) -> Outcome<Vec<(StoredFolder, i32)>> {
        let mut found = Vec::new();
        if deep {
            for (stored, depth) in folder::tree(view.visit, parent)? {
                found.push((stored, depth));
            }
        } else {
            found.extend(folder::children(view.visit, parent)?.into_iter().map(|stored| (stored, 0)));
        }
        let Some(filter) = &self.filter else { return Ok(found) };
        let mut kept = Vec::new();
        for (stored, depth) in found {
            if filter.holds_for_folder(view, &stored, depth)? {
                kept.push((stored, depth));
            }
        }
        Ok(kept)
    }

    fn condition(&self, folder: FolderKey, place: i64) -> Clause {
        let mut condition = Clause { sql: "item.folder = ".to_owned(), values: Vec::new() };
        condition.bind(Sql::Integer(folder.0));
        condition.sql.push_str(" AND item.place = ");
        condition.bind(Sql::Integer(place));
        if let Some(filter) = &self.filter {
            condition.sql.push_str(" AND ");
            condition.sql.push_str(&filter.clause().sql);
            condition.values.extend(filter.clause().values.iter().cloned());
        }
        condition
    }

    /// The keys of the messages in a window, in order.
    fn keys(
        &self,
        visit: &Visit<'_>,
        (folder, place): (FolderKey, i64),
        window: Window,
    ) -> Outcome<Vec<ItemKey>> {
        let condition = self.condition(folder, place);
        let order = match &self.order {
            Some(order) => order.clone(),
            None => order::items(&[])?,
        };
        let sql = format!(
            "SELECT item.id FROM item WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
            condition.sql, order.sql
        );
        let range = [Sql::Integer(window.take.into()), Sql::Integer(window.skip.into())];
        let values = condition.values.iter().chain(&order.values).chain(&range);
        let mut statement = visit.db.prepare_cached(&sql)?;
        let keys = statement.query_map(params_from_iter(values), |row| row.get(0).map(ItemKey))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }
}

/// Rows that are gathered as long as there is room.
struct Page<'c> {
    columns: &'c [PropertyTag],
    left: usize,
    rows: Rows,
}

impl Page<'_> {
    /// Adds a row; says whether there was room.
    fn add(&mut self, cells: Vec<Cell>) -> bool {
        let cells: Vec<Cell> = cells.into_iter().map(shortened).collect();
        let mut written = Vec::new();
        row::write(self.columns, &cells, &mut written);
        let Some(left) = self.left.checked_sub(written.len()) else {
            self.rows.cut = true;
            return false;
        };
        self.left = left;
        self.rows.cells.push(cells);
        true
    }
}

/// A cell without what rows of tables have no room for.
fn shortened(cell: Cell) -> Cell {
    match cell {
        Cell::Value(PropertyValue::Unicode(text)) => {
            let end = text.char_indices().nth(MAX_TEXT).map(|(at, _)| at);
            let text = end.map_or(text.clone(), |end| text.split_at(end).0.to_owned());
            Cell::Value(PropertyValue::Unicode(text))
        }
        Cell::Value(PropertyValue::String8(mut text)) => {
            text.truncate(MAX_TEXT);
            Cell::Value(PropertyValue::String8(text))
        }
        Cell::Value(PropertyValue::Binary(mut bytes)) => {
            bytes.truncate(MAX_BINARY);
            Cell::Value(PropertyValue::Binary(bytes))
        }
        cell @ (Cell::Value(_) | Cell::Absent | Cell::Error(_)) => cell,
    }
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
