//! `MoveItem` and `CopyItem`: an item to another folder, where it has an identifier of its own.

use weir_wire::ews::property::{FolderRef, ItemId};
use weir_wire::ews::response::Answer;

use crate::server::{Outcome, Visit};
use crate::store::shape::bare_item;
use crate::store::{folder, item};

pub(super) fn move_to(visit: &Visit<'_>, to: &FolderRef, id: &ItemId) -> Outcome<Answer> {
    let (row, to) = (item::find(visit, id)?, folder::find(visit, to)?);
    Ok(Answer::Items(vec![bare_item(&item::transfer(visit, row, to.key)?)]))
}

pub(super) fn copy_to(visit: &Visit<'_>, to: &FolderRef, id: &ItemId) -> Outcome<Answer> {
    let (row, to) = (item::find(visit, id)?, folder::find(visit, to)?);
    Ok(Answer::Items(vec![bare_item(&item::copy(visit, row, to.key)?)]))
}
