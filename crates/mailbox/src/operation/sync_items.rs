//! `SyncFolderItems`: what changed in a folder since a state, a bounded number of changes at a time.
//!
//! A state holds three change numbers. `since`: up to there the client knew everything when the pass began. `cursor`:
//! how far the pass came. `ceiling`: the mailbox's last change when the pass began. Items that came after `since` are
//! given in the order in which they came, which never changes, so that a pass misses nothing however often an item is
//! changed while it runs; changes and deletions of older items follow in the order of their last change. An item that
//! the pass gave already is given again only if it changed after `ceiling`. A pass that gave everything ends: its
//! state says the last change three times, and a folder at rest then has nothing to tell.

use std::collections::BTreeSet;

use rusqlite::params;
use weir_wire::ews::property::ItemId;
use weir_wire::ews::request::SyncFolderItems;
use weir_wire::ews::response::{Answer, Change, Changes};

use crate::server::{Failure, Outcome, Visit};
use crate::store::folder::{self, StoredFolder};
use crate::store::identifier::{self, ChangeNumber, Format, ItemKey, Named};
use crate::store::item;
use crate::store::shape::{self, Wanted};

const STATE_TAG: u8 = b'Y';
/// The most changes in one answer.
const MAX_CHANGES: u32 = 512;

#[derive(Clone, Copy, Debug)]
struct State {
    since: i64,
    cursor: i64,
    ceiling: i64,
}

/// What is to be told of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Create,
    Update,
    ReadFlag,
    Delete,
}

pub(super) fn carry_out(visit: &Visit<'_>, sync: &SyncFolderItems) -> Outcome<Answer> {
    let folder = folder::find(visit, &sync.folder)?;
    let last_change = visit.last_change()?.0;
    let state =
        read_state(visit, sync.state.as_deref().filter(|state| !state.is_empty()), &folder, last_change)?;
    let max = usize::try_from(sync.max.clamp(1, MAX_CHANGES)).unwrap_or(1);
    let mut entries = entries(visit, &folder, state, max + 1)?;
    let last = entries.len() <= max;
    entries.truncate(max);
    let next = match entries.last() {
        Some((place, _, _)) if !last => State { cursor: *place, ..state },
        Some(_) | None => State { since: last_change, cursor: last_change, ceiling: last_change },
    };
    let ignored = ignored(&sync.ignore);
    let wanted = Wanted::summary(&sync.shape);
    let mut changes = Vec::new();
    for (_, key, told) in entries.into_iter().filter(|(_, key, _)| !ignored.contains(key)) {
        changes.extend(change(visit, key, told, &wanted)?);
    }
    let numbers = [visit.mailbox.0, folder.key.0, next.since, next.cursor, next.ceiling];
    Ok(Answer::ItemChanges(Changes { state: identifier::write_numbers(STATE_TAG, &numbers), last, changes }))
}

/// What a state that is none of the folder's is answered.
pub(super) fn invalid_state() -> Failure {
    Failure::told(
        "ErrorInvalidSyncStateData",
        "The sync state is not one of this folder's. Synchronise from the beginning.",
    )
}

fn read_state(
    visit: &Visit<'_>,
    text: Option<&str>,
    folder: &StoredFolder,
    last_change: i64,
) -> Outcome<State> {
    let Some(text) = text else { return Ok(State { since: 0, cursor: 0, ceiling: last_change }) };
    match identifier::read_numbers(STATE_TAG, text) {
        Some([mailbox, key, since, cursor, ceiling])
            if mailbox == visit.mailbox.0
                && key == folder.key.0
                && (cursor == 0 || cursor >= folder.forgotten.0) =>
        {
            // A state at rest begins a pass of its own.
            let ceiling = if since == cursor { last_change } else { ceiling };
            Ok(State { since, cursor, ceiling })
        }
        Some(_) | None => Err(invalid_state()),
    }
}

/// At most `max` entries after the cursor: where each stands, which item, what is to be told.
fn entries(
    visit: &Visit<'_>,
    folder: &StoredFolder,
    state: State,
    max: usize,
) -> Outcome<Vec<(i64, ItemKey, Told)>> {
    let mut statement = visit.db.prepare_cached(
        "SELECT created_change, id, 0 FROM item
             WHERE folder = ?1 AND place = 0 AND created_change > ?3
         UNION ALL
         SELECT change, id, CASE WHEN content_change > ?2 THEN 1 ELSE 2 END FROM item
             WHERE folder = ?1 AND place = 0 AND change > ?3 AND created_change <= ?2
         UNION ALL
         SELECT change, id, CASE WHEN content_change > ?4 THEN 1 ELSE 2 END FROM item
             WHERE folder = ?1 AND place = 0 AND change > ?3 AND change > ?4
                   AND created_change > ?2 AND created_change <= ?3
         UNION ALL
         SELECT change, item, 3 FROM tombstone
             WHERE folder = ?1 AND change > ?3 AND created_change <= ?2
         UNION ALL
         SELECT change, item, 3 FROM tombstone
             WHERE folder = ?1 AND change > ?3 AND change > ?4 AND created_change > ?2 AND created_change <= ?3
         ORDER BY 1 LIMIT ?5",
    )?;
    let limit = i64::try_from(max).unwrap_or(i64::MAX);
    let rows = statement.query_map(
        params![folder.key.0, state.since, state.cursor, state.ceiling, limit],
        |row| {
            let told = match row.get::<_, i64>(2)? {
                0 => Told::Create,
                1 => Told::Update,
                2 => Told::ReadFlag,
                _ => Told::Delete,
            };
            Ok((row.get(0)?, ItemKey(row.get(1)?), told))
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn change(
    visit: &Visit<'_>,
    key: ItemKey,
    told: Told,
    wanted: &Wanted,
) -> Outcome<Option<Change<weir_wire::ews::property::Item, ItemId>>> {
    if told == Told::Delete {
        let id = identifier::item_id(visit.mailbox, key, ChangeNumber(0));
        return Ok(Some(Change::Delete(id)));
    }
    let Some(row) = item::row(visit, key)? else { return Ok(None) };
    Ok(Some(match told {
        Told::ReadFlag => Change::ReadFlag(row.id(), row.is_read),
        Told::Create => Change::Create(shape::item(visit, row, wanted)?),
        Told::Update | Told::Delete => Change::Update(shape::item(visit, row, wanted)?),
    }))
}

fn ignored(ids: &[ItemId]) -> BTreeSet<ItemKey> {
    ids.iter()
        .filter_map(|id| match identifier::read(Format::Ews, &id.id) {
            Some(Named::Item(_, key)) => Some(key),
            Some(Named::Folder(..)) | None => None,
        })
        .collect()
}
