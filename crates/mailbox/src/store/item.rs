//! Items: stored, changed, moved, removed, and told of.
//!
//! An item that leaves its folder leaves a tombstone there, so that clients that synchronise the folder hear of it
//! (up to a bound). Numbers within a folder ascend and are never used twice, as IMAP wants them.

use rusqlite::{OptionalExtension, Row as SqlRow, params};
use weir_units::WallTime;
use weir_wire::ews::property::{Item, ItemId};

use super::identifier::{self, ChangeNumber, FolderKey, Format, ItemKey, MailboxKey, Named};
use super::record::{Content, Place, Record, Row};
use super::{body, path, value};
use crate::server::{Failure, News, NewsKind, Outcome, Visit};

mod content;
mod numbers;

pub(crate) use content::{content, content_within, rest};
use numbers::{kind_from_number, kind_number, place_from_number, place_number};

/// A tombstone a so many-th change looks whether there are too many.
const CHANGES_BETWEEN_PRUNINGS: i64 = 256;

/// The columns of an item, in the order in which [`read_row`] reads them.
pub(crate) const COLUMNS: &str = "item.id, item.mailbox, item.folder, item.place, item.uid, item.kind, item.class, \
     item.created_change, item.content_change, item.change, item.created, item.modified, item.received, item.sent, \
     item.subject, item.author, item.display_to, item.display_cc, item.display_bcc, item.recipients_to, \
     item.recipients_cc, item.recipients_bcc, item.size, item.is_read, item.is_draft, item.importance, \
     item.sensitivity, item.has_attachments, item.message_id, item.starts, item.ends, item.flag, item.display_name";

/// Reads the columns of [`COLUMNS`].
pub(crate) fn read_row(row: &SqlRow<'_>) -> rusqlite::Result<Row> {
    let time = |index| row.get(index).map(WallTime::from_unix_micros);
    let maybe_time =
        |index| row.get::<_, Option<i64>>(index).map(|time| time.map(WallTime::from_unix_micros));
    Ok(Row {
        key: ItemKey(row.get(0)?),
        mailbox: MailboxKey(row.get(1)?),
        folder: FolderKey(row.get(2)?),
        place: place_from_number(row.get_ref(3)?)?,
        uid: row.get(4)?,
        kind: kind_from_number(row.get_ref(5)?)?,
        class: row.get(6)?,
        created_change: ChangeNumber(row.get(7)?),
        content_change: ChangeNumber(row.get(8)?),
        change: ChangeNumber(row.get(9)?),
        created: time(10)?,
        modified: time(11)?,
        received: time(12)?,
        sent: maybe_time(13)?,
        subject: row.get(14)?,
        author: row.get(15)?,
        display_to: row.get(16)?,
        display_cc: row.get(17)?,
        display_bcc: row.get(18)?,
        recipients_to: row.get(19)?,
        recipients_cc: row.get(20)?,
        recipients_bcc: row.get(21)?,
        size: row.get(22)?,
        is_read: row.get(23)?,
        is_draft: row.get(24)?,
        importance: row.get(25)?,
        sensitivity: row.get(26)?,
        has_attachments: row.get(27)?,
        message_id: row.get(28)?,
        starts: maybe_time(29)?,
        ends: maybe_time(30)?,
        flag: row.get(31)?,
        display_name: row.get(32)?,
    })
}

/// The item that a request names.
///
/// # Errors
/// A malformed identifier, one of a folder, an item that is not there or another's.
pub(crate) fn find(visit: &Visit<'_>, id: &ItemId) -> Outcome<Row> {
    let key = match identifier::read(Format::Ews, &id.id) {
        None => return Err(Failure::told("ErrorInvalidIdMalformed", "The item identifier is malformed.")),
        Some(Named::Folder(..)) => {
            return Err(Failure::told(
                "ErrorCannotUseFolderIdForItemId",
                "The identifier names a folder where an item is expected.",
            ));
        }
        Some(Named::Item(mailbox, key)) => (mailbox == visit.mailbox).then_some(key),
    };
    let found = match key {
        Some(key) => row(visit, key)?,
        None => None,
    };
    found
        .ok_or_else(|| Failure::told("ErrorItemNotFound", "The specified object was not found in the store."))
}

/// The item of that key in the opened mailbox.
pub(crate) fn row(visit: &Visit<'_>, key: ItemKey) -> Outcome<Option<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM item WHERE id = ?1 AND mailbox = ?2");
    let mut statement = visit.db.prepare_cached(&sql)?;
    Ok(statement.query_row(params![key.0, visit.mailbox.0], read_row).optional()?)
}

/// At most `max` items of a folder, wherever they are with regard to it.
pub(crate) fn some_in_folder(visit: &Visit<'_>, folder: FolderKey, max: u32) -> Outcome<Vec<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM item WHERE folder = ?1 LIMIT ?2");
    let mut statement = visit.db.prepare_cached(&sql)?;
    let rows = statement.query_map(params![folder.0, max], read_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// At most `max` of the items that lie in a folder; of those that belong to it too, where `associated` says so.
pub(crate) fn some_to_remove(
    visit: &Visit<'_>,
    folder: FolderKey,
    associated: bool,
    max: u32,
) -> Outcome<Vec<Row>> {
    let sql =
        format!("SELECT {COLUMNS} FROM item WHERE folder = ?1 AND (place = 0 OR place = 2 AND ?2) LIMIT ?3");
    let mut statement = visit.db.prepare_cached(&sql)?;
    let rows = statement.query_map(params![folder.0, associated, max], read_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// At most `max` of the items in a folder whose read flag is not `is_read`.
pub(crate) fn some_unlike(
    visit: &Visit<'_>,
    folder: FolderKey,
    is_read: bool,
    max: u32,
) -> Outcome<Vec<Row>> {
    let sql =
        format!("SELECT {COLUMNS} FROM item WHERE folder = ?1 AND place = 0 AND is_read <> ?2 LIMIT ?3");
    let mut statement = visit.db.prepare_cached(&sql)?;
    let rows = statement.query_map(params![folder.0, is_read, max], read_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The item without its body and the message as it arrived.
pub(crate) fn without_content(visit: &Visit<'_>, row: Row) -> Outcome<Record> {
    Ok(Record { rest: rest(visit, row.key)?, content: Content::default(), row, stale: false })
}

/// The whole item.
pub(crate) fn record(visit: &Visit<'_>, row: Row) -> Outcome<Record> {
    Ok(Record { rest: rest(visit, row.key)?, content: content(visit, row.key)?, row, stale: false })
}

/// Stores an item as a further one of `folder` and tells of it as `kind`.
///
/// # Errors
/// `ErrorMessageSizeExceeded` where it is larger than items may be.
pub(crate) fn insert(
    visit: &Visit<'_>,
    mut record: Record,
    folder: FolderKey,
    kind: NewsKind,
) -> Outcome<Row> {
    let row = insert_untold(visit, &mut record, folder)?;
    visit.tell(News::about_item(NewsKind::Created, visit, &row));
    if kind == NewsKind::NewMail {
        visit.tell(News::about_item(kind, visit, &row));
    }
    Ok(row)
}

/// Stores an item that arrives from outside.
pub(crate) fn receive(visit: &Visit<'_>, folder: FolderKey, new: Item) -> Outcome<Row> {
    let mut record = Record::new(visit.mailbox, new.kind, visit.now());
    record.row.is_read = false;
    for (path, value) in new.properties {
        record.set(path, value)?;
    }
    record.settle();
    insert(visit, record, folder, NewsKind::NewMail)
}

fn insert_untold(visit: &Visit<'_>, record: &mut Record, folder: FolderKey) -> Outcome<Row> {
    check_size(visit, record)?;
    let uid = visit
        .db
        .prepare_cached("UPDATE folder SET next_uid = next_uid + 1 WHERE id = ?1 RETURNING next_uid - 1")?
        .query_row([folder.0], |row| row.get(0))?;
    let change = visit.next_change()?;
    let row = &mut record.row;
    (row.key, row.mailbox, row.folder, row.uid) = (ItemKey(0), visit.mailbox, folder, uid);
    (row.created_change, row.content_change, row.change) = (change, change, change);
    row.modified = visit.now();
    write_row(visit, row, true)?;
    row.key = ItemKey(visit.db.last_insert_rowid());
    write_rest(visit, record)?;
    Ok(record.row.clone())
}

/// Stores a changed item under its key, and tells of it.
///
/// # Errors
/// `ErrorMessageSizeExceeded` where it is larger than items may be.
pub(crate) fn update(visit: &Visit<'_>, record: &mut Record) -> Outcome<()> {
    check_size(visit, record)?;
    let change = visit.next_change()?;
    (record.row.content_change, record.row.change) = (change, change);
    record.row.modified = visit.now();
    write_row(visit, &record.row, false)?;
    clear_rest(visit, record.row.key)?;
    write_rest(visit, record)?;
    visit.tell(News::about_item(NewsKind::Modified, visit, &record.row));
    Ok(())
}

/// Sets nothing but the read flag.
pub(crate) fn set_read(visit: &Visit<'_>, row: &mut Row, is_read: bool) -> Outcome<()> {
    (row.change, row.is_read) = (visit.next_change()?, is_read);
    row.modified = visit.now();
    visit
        .db
        .prepare_cached("UPDATE item SET is_read = ?2, change = ?3, modified = ?4 WHERE id = ?1")?
        .execute(params![row.key.0, is_read, row.change.0, row.modified.unix_micros()])?;
    visit.tell(News::about_item(NewsKind::Modified, visit, row));
    Ok(())
}

/// Takes an item out of sight without removing it.
pub(crate) fn soft_delete(visit: &Visit<'_>, row: &Row) -> Outcome<()> {
    let change = bury(visit, row)?;
    visit.db.prepare_cached("UPDATE item SET place = ?2, change = ?3 WHERE id = ?1")?.execute(params![
        row.key.0,
        place_number(Place::SoftDeleted),
        change.0
    ])?;
    visit.tell(News::about_item(NewsKind::Deleted, visit, row));
    Ok(())
}

/// Removes an item for good.
pub(crate) fn remove(visit: &Visit<'_>, row: &Row) -> Outcome<()> {
    bury(visit, row)?;
    erase(visit, row.key)?;
    visit.tell(News::about_item(NewsKind::Deleted, visit, row));
    Ok(())
}

/// Moves an item to another folder, where it gets an identifier of its own.
pub(crate) fn transfer(visit: &Visit<'_>, row: Row, to: FolderKey) -> Outcome<Row> {
    bury(visit, &row)?;
    let (new, old) = duplicate(visit, row, to)?;
    erase(visit, old.key)?;
    visit.tell(News::about_transfer(NewsKind::Moved, visit, &old, &new));
    Ok(new)
}

/// Copies an item to a folder.
pub(crate) fn copy(visit: &Visit<'_>, row: Row, to: FolderKey) -> Outcome<Row> {
    let (new, old) = duplicate(visit, row, to)?;
    visit.tell(News::about_transfer(NewsKind::Copied, visit, &old, &new));
    Ok(new)
}

/// Remembers which properties a change touched.
pub(crate) fn touch(visit: &Visit<'_>, key: ItemKey, paths: &[String], change: ChangeNumber) -> Outcome<()> {
    let mut statement = visit.db.prepare_cached("INSERT OR REPLACE INTO touched VALUES (?1, ?2, ?3)")?;
    for path in paths {
        statement.execute(params![key.0, path, change.0])?;
    }
    Ok(())
}

/// Whether one of these properties was touched by a change after `since`.
pub(crate) fn was_touched(
    visit: &Visit<'_>,
    key: ItemKey,
    paths: &[String],
    since: ChangeNumber,
) -> Outcome<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM touched WHERE item = ?1 AND path = ?2 AND change > ?3)";
    let mut statement = visit.db.prepare_cached(sql)?;
    for path in paths {
        if statement.query_row(params![key.0, path, since.0], |row| row.get(0))? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn duplicate(visit: &Visit<'_>, row: Row, to: FolderKey) -> Outcome<(Row, Row)> {
    let mut record = record(visit, row)?;
    let old = record.row.clone();
    if record.row.place == Place::SoftDeleted {
        record.row.place = Place::Live;
    }
    Ok((insert_untold(visit, &mut record, to)?, old))
}

fn check_size(visit: &Visit<'_>, record: &Record) -> Outcome<()> {
    if record.bytes() <= visit.settings.max_item_bytes {
        return Ok(());
    }
    let text = format!("The item is larger than {} bytes.", visit.settings.max_item_bytes);
    Err(Failure::told("ErrorMessageSizeExceeded", text))
}

fn bury(visit: &Visit<'_>, row: &Row) -> Outcome<ChangeNumber> {
    let change = visit.next_change()?;
    if row.place == Place::Live {
        visit
            .db
            .prepare_cached("INSERT OR REPLACE INTO tombstone VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![row.folder.0, row.key.0, row.created_change.0, change.0])?;
        if change.0 % CHANGES_BETWEEN_PRUNINGS == 0 {
            prune(visit, row.folder)?;
        }
    }
    Ok(change)
}

/// Forgets the oldest deletions of a folder beyond the bound.
fn prune(visit: &Visit<'_>, folder: FolderKey) -> Outcome<()> {
    let oldest: Option<i64> = visit
        .db
        .prepare_cached(
            "SELECT change FROM tombstone WHERE folder = ?1 ORDER BY change DESC LIMIT 1 OFFSET ?2",
        )?
        .query_row(params![folder.0, visit.settings.max_tombstones], |row| row.get(0))
        .optional()?;
    if let Some(oldest) = oldest {
        visit
            .db
            .prepare_cached("DELETE FROM tombstone WHERE folder = ?1 AND change <= ?2")?
            .execute(params![folder.0, oldest])?;
        visit
            .db
            .prepare_cached("UPDATE folder SET forgotten = ?2 WHERE id = ?1")?
            .execute(params![folder.0, oldest])?;
    }
    Ok(())
}

fn erase(visit: &Visit<'_>, key: ItemKey) -> Outcome<()> {
    visit.db.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([key.0])?;
    visit.db.prepare_cached("DELETE FROM item WHERE id = ?1")?.execute([key.0])?;
    Ok(())
}

fn clear_rest(visit: &Visit<'_>, key: ItemKey) -> Outcome<()> {
    visit.db.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([key.0])?;
    visit.db.prepare_cached("DELETE FROM property WHERE item = ?1")?.execute([key.0])?;
    visit.db.prepare_cached("DELETE FROM content WHERE item = ?1")?.execute([key.0])?;
    Ok(())
}

fn write_row(visit: &Visit<'_>, row: &Row, new: bool) -> Outcome<()> {
    let insert = "INSERT INTO item VALUES (nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
                ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33)";
    let update = "UPDATE item SET (mailbox, folder, place, uid, kind, class, created_change, content_change, change,
                created, modified, received, sent, subject, author, display_to, display_cc, display_bcc,
                recipients_to, recipients_cc, recipients_bcc, size, is_read, is_draft, importance, sensitivity,
                has_attachments, message_id, starts, ends, flag, display_name)
                = (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
                ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33) WHERE id = ?1";
    let micros = |time: Option<WallTime>| time.map(WallTime::unix_micros);
    visit.db.prepare_cached(if new { insert } else { update })?.execute(params![
        row.key.0,
        row.mailbox.0,
        row.folder.0,
        place_number(row.place),
        row.uid,
        kind_number(row.kind),
        row.class,
        row.created_change.0,
        row.content_change.0,
        row.change.0,
        row.created.unix_micros(),
        row.modified.unix_micros(),
        row.received.unix_micros(),
        micros(row.sent),
        row.subject,
        row.author,
        row.display_to,
        row.display_cc,
        row.display_bcc,
        row.recipients_to,
        row.recipients_cc,
        row.recipients_bcc,
        row.size,
        row.is_read,
        row.is_draft,
        row.importance,
        row.sensitivity,
        row.has_attachments,
        row.message_id,
        micros(row.starts),
        micros(row.ends),
        row.flag,
        row.display_name,
    ])?;
    Ok(())
}

fn write_rest(visit: &Visit<'_>, record: &Record) -> Outcome<()> {
    let key = record.row.key;
    let mut statement = visit.db.prepare_cached("INSERT INTO property VALUES (?1, ?2, ?3, ?4)")?;
    for (name, value) in &record.rest {
        let (kind, stored) = value::to_sql(value);
        statement.execute(params![key.0, path::to_text(name), kind, stored])?;
    }
    let Content { html, body, mime } = &record.content;
    if mime.is_some() || !body.is_empty() {
        visit
            .db
            .prepare_cached("INSERT INTO content VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![key.0, html, body, mime])?;
    }
    let row = &record.row;
    let recipients: Vec<&str> = [&row.recipients_to, &row.recipients_cc, &row.recipients_bcc]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    visit
        .db
        .prepare_cached(
            "INSERT INTO search (rowid, subject, author, recipients, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            key.0,
            row.subject.as_deref().or(row.display_name.as_deref()),
            row.author,
            recipients.join(" "),
            body::plain(*html, body),
        ])?;
    Ok(())
}
