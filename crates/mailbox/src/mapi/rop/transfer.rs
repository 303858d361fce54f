//! Messages of a folder, many at once: deleted, moved, copied, marked as read (MS-OXCFOLD).
//!
//! Each of these is one transaction for all its messages. Those that are not there any more do not stop it; the answer
//! says that not all was done.

use std::sync::Arc;

use weir_wire::mapi::call::folder::{MoveCopyMessages, SetReadFlags};
use weir_wire::mapi::call::message::SetMessageReadFlag;
use weir_wire::mapi::error_code::ErrorCode;

use super::{Done, Work};
use crate::mapi::id;
use crate::mapi::property::message::View;
use crate::server::{NewsKind, Outcome};
use crate::session::Session;
use crate::store::identifier::FolderKey;
use crate::store::record::{Place, Row};
use crate::store::{folder, item};

/// Messages that are held in memory while all of a folder are marked.
const MESSAGES_AT_ONCE: u32 = 500;

/// Deletes messages of a folder: for good, or so that they can be recovered. Says whether some were not there.
pub(in crate::mapi) fn delete(work: &mut Work<'_>, from: u8, ids: &[u64], hard: bool) -> Done<bool> {
    let (logon, folder) = work.folder(from)?;
    work.change(&logon, |view| {
        each(view, folder, ids, |view, row| {
            if hard || row.place == Place::SoftDeleted {
                item::remove(view.visit, &row)
            } else {
                item::soft_delete(view.visit, &row)
            }
        })
    })
}

/// Moves or copies messages to another folder, of this mailbox or another that the session is logged on to. Says whether
/// some were not there.
pub(in crate::mapi) fn move_or_copy(work: &mut Work<'_>, call: &MoveCopyMessages) -> Done<bool> {
    let (ids, copy) = (&call.messages, call.copy);
    let (logon, source) = work.folder(call.input)?;
    let (other, target) = work.folder(call.destination).map_err(|code| match code {
        ErrorCode::NULL_OBJECT => ErrorCode::DESTINATION_NULL_OBJECT,
        code => code,
    })?;
    let far = (!Arc::ptr_eq(&logon, &other) && logon.mailbox != other.mailbox)
        .then(|| Session::of(&other.person, work.now));
    work.change(&logon, |view| match &far {
        None => {
            folder::by_key(view.visit, target)?;
            each(view, source, ids, |view, row| {
                let done = if copy {
                    item::copy(view.visit, row, target)
                } else {
                    item::transfer(view.visit, row, target)
                };
                done.map(drop)
            })
        }
        Some(session) => {
            let there = view.visit.of(session)?;
            folder::by_key(&there, target)?;
            each(view, source, ids, |view, row| {
                let mut record = item::record(view.visit, row)?;
                let old = record.row.clone();
                if record.row.place == Place::SoftDeleted {
                    record.row.place = Place::Live;
                }
                item::insert(&there, record, target, NewsKind::Created)?;
                if copy { Ok(()) } else { item::remove(view.visit, &old) }
            })
        }
    })
}

/// Marks messages of a folder as read or unread; all of it, where none is named. Says whether some were not there.
pub(in crate::mapi) fn set_read(work: &mut Work<'_>, call: &SetReadFlags) -> Done<bool> {
    let ids = &call.messages;
    let (logon, folder) = work.folder(call.input)?;
    let Some(is_read) = read_flag(call.flags) else { return Ok(false) };
    work.change(&logon, |view| {
        if ids.is_empty() {
            mark_all(view, folder, is_read)?;
            return Ok(false);
        }
        each(view, folder, ids, |view, mut row| {
            if row.is_read == is_read { Ok(()) } else { item::set_read(view.visit, &mut row, is_read) }
        })
    })
}

/// How flags mark a message; not at all, where they are about receipts, which nobody is sent here.
pub(in crate::mapi) const fn read_flag(flags: u8) -> Option<bool> {
    const RECEIPTS: u8 = SetMessageReadFlag::RECEIPT_ONLY
        | SetMessageReadFlag::CLEAR_READ_NOTICE
        | SetMessageReadFlag::CLEAR_UNREAD_NOTICE;
    let unread = flags & SetMessageReadFlag::CLEAR != 0;
    if flags & RECEIPTS != 0 && !unread { None } else { Some(!unread) }
}

fn mark_all(view: &View<'_>, folder: FolderKey, is_read: bool) -> Outcome<()> {
    loop {
        let some = item::some_unlike(view.visit, folder, is_read, MESSAGES_AT_ONCE)?;
        if some.is_empty() {
            return Ok(());
        }
        for mut row in some {
            item::set_read(view.visit, &mut row, is_read)?;
        }
    }
}

/// Carries out each for the messages that are in the folder; says whether some were not.
fn each(
    view: &View<'_>,
    folder: FolderKey,
    ids: &[u64],
    mut one: impl FnMut(&View<'_>, Row) -> Outcome<()>,
) -> Done<bool> {
    let mut partial = false;
    for id in ids {
        let row = match id::read_message(*id) {
            Some(key) => item::row(view.visit, key)?.filter(|row| row.folder == folder),
            None => None,
        };
        match row {
            Some(row) => one(view, row)?,
            None => partial = true,
        }
    }
    Ok(partial)
}
