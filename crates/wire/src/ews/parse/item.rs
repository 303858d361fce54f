//! The operations on items.

use jiff::tz::TimeZone;

use super::super::property::Properties;
use super::super::request::{
    ConflictResolution, CreateItem, DeleteItem, DeleteType, Disposition, GetItem, ItemChange, SendItem,
    TransferItem, Update, UpdateItem,
};
use super::super::xml::Element;
use super::{RequestError, part, path, value};

/// `GetItem`.
pub(super) fn get(operation: &Element) -> Result<GetItem, RequestError> {
    Ok(GetItem { shape: path::shape(operation, "ItemShape")?, items: path::item_ids(operation, "ItemIds")? })
}

/// `CreateItem`.
pub(super) fn create(mut operation: Element, zone: &TimeZone) -> Result<CreateItem, RequestError> {
    let items = part::take_list(&mut operation, "Items")?;
    Ok(CreateItem {
        disposition: disposition(&operation)?,
        invitations: operation.attribute("SendMeetingInvitations").map(str::to_owned),
        folder: path::optional_folder_in(&operation, "SavedItemFolderId")?,
        items: items.into_iter().map(|item| value::item(item, zone)).collect::<Result<_, _>>()?,
    })
}

fn disposition(operation: &Element) -> Result<Option<Disposition>, RequestError> {
    let choices = &[
        ("SaveOnly", Disposition::SaveOnly),
        ("SendOnly", Disposition::SendOnly),
        ("SendAndSaveCopy", Disposition::SendAndSaveCopy),
    ];
    let stated = operation.attribute("MessageDisposition");
    stated.map(|text| part::choice("MessageDisposition", text, choices)).transpose()
}

/// `SendItem`.
pub(super) fn send(operation: &Element) -> Result<SendItem, RequestError> {
    Ok(SendItem {
        save_copy: part::truth(operation, "SaveItemToFolder")?.unwrap_or(true),
        folder: path::optional_folder_in(operation, "SavedItemFolderId")?,
        items: path::item_ids(operation, "ItemIds")?,
    })
}

/// `UpdateItem`.
pub(super) fn update(mut operation: Element, zone: &TimeZone) -> Result<UpdateItem, RequestError> {
    let conflicts = &[
        ("NeverOverwrite", ConflictResolution::NeverOverwrite),
        ("AutoResolve", ConflictResolution::AutoResolve),
        ("AlwaysOverwrite", ConflictResolution::AlwaysOverwrite),
    ];
    let changes = part::take_list(&mut operation, "ItemChanges")?;
    let conflict = operation.attribute("ConflictResolution").unwrap_or("AutoResolve");
    Ok(UpdateItem {
        disposition: disposition(&operation)?,
        conflict: part::choice("ConflictResolution", conflict, conflicts)?,
        changes: changes.into_iter().map(|item| change(item, zone)).collect::<Result<_, _>>()?,
    })
}

fn change(mut change: Element, zone: &TimeZone) -> Result<ItemChange, RequestError> {
    let updates = part::take_list(&mut change, "Updates")?;
    let item = change.children.first().ok_or_else(|| part::missing(&change, "ItemId"))?;
    let properties =
        |item: Element| -> Result<Properties, RequestError> { Ok(value::item(item, zone)?.properties) };
    let updates =
        updates.into_iter().map(|update| update_of(update, &properties)).collect::<Result<_, _>>()?;
    Ok(ItemChange { item: path::item_id(item)?, updates })
}

/// One update: a path, and the item or folder in whose shape the value comes.
pub(super) fn update_of(
    mut update: Element,
    properties: &dyn Fn(Element) -> Result<Properties, RequestError>,
) -> Result<Update, RequestError> {
    let path = path::path_in(&update)?;
    let make = match update.name.as_str() {
        "SetItemField" | "SetFolderField" => Update::Set,
        "AppendToItemField" | "AppendToFolderField" => Update::Append,
        "DeleteItemField" | "DeleteFolderField" => return Ok(Update::Delete(path)),
        _ => return Err(RequestError::unsupported("Updates", &update)),
    };
    let holder = update.children.iter().position(|child| !path::is_path(child));
    let holder = holder.ok_or_else(|| part::missing(&update, "an item or folder with the value"))?;
    let mut values = properties(update.children.swap_remove(holder))?;
    let value = values.remove(&path).ok_or_else(|| part::missing(&update, "the value of its property"))?;
    Ok(make(path, value))
}

/// `DeleteItem`.
pub(super) fn delete(operation: &Element) -> Result<DeleteItem, RequestError> {
    Ok(DeleteItem { how: delete_type(operation)?, items: path::item_ids(operation, "ItemIds")? })
}

/// The attribute `DeleteType`.
pub(super) fn delete_type(operation: &Element) -> Result<DeleteType, RequestError> {
    let choices = &[
        ("HardDelete", DeleteType::HardDelete),
        ("SoftDelete", DeleteType::SoftDelete),
        ("MoveToDeletedItems", DeleteType::MoveToDeletedItems),
    ];
    part::choice("DeleteType", part::attribute(operation, "DeleteType")?, choices)
}

/// `MoveItem` and `CopyItem`.
pub(super) fn transfer(operation: &Element) -> Result<TransferItem, RequestError> {
    Ok(TransferItem {
        to: path::folder_in(operation, "ToFolderId")?,
        items: path::item_ids(operation, "ItemIds")?,
        return_new_ids: part::child_truth(operation, "ReturnNewItemIds")?.unwrap_or(true),
    })
}
