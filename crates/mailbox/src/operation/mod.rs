//! The EWS operations, one file each.
//!
//! A request of many steps is cut into requests of one ([`one_step`]), so that a thread needs no more than what its
//! step takes, and the others wait with the caller.

mod convert_id;
mod create_folder;
mod create_item;
mod delegate;
pub(crate) mod delete_folder;
mod delete_item;
mod find_folder;
mod find_item;
mod get_folder;
mod get_item;
mod meeting;
mod notification;
mod resolve_names;
pub(crate) mod send;
mod send_item;
mod sync_hierarchy;
mod sync_items;
mod time_zones;
mod transfer_item;
mod update_folder;
mod update_item;

use weir_wire::ews::request::{
    ConvertId, CreateFolder, CreateItem, DeleteFolder, DeleteItem, FindFolder, FindItem, GetFolder, GetItem,
    Request, SendItem, TransferItem, UpdateFolder, UpdateItem,
};
use weir_wire::ews::response::Answer;

use crate::server::{Failure, Outcome, Visit};

pub(crate) use create_item::is_mail;

/// The request that asks for step `step` of `request` alone; none where there is no such step.
pub(crate) fn one_step(request: &Request, step: usize) -> Option<Request> {
    fn one<T: Clone>(list: &[T], step: usize) -> Option<Vec<T>> {
        list.get(step).map(|only| vec![only.clone()])
    }
    Some(match request {
        Request::GetFolder(all) => {
            Request::GetFolder(GetFolder { folders: one(&all.folders, step)?, shape: all.shape.clone() })
        }
        Request::FindFolder(all) => Request::FindFolder(FindFolder {
            traversal: all.traversal,
            shape: all.shape.clone(),
            view: all.view.clone(),
            restriction: all.restriction.clone(),
            parents: one(&all.parents, step)?,
        }),
        Request::FindItem(all) => Request::FindItem(FindItem {
            traversal: all.traversal,
            shape: all.shape.clone(),
            view: all.view.clone(),
            restriction: all.restriction.clone(),
            order: all.order.clone(),
            query: all.query.clone(),
            parents: one(&all.parents, step)?,
        }),
        Request::GetItem(all) => {
            Request::GetItem(GetItem { items: one(&all.items, step)?, shape: all.shape.clone() })
        }
        Request::CreateItem(all) => Request::CreateItem(CreateItem {
            disposition: all.disposition,
            invitations: all.invitations.clone(),
            folder: all.folder.clone(),
            items: one(&all.items, step)?,
        }),
        Request::SendItem(all) => Request::SendItem(SendItem {
            save_copy: all.save_copy,
            folder: all.folder.clone(),
            items: one(&all.items, step)?,
        }),
        Request::UpdateItem(all) => Request::UpdateItem(UpdateItem {
            disposition: all.disposition,
            conflict: all.conflict,
            changes: one(&all.changes, step)?,
        }),
        Request::DeleteItem(all) => {
            Request::DeleteItem(DeleteItem { how: all.how, items: one(&all.items, step)? })
        }
        Request::MoveItem(all) => Request::MoveItem(one_transfer(all, one(&all.items, step)?)),
        Request::CopyItem(all) => Request::CopyItem(one_transfer(all, one(&all.items, step)?)),
        Request::CreateFolder(all) => Request::CreateFolder(CreateFolder {
            parent: all.parent.clone(),
            folders: one(&all.folders, step)?,
        }),
        Request::UpdateFolder(all) => {
            Request::UpdateFolder(UpdateFolder { changes: one(&all.changes, step)? })
        }
        Request::DeleteFolder(all) => {
            Request::DeleteFolder(DeleteFolder { how: all.how, folders: one(&all.folders, step)? })
        }
        Request::ConvertId(all) => {
            Request::ConvertId(ConvertId { format: all.format.clone(), ids: one(&all.ids, step)? })
        }
        Request::SyncFolderHierarchy(_)
        | Request::SyncFolderItems(_)
        | Request::Subscribe(_)
        | Request::GetEvents(_)
        | Request::Unsubscribe(_)
        | Request::ResolveNames(_)
        | Request::GetServerTimeZones(_)
        | Request::GetDelegate(_) => return (step == 0).then(|| request.clone()),
    })
}

fn one_transfer(all: &TransferItem, items: Vec<weir_wire::ews::property::ItemId>) -> TransferItem {
    TransferItem { to: all.to.clone(), items, return_new_ids: all.return_new_ids }
}

/// Carries out a request of one step.
pub(crate) fn carry_out(visit: &Visit<'_>, request: Request) -> Outcome<Answer> {
    match request {
        Request::GetFolder(get) => get_folder::carry_out(visit, &get.shape, &only(get.folders)?),
        Request::FindFolder(mut find) => {
            let parent = only(std::mem::take(&mut find.parents))?;
            find_folder::carry_out(visit, &find, &parent)
        }
        Request::FindItem(mut find) => {
            let parent = only(std::mem::take(&mut find.parents))?;
            find_item::carry_out(visit, &find, &parent)
        }
        Request::GetItem(get) => get_item::carry_out(visit, &get.shape, &only(get.items)?),
        Request::CreateItem(mut create) => {
            let item = only(std::mem::take(&mut create.items))?;
            create_item::carry_out(visit, &create, item)
        }
        Request::SendItem(mut send) => {
            let item = only(std::mem::take(&mut send.items))?;
            send_item::carry_out(visit, &send, &item)
        }
        Request::UpdateItem(mut update) => {
            let change = only(std::mem::take(&mut update.changes))?;
            update_item::carry_out(visit, &update, change)
        }
        Request::DeleteItem(delete) => delete_item::carry_out(visit, delete.how, &only(delete.items)?),
        Request::MoveItem(transfer) => transfer_item::move_to(visit, &transfer.to, &only(transfer.items)?),
        Request::CopyItem(transfer) => transfer_item::copy_to(visit, &transfer.to, &only(transfer.items)?),
        Request::CreateFolder(create) => {
            create_folder::carry_out(visit, &create.parent, &only(create.folders)?)
        }
        Request::UpdateFolder(update) => update_folder::carry_out(visit, only(update.changes)?),
        Request::DeleteFolder(delete) => delete_folder::carry_out(visit, delete.how, &only(delete.folders)?),
        Request::SyncFolderHierarchy(sync) => sync_hierarchy::carry_out(visit, &sync),
        Request::SyncFolderItems(sync) => sync_items::carry_out(visit, &sync),
        Request::Subscribe(subscribe) => notification::subscribe(visit, &subscribe),
        Request::GetEvents(get) => notification::events(visit, &get),
        Request::Unsubscribe(end) => notification::unsubscribe(visit, &end),
        Request::ResolveNames(resolve) => resolve_names::carry_out(visit, &resolve),
        Request::GetServerTimeZones(zones) => time_zones::carry_out(visit, &zones),
        Request::ConvertId(convert) => convert_id::carry_out(visit, &convert.format, &only(convert.ids)?),
        Request::GetDelegate(get) => delegate::carry_out(visit, &get),
    }
}

/// The only element of a list that [`one_step`] made.
fn only<T>(list: Vec<T>) -> Outcome<T> {
    list.into_iter().next().ok_or_else(|| Failure::told("ErrorInvalidRequest", "The request names nothing."))
}

#[cfg(test)]
mod tests;
