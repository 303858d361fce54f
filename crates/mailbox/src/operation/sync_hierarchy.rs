//! `SyncFolderHierarchy`: what changed in the folder tree since a state.
//!
//! The state holds the number of the mailbox's last change when the client asked. Everything fits in one answer: the
//! folders of a mailbox are bounded.

use rusqlite::params;
use weir_wire::ews::request::SyncFolderHierarchy;
use weir_wire::ews::response::{Answer, Change, Changes};

use super::sync_items::invalid_state;
use crate::server::{Outcome, Visit};
use crate::store::identifier::{self, FolderKey};
use crate::store::shape::{self, Wanted};
use crate::store::{distinguished, folder};

const STATE_TAG: u8 = b'T';

pub(super) fn carry_out(visit: &Visit<'_>, sync: &SyncFolderHierarchy) -> Outcome<Answer> {
    let top = match &sync.folder {
        Some(named) => folder::find(visit, named)?.key,
        None => folder::distinguished(visit, distinguished::ROOT)?,
    };
    let since = since(visit, sync.state.as_deref().filter(|state| !state.is_empty()), top)?;
    let wanted = Wanted::whole(&sync.shape);
    let mut changes = Vec::new();
    for stored in folder::below(visit, top)?.into_iter().filter(|stored| stored.change.0 > since) {
        let shown = shape::folder(visit, &stored, &wanted)?;
        let is_new = stored.created_change.0 > since;
        changes.push((stored.change.0, if is_new { Change::Create(shown) } else { Change::Update(shown) }));
    }
    for (key, change) in deleted(visit, since)? {
        changes.push((change, Change::Delete(identifier::bare_folder_id(visit.mailbox, key))));
    }
    // Parents came into being before their children, so that a client that reads on never misses a parent.
    changes.sort_by_key(|(change, _)| *change);
    let state = identifier::write_numbers(STATE_TAG, &[visit.mailbox.0, top.0, visit.last_change()?.0]);
    let changes = changes.into_iter().map(|(_, change)| change).collect();
    Ok(Answer::FolderChanges(Changes { state, last: true, changes }))
}

fn since(visit: &Visit<'_>, state: Option<&str>, top: FolderKey) -> Outcome<i64> {
    let Some(state) = state else { return Ok(0) };
    match identifier::read_numbers(STATE_TAG, state) {
        Some([mailbox, folder, since]) if mailbox == visit.mailbox.0 && folder == top.0 => Ok(since),
        Some(_) | None => Err(invalid_state()),
    }
}

fn deleted(visit: &Visit<'_>, since: i64) -> Outcome<Vec<(FolderKey, i64)>> {
    if since == 0 {
        return Ok(Vec::new());
    }
    let mut statement = visit.db.prepare_cached(
        "SELECT folder, change FROM folder_tombstone WHERE mailbox = ?1 AND change > ?2 AND created_change <= ?2",
    )?;
    let rows = statement
        .query_map(params![visit.mailbox.0, since], |row| Ok((FolderKey(row.get(0)?), row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
