//! `DeleteFolder`: a folder with all that is in it.
//!
//! Hard: gone. Soft: gone, its items lie in the recoverable deletions. Into the deleted items: it becomes a folder
//! there, under a name that is free.

use weir_wire::ews::property::FolderRef;
use weir_wire::ews::request::DeleteType;
use weir_wire::ews::response::Answer;

use crate::server::{Failure, Outcome, Visit};
use crate::store::folder::{self, StoredFolder};
use crate::store::identifier::FolderKey;
use crate::store::item;

/// Items that are held in memory while a folder is emptied.
const ITEMS_AT_ONCE: u32 = 500;

pub(super) fn carry_out(visit: &Visit<'_>, how: DeleteType, named: &FolderRef) -> Outcome<Answer> {
    let stored = folder::find(visit, named)?;
    if stored.distinguished.is_some() {
        return Err(Failure::told(
            "ErrorDeleteDistinguishedFolder",
            "A well-known folder cannot be deleted.",
        ));
    }
    match how {
        DeleteType::HardDelete => remove_tree(visit, &stored, None)?,
        DeleteType::SoftDelete => {
            let keep = folder::distinguished(visit, "recoverableitemsdeletions")?;
            remove_tree(visit, &stored, Some(keep))?;
        }
        DeleteType::MoveToDeletedItems => move_to_deleted(visit, stored)?,
    }
    Ok(Answer::Done)
}

/// Removes a folder with all that is in it; its items go to the folder `keep`, where one is named.
pub(crate) fn remove_tree(visit: &Visit<'_>, top: &StoredFolder, keep: Option<FolderKey>) -> Outcome<()> {
    let below = folder::below(visit, top.key)?;
    for stored in below.iter().rev().chain([top]) {
        loop {
            let some = item::some_in_folder(visit, stored.key, ITEMS_AT_ONCE)?;
            if some.is_empty() {
                break;
            }
            for row in some {
                match keep {
                    Some(keep) => drop(item::transfer(visit, row, keep)?),
                    None => item::remove(visit, &row)?,
                }
            }
        }
        folder::remove(visit, stored)?;
    }
    Ok(())
}

fn move_to_deleted(visit: &Visit<'_>, mut stored: StoredFolder) -> Outcome<()> {
    let to = folder::distinguished(visit, "deleteditems")?;
    if stored.parent == Some(to) {
        return remove_tree(visit, &stored, None);
    }
    stored.name = folder::free_name(visit, to, &stored.name)?;
    stored.parent = Some(to);
    folder::update(visit, &stored)?;
    Ok(())
}
