//! What of an item lies outside of its row: read whole, or no more of it than somebody can use.

use rusqlite::{OptionalExtension, Row as SqlRow, params};
use weir_wire::ews::property::Properties;

use crate::server::{Outcome, Visit};
use crate::store::identifier::ItemKey;
use crate::store::record::Content;
use crate::store::{path, value};

/// The properties of an item that have no column.
pub(crate) fn rest(visit: &Visit<'_>, key: ItemKey) -> Outcome<Properties> {
    let mut statement = visit.db.prepare_cached("SELECT path, kind, value FROM property WHERE item = ?1")?;
    let mut rows = statement.query([key.0])?;
    let mut found = Properties::new();
    while let Some(row) = rows.next()? {
        let name = row.get_ref(0)?.as_str().ok().and_then(path::from_text);
        if let (Some(name), Some(value)) = (name, value::from_sql(row.get(1)?, row.get_ref(2)?)) {
            found.insert(name, value);
        }
    }
    Ok(found)
}

/// The body of an item, and the message as it arrived.
pub(crate) fn content(visit: &Visit<'_>, key: ItemKey) -> Outcome<Content> {
    let mut statement = visit.db.prepare_cached("SELECT html, body, mime FROM content WHERE item = ?1")?;
    let read = |row: &SqlRow<'_>| Ok(Content { html: row.get(0)?, body: row.get(1)?, mime: row.get(2)? });
    Ok(statement.query_row([key.0], read).optional()?.unwrap_or_default())
}

/// The body of an item, where it has at most `body` bytes, and the first `mime` bytes of the message as it arrived. Says
/// whether the body is longer; then it is empty.
pub(crate) fn content_within(
    visit: &Visit<'_>,
    key: ItemKey,
    body: usize,
    mime: usize,
) -> Outcome<(Content, bool)> {
    let mut statement = visit.db.prepare_cached(
        "SELECT html, iif(octet_length(body) <= ?2, body, ''), substr(mime, 1, ?3), octet_length(body) > ?2
         FROM content WHERE item = ?1",
    )?;
    let number = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
    let read = |row: &SqlRow<'_>| {
        Ok((Content { html: row.get(0)?, body: row.get(1)?, mime: row.get(2)? }, row.get(3)?))
    };
    let found = statement.query_row(params![key.0, number(body), number(mime)], read).optional()?;
    Ok(found.unwrap_or_default())
}
