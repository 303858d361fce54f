//! Folders: the tree, its names, and what is known of each.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::{FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params};
use weir_units::WallTime;
use weir_wire::ews::property::{FolderId, FolderKind, FolderRef, PropertyPath, Value};

use super::distinguished::{Distinguished, ROOT, TOP};
use super::identifier::{self, ChangeNumber, FolderKey, Format, MailboxKey, Named};
use super::{path, text, value};
use crate::server::{Failure, News, NewsKind, Outcome, Visit};

/// A folder as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoredFolder {
    pub(crate) key: FolderKey,
    pub(crate) mailbox: MailboxKey,
    pub(crate) parent: Option<FolderKey>,
    pub(crate) distinguished: Option<String>,
    pub(crate) kind: FolderKind,
    pub(crate) name: String,
    pub(crate) class: Option<String>,
    pub(crate) created: WallTime,
    pub(crate) modified: WallTime,
    pub(crate) created_change: ChangeNumber,
    pub(crate) change: ChangeNumber,
    pub(crate) forgotten: ChangeNumber,
    pub(crate) next_uid: i64,
}

/// How many things a folder holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) total: i64,
    pub(crate) unread: i64,
    pub(crate) children: i64,
}

/// What a folder is made from.
#[derive(Debug)]
pub(crate) struct NewFolder<'n> {
    pub(crate) parent: FolderKey,
    pub(crate) name: &'n str,
    pub(crate) class: Option<&'n str>,
    pub(crate) kind: FolderKind,
}

/// How many names are tried for a folder that gives way to others.
const MAX_NAMES: u32 = 10_000;

const COLUMNS: &str = "id, mailbox, parent, distinguished, kind, name, class, created, modified, created_change, \
                       change, forgotten, next_uid";

impl StoredFolder {
    /// Its identifier as answers carry it.
    pub(crate) fn id(&self) -> FolderId {
        identifier::folder_id(self.mailbox, self.key, self.change)
    }

    /// Whether people do not see it: what lies beside the root of what they see.
    pub(crate) fn is_hidden(&self) -> bool {
        self.class.is_none() && self.distinguished.as_deref().is_some_and(|name| name != ROOT && name != TOP)
    }

    /// The identifier of the folder it lies in; the root lies in itself.
    pub(crate) fn parent_id(&self) -> FolderId {
        identifier::bare_folder_id(self.mailbox, self.parent.unwrap_or(self.key))
    }

    fn read(row: &SqlRow<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            key: FolderKey(row.get(0)?),
            mailbox: MailboxKey(row.get(1)?),
            parent: row.get::<_, Option<i64>>(2)?.map(FolderKey),
            distinguished: row.get(3)?,
            kind: kind_from_number(row.get_ref(4)?)?,
            name: row.get(5)?,
            class: row.get(6)?,
            created: WallTime::from_unix_micros(row.get(7)?),
            modified: WallTime::from_unix_micros(row.get(8)?),
            created_change: ChangeNumber(row.get(9)?),
            change: ChangeNumber(row.get(10)?),
            forgotten: ChangeNumber(row.get(11)?),
            next_uid: row.get(12)?,
        })
    }
}

/// The folder that a request names.
///
/// # Errors
/// A malformed identifier, one of an item, a folder that is not there, and another's mailbox.
pub(crate) fn find(visit: &Visit<'_>, named: &FolderRef) -> Outcome<StoredFolder> {
    match named {
        FolderRef::Id(id) => match identifier::read(Format::Ews, &id.id) {
            None => Err(Failure::told("ErrorInvalidIdMalformed", "The folder identifier is malformed.")),
            Some(Named::Item(..)) => Err(Failure::told(
                "ErrorCannotUseItemIdForFolderId",
                "The identifier names an item where a folder is expected.",
            )),
            Some(Named::Folder(mailbox, _)) if mailbox != visit.mailbox => Err(not_found()),
            Some(Named::Folder(_, key)) => by_key(visit, key),
        },
        FolderRef::Distinguished { name, mailbox } => {
            if let Some(address) = mailbox {
                check_own(visit, address)?;
            }
            by_key(visit, distinguished(visit, name)?)
        }
    }
}

/// The folder of that key in the opened mailbox.
pub(crate) fn by_key(visit: &Visit<'_>, key: FolderKey) -> Outcome<StoredFolder> {
    let sql = format!("SELECT {COLUMNS} FROM folder WHERE id = ?1 AND mailbox = ?2");
    let mut statement = visit.db.prepare_cached(&sql)?;
    statement.query_row(params![key.0, visit.mailbox.0], StoredFolder::read).optional()?.ok_or_else(not_found)
}

/// The key of a well-known folder of the opened mailbox.
pub(crate) fn distinguished(visit: &Visit<'_>, name: &str) -> Outcome<FolderKey> {
    find_distinguished(visit, name)?.ok_or_else(not_found)
}

/// The key of a well-known folder of the opened mailbox, where it is there.
pub(crate) fn find_distinguished(visit: &Visit<'_>, name: &str) -> Outcome<Option<FolderKey>> {
    let mut statement =
        visit.db.prepare_cached("SELECT id FROM folder WHERE mailbox = ?1 AND distinguished = ?2")?;
    let key = statement.query_row(params![visit.mailbox.0, name], |row| row.get(0)).optional()?;
    Ok(key.map(FolderKey))
}

/// The key of a folder that only MAPI knows, made under its name, or one like it that is free, where it is not there.
pub(crate) fn ensure_distinguished(visit: &Visit<'_>, folder: &Distinguished) -> Outcome<FolderKey> {
    if let Some(key) = find_distinguished(visit, folder.id)? {
        return Ok(key);
    }
    let parent = distinguished(visit, folder.parent)?;
    let name = free_name(visit, parent, folder.name)?;
    let new = NewFolder { parent, name: &name, class: folder.class, kind: folder.kind };
    let change = visit.next_change()?;
    Ok(insert_row(visit.db, visit.mailbox, &new, Some(folder.id), change, visit.now())?)
}

/// A name that no folder in `parent` has: `name`, or `name` with a number behind it.
///
/// # Errors
/// `ErrorFolderExists` where there is none.
pub(crate) fn free_name(visit: &Visit<'_>, parent: FolderKey, name: &str) -> Outcome<String> {
    let taken: BTreeSet<String> =
        children(visit, parent)?.iter().map(|folder| text::fold(&folder.name).into_owned()).collect();
    let names = (0..MAX_NAMES).map(|number| match number {
        0 => name.to_owned(),
        number => format!("{name}{number}"),
    });
    let free = names.into_iter().find(|name| !taken.contains(text::fold(name).as_ref()));
    free.ok_or_else(|| Failure::told("ErrorFolderExists", "No name like that is free in the folder."))
}

/// The folder in `parent` that has that name, in any case.
pub(crate) fn named(visit: &Visit<'_>, parent: FolderKey, name: &str) -> Outcome<Option<FolderKey>> {
    let mut statement =
        visit.db.prepare_cached("SELECT id FROM folder WHERE parent = ?1 AND folded_name = ?2")?;
    Ok(statement
        .query_row(params![parent.0, text::fold(name)], |row| row.get(0).map(FolderKey))
        .optional()?)
}

/// All folders of the opened mailbox, by key. Their number is bounded.
pub(crate) fn all(visit: &Visit<'_>) -> Outcome<BTreeMap<FolderKey, StoredFolder>> {
    let sql = format!("SELECT {COLUMNS} FROM folder WHERE mailbox = ?1");
    let mut statement = visit.db.prepare_cached(&sql)?;
    let rows = statement.query_map([visit.mailbox.0], StoredFolder::read)?;
    Ok(rows.map(|row| row.map(|folder| (folder.key, folder))).collect::<Result<_, _>>()?)
}

/// The folders in `parent`, by name.
pub(crate) fn children(visit: &Visit<'_>, parent: FolderKey) -> Outcome<Vec<StoredFolder>> {
    let sql = format!("SELECT {COLUMNS} FROM folder WHERE parent = ?1 AND mailbox = ?2 ORDER BY folded_name");
    let mut statement = visit.db.prepare_cached(&sql)?;
    let rows = statement.query_map(params![parent.0, visit.mailbox.0], StoredFolder::read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The folders below `top`, each behind its parent, siblings by name, with how far below the first they lie.
pub(crate) fn tree(visit: &Visit<'_>, top: FolderKey) -> Outcome<Vec<(StoredFolder, i32)>> {
    let mut by_parent: BTreeMap<FolderKey, Vec<StoredFolder>> = BTreeMap::new();
    for folder in all(visit)?.into_values() {
        if let Some(parent) = folder.parent {
            by_parent.entry(parent).or_default().push(folder);
        }
    }
    let mut below = |parent: FolderKey, depth: i32| {
        let mut children = by_parent.remove(&parent).unwrap_or_default();
        children.sort_by_cached_key(|child| std::cmp::Reverse(text::fold(&child.name).into_owned()));
        children.into_iter().map(move |child| (child, depth))
    };
    let (mut found, mut next) = (Vec::new(), Vec::new());
    next.extend(below(top, 0));
    while let Some((folder, depth)) = next.pop() {
        next.extend(below(folder.key, depth + 1));
        found.push((folder, depth));
    }
    Ok(found)
}

/// The folders below `top`, at any depth, parents before children.
pub(crate) fn below(visit: &Visit<'_>, top: FolderKey) -> Outcome<Vec<StoredFolder>> {
    Ok(tree(visit, top)?.into_iter().map(|(folder, _)| folder).collect())
}

/// How many things a folder holds.
pub(crate) fn counts(visit: &Visit<'_>, folder: FolderKey) -> Outcome<Counts> {
    let mut statement = visit.db.prepare_cached(
        "SELECT (SELECT count(*) FROM item WHERE folder = ?1 AND place = 0),
                (SELECT count(*) FROM item WHERE folder = ?1 AND place = 0 AND is_read = 0),
                (SELECT count(*) FROM folder WHERE parent = ?1)",
    )?;
    Ok(statement.query_row([folder.0], |row| {
        Ok(Counts { total: row.get(0)?, unread: row.get(1)?, children: row.get(2)? })
    })?)
}

/// How many items belong to a folder itself.
pub(crate) fn associated(visit: &Visit<'_>, folder: FolderKey) -> Outcome<i32> {
    let sql = "SELECT count(*) FROM item WHERE folder = ?1 AND place = 2";
    Ok(visit.db.prepare_cached(sql)?.query_row([folder.0], |row| row.get(0))?)
}

/// How many bytes the items in a folder have.
pub(crate) fn size(visit: &Visit<'_>, folder: FolderKey) -> Outcome<i64> {
    let sql = "SELECT ifnull(sum(size), 0) FROM item WHERE folder = ?1 AND place = 0";
    Ok(visit.db.prepare_cached(sql)?.query_row([folder.0], |row| row.get(0))?)
}

/// Makes a folder and tells of it.
///
/// # Errors
/// `ErrorFolderExists` where a sibling has the name already.
pub(crate) fn insert(visit: &Visit<'_>, new: &NewFolder<'_>) -> Outcome<FolderKey> {
    check_name(visit, new.parent, new.name, None)?;
    let count: i64 =
        visit.db.query_row("SELECT count(*) FROM folder WHERE mailbox = ?1", [visit.mailbox.0], |row| {
            row.get(0)
        })?;
    if count >= i64::from(visit.settings.max_folders) {
        return Err(Failure::told("ErrorQuotaExceeded", "The mailbox has as many folders as it may have."));
    }
    let change = visit.next_change()?;
    let key = insert_row(visit.db, visit.mailbox, new, None, change, visit.now())?;
    let folder = by_key(visit, key)?;
    visit.tell(News::about_folder(NewsKind::Created, visit, &folder, change));
    Ok(key)
}

/// Makes a well-known folder; `parent` is none for the root.
pub(crate) fn insert_distinguished(
    db: &Connection,
    mailbox: MailboxKey,
    parent: Option<FolderKey>,
    folder: &Distinguished,
    change: ChangeNumber,
    now: WallTime,
) -> Outcome<FolderKey> {
    let new = NewFolder {
        parent: parent.unwrap_or(FolderKey(0)),
        name: folder.name,
        class: folder.class,
        kind: folder.kind,
    };
    Ok(insert_row(db, mailbox, &new, Some(folder.id), change, now)?)
}

fn insert_row(
    db: &Connection,
    mailbox: MailboxKey,
    new: &NewFolder<'_>,
    distinguished: Option<&str>,
    change: ChangeNumber,
    now: WallTime,
) -> rusqlite::Result<FolderKey> {
    db.prepare_cached(
        "INSERT INTO folder (mailbox, parent, distinguished, kind, name, folded_name, class, created, modified,
                             created_change, change)
         VALUES (?1, nullif(?2, 0), ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?9)",
    )?
    .execute(params![
        mailbox.0,
        new.parent.0,
        distinguished,
        kind_number(new.kind),
        new.name,
        text::fold(new.name),
        new.class,
        now.unix_micros(),
        change.0,
    ])?;
    Ok(FolderKey(db.last_insert_rowid()))
}

/// Stores a folder's name, class and place in the tree, and tells of the change.
pub(crate) fn update(visit: &Visit<'_>, folder: &StoredFolder) -> Outcome<StoredFolder> {
    if let Some(parent) = folder.parent {
        check_name(visit, parent, &folder.name, Some(folder.key))?;
    }
    let change = visit.next_change()?;
    visit
        .db
        .prepare_cached(
            "UPDATE folder SET parent = ?2, name = ?3, folded_name = ?4, class = ?5, modified = ?6, change = ?7
             WHERE id = ?1",
        )?
        .execute(params![
            folder.key.0,
            folder.parent.map(|parent| parent.0),
            folder.name,
            text::fold(&folder.name),
            folder.class,
            visit.now().unix_micros(),
            change.0,
        ])?;
    let stored = by_key(visit, folder.key)?;
    visit.tell(News::about_folder(NewsKind::Modified, visit, &stored, change));
    Ok(stored)
}

/// Removes a folder that holds neither items nor folders, and remembers that it was there.
pub(crate) fn remove(visit: &Visit<'_>, folder: &StoredFolder) -> Outcome<()> {
    let change = visit.next_change()?;
    visit
        .db
        .prepare_cached(
            "INSERT INTO folder_tombstone (mailbox, folder, created_change, change) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![visit.mailbox.0, folder.key.0, folder.created_change.0, change.0])?;
    visit.db.prepare_cached("DELETE FROM folder WHERE id = ?1")?.execute([folder.key.0])?;
    visit.tell(News::about_folder(NewsKind::Deleted, visit, folder, change));
    Ok(())
}

/// The further properties of a folder.
pub(crate) fn properties(visit: &Visit<'_>, folder: FolderKey) -> Outcome<Vec<(PropertyPath, Value)>> {
    let mut statement =
        visit.db.prepare_cached("SELECT path, kind, value FROM folder_property WHERE folder = ?1")?;
    let mut rows = statement.query([folder.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        if let (Some(path), Some(value)) =
            (path::from_text(&name), value::from_sql(row.get(1)?, row.get_ref(2)?))
        {
            found.push((path, value));
        }
    }
    Ok(found)
}

/// One of the further properties of a folder.
pub(crate) fn property(visit: &Visit<'_>, folder: FolderKey, name: &PropertyPath) -> Outcome<Option<Value>> {
    let sql = "SELECT kind, value FROM folder_property WHERE folder = ?1 AND path = ?2";
    let mut statement = visit.db.prepare_cached(sql)?;
    let read = |row: &SqlRow<'_>| Ok(value::from_sql(row.get(0)?, row.get_ref(1)?));
    Ok(statement.query_row(params![folder.0, path::to_text(name)], read).optional()?.flatten())
}

/// Stores or removes one further property of a folder.
pub(crate) fn set_property(
    visit: &Visit<'_>,
    folder: FolderKey,
    name: &PropertyPath,
    new: Option<&Value>,
) -> Outcome<()> {
    let name = path::to_text(name);
    match new {
        Some(new) => {
            let (kind, stored) = value::to_sql(new);
            visit
                .db
                .prepare_cached("INSERT OR REPLACE INTO folder_property VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![folder.0, name, kind, stored])?;
        }
        None => {
            visit
                .db
                .prepare_cached("DELETE FROM folder_property WHERE folder = ?1 AND path = ?2")?
                .execute(params![folder.0, name])?;
        }
    }
    Ok(())
}

/// Refuses where `address` is not the owner of the opened mailbox.
pub(crate) fn check_own(visit: &Visit<'_>, address: &str) -> Outcome<()> {
    let own = &visit.session.mailbox;
    if own.is_called(address) {
        return Ok(());
    }
    match visit.people.local(address) {
        Some(person) if own.is_called(&person.address) => Ok(()),
        Some(_) => Err(Failure::told(
            "ErrorAccessDenied",
            "Access is denied. The folder belongs to another's mailbox.",
        )),
        None => Err(Failure::told("ErrorNonExistentMailbox", "No mailbox has this address.")),
    }
}

fn check_name(visit: &Visit<'_>, parent: FolderKey, name: &str, own: Option<FolderKey>) -> Outcome<()> {
    match named(visit, parent, name)? {
        Some(other) if Some(other) != own => {
            Err(Failure::told("ErrorFolderExists", "A folder with the specified name already exists."))
        }
        Some(_) | None => Ok(()),
    }
}

fn not_found() -> Failure {
    Failure::told("ErrorFolderNotFound", "The specified folder could not be found in the store.")
}

/// The number that is stored for a kind of folder.
const fn kind_number(kind: FolderKind) -> i64 {
    match kind {
        FolderKind::Folder => 0,
        FolderKind::CalendarFolder => 1,
        FolderKind::ContactsFolder => 2,
        FolderKind::TasksFolder => 3,
        FolderKind::SearchFolder => 4,
    }
}

fn kind_from_number(number: ValueRef<'_>) -> FromSqlResult<FolderKind> {
    Ok(match number.as_i64()? {
        0 => FolderKind::Folder,
        1 => FolderKind::CalendarFolder,
        2 => FolderKind::ContactsFolder,
        3 => FolderKind::TasksFolder,
        4 => FolderKind::SearchFolder,
        other => return Err(FromSqlError::OutOfRange(other)),
    })
}
