//! `FindItem`: the items in a folder (E1, E4).
//!
//! Count and page come from one read transaction, so that they agree. The keys of the page are found first, in order,
//! then each row is read by its key: what the sort has to carry stays small.

use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;
use weir_units::{Micros, WallTime};
use weir_wire::ews::property::FolderRef;
use weir_wire::ews::request::{FindItem, Traversal, View};
use weir_wire::ews::response::{Answer, ErrorMessage, Found};

use crate::find::compile::{self, Clause};
use crate::find::page::{self, Page};
use crate::find::{order, query};
use crate::server::{Failure, Outcome, Visit};
use crate::store::identifier::{FolderKey, ItemKey};
use crate::store::shape::{self, Wanted};
use crate::store::{folder, item, text};

/// The longest span of a calendar view: two years.
const MAX_CALENDAR_SPAN: Micros = Micros::MINUTE.times(60 * 24 * 366 * 2);

pub(super) fn carry_out(visit: &Visit<'_>, find: &FindItem, parent: &FolderRef) -> Outcome<Answer> {
    let folder = folder::find(visit, parent)?;
    check_view(&find.view)?;
    let condition = condition(visit, find, folder.key)?;
    let total = count(visit, &condition)?;
    let part = page::page(&find.view, total, visit.settings.max_page);
    check_bound(visit, &find.view, part)?;
    let wanted = Wanted::summary(&find.shape);
    let mut page = Vec::new();
    for key in keys(visit, find, &condition, part)? {
        if let Some(row) = item::row(visit, key)? {
            page.push(shape::item(visit, row, &wanted)?);
        }
    }
    Ok(Answer::FoundItems(Found { page, total, paging: part.paging, last: part.last }))
}

/// Refuses views that mean nothing.
pub(super) fn check_view(view: &View) -> Outcome<()> {
    let no_rows = |max: Option<u32>| max == Some(0);
    match view {
        View::Indexed { max, .. }
        | View::Fractional { max, .. }
        | View::Calendar { max, .. }
        | View::Contacts { max, .. }
            if no_rows(*max) =>
        {
            Err(Failure::told("ErrorInvalidPagingMaxRows", "A page of no entries cannot be asked for."))
        }
        View::Fractional { numerator, denominator, .. } if *denominator == 0 || numerator > denominator => {
            Err(Failure::told(
                "ErrorInvalidFractionalPagingParameters",
                "The fraction lies outside of 0 to 1.",
            ))
        }
        View::Calendar { start, end, .. } if end < start => Err(Failure::told(
            "ErrorCalendarEndDateIsEarlierThanStartDate",
            "The calendar view ends before it starts.",
        )),
        View::Calendar { start, end, .. } if *end > start.plus(MAX_CALENDAR_SPAN) => {
            Err(Failure::told("ErrorCalendarViewRangeTooBig", "The calendar view spans more than two years."))
        }
        View::Unpaged
        | View::Indexed { .. }
        | View::Fractional { .. }
        | View::Calendar { .. }
        | View::Contacts { .. } => Ok(()),
    }
}

/// A view without an offset cannot go on where the server's own bound cuts it: it is refused, never cut unseen.
fn check_bound(visit: &Visit<'_>, view: &View, part: Page) -> Outcome<()> {
    let bound = visit.settings.max_page;
    let cut = match view {
        View::Unpaged => !part.last,
        View::Calendar { max, .. } | View::Contacts { max, .. } => {
            !part.last && max.is_none_or(|max| max > bound)
        }
        View::Indexed { .. } | View::Fractional { .. } => false,
    };
    if !cut {
        return Ok(());
    }
    let mut message = ErrorMessage::new(
        "ErrorExceededFindCountLimit",
        "You have exceeded the maximum number of objects that can be returned for the find operation. Use paging to \
         reduce the result size and try your request again.",
    );
    message.values.push(("PolicyLimit", bound.to_string()));
    Err(Failure::Told(message))
}

fn condition(visit: &Visit<'_>, find: &FindItem, folder: FolderKey) -> Outcome<Clause> {
    let mut condition = Clause { sql: "item.folder = ".to_owned(), values: Vec::new() };
    condition.bind(Sql::Integer(folder.0));
    condition.sql.push_str(match find.traversal {
        Traversal::Shallow => " AND item.place = 0",
        Traversal::SoftDeleted => " AND item.place = 1",
        Traversal::Associated => " AND item.place = 2",
        Traversal::Deep => {
            return Err(Failure::told("ErrorInvalidOperation", "Items cannot be found in a deep traversal."));
        }
    });
    match &find.view {
        View::Calendar { start, end, .. } => touches(&mut condition, *start, *end),
        View::Contacts { first, last, .. } => {
            for (name, comparison) in [(first, " >= "), (last, " <= ")] {
                if let Some(name) = name {
                    condition.sql.push_str(" AND fold(item.display_name)");
                    condition.sql.push_str(comparison);
                    condition.bind(Sql::Text(text::fold(name).into_owned()));
                }
            }
        }
        View::Unpaged | View::Indexed { .. } | View::Fractional { .. } => {}
    }
    let restriction =
        find.restriction.as_ref().map(|part| compile::restriction(part, &visit.zone())).transpose()?;
    let query = find.query.as_deref().map(query::compile).transpose()?.flatten();
    for part in restriction.into_iter().chain(query) {
        condition.sql.push_str(" AND ");
        condition.sql.push_str(&part.sql);
        condition.values.extend(part.values);
    }
    Ok(condition)
}

/// Appointments that touch a span; one of no length touches it where it begins within.
fn touches(condition: &mut Clause, start: WallTime, end: WallTime) {
    condition.sql.push_str(" AND item.starts < ");
    condition.bind(Sql::Integer(end.unix_micros()));
    condition.sql.push_str(" AND (item.ends > ");
    condition.bind(Sql::Integer(start.unix_micros()));
    condition.sql.push_str(" OR item.starts >= ");
    condition.bind(Sql::Integer(start.unix_micros()));
    condition.sql.push(')');
}

fn count(visit: &Visit<'_>, condition: &Clause) -> Outcome<u32> {
    let sql = format!("SELECT count(*) FROM item WHERE {}", condition.sql);
    let mut statement = visit.db.prepare_cached(&sql)?;
    Ok(statement.query_row(params_from_iter(&condition.values), |row| row.get(0))?)
}

/// The keys of the items on the page, in order.
fn keys(visit: &Visit<'_>, find: &FindItem, condition: &Clause, part: Page) -> Outcome<Vec<ItemKey>> {
    if part.take == 0 {
        return Ok(Vec::new());
    }
    let order = match find.view {
        View::Calendar { .. } => Clause { sql: "item.starts, item.id".to_owned(), values: Vec::new() },
        View::Contacts { .. } => {
            Clause { sql: "fold(item.display_name), item.id".to_owned(), values: Vec::new() }
        }
        View::Unpaged | View::Indexed { .. } | View::Fractional { .. } => order::items(&find.order)?,
    };
    let sql =
        format!("SELECT item.id FROM item WHERE {} ORDER BY {} LIMIT ? OFFSET ?", condition.sql, order.sql);
    let range = [Sql::Integer(i64::from(part.take)), Sql::Integer(i64::from(part.skip))];
    let values = condition.values.iter().chain(&order.values).chain(&range);
    let mut statement = visit.db.prepare_cached(&sql)?;
    let keys = statement.query_map(params_from_iter(values), |row| row.get(0).map(ItemKey))?;
    Ok(keys.collect::<Result<_, _>>()?)
}
