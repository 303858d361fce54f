//! The operations on folders.

use jiff::tz::TimeZone;

use super::super::property::Properties;
use super::super::request::{CreateFolder, DeleteFolder, FolderChange, GetFolder, UpdateFolder};
use super::super::xml::Element;
use super::{RequestError, item, part, path, value};

/// `GetFolder`.
pub(super) fn get(operation: &Element) -> Result<GetFolder, RequestError> {
    Ok(GetFolder {
        shape: path::shape(operation, "FolderShape")?,
        folders: path::folder_refs(operation, "FolderIds")?,
    })
}

/// `CreateFolder`.
pub(super) fn create(mut operation: Element, zone: &TimeZone) -> Result<CreateFolder, RequestError> {
    let parent = path::folder_in(&operation, "ParentFolderId")?;
    let folders = part::take_list(&mut operation, "Folders")?;
    let folders = folders.into_iter().map(|folder| value::folder(folder, zone)).collect::<Result<_, _>>()?;
    Ok(CreateFolder { parent, folders })
}

/// `UpdateFolder`.
pub(super) fn update(mut operation: Element, zone: &TimeZone) -> Result<UpdateFolder, RequestError> {
    let changes = part::take_list(&mut operation, "FolderChanges")?;
    let changes = changes.into_iter().map(|folder| change(folder, zone)).collect::<Result<_, _>>()?;
    Ok(UpdateFolder { changes })
}

fn change(mut change: Element, zone: &TimeZone) -> Result<FolderChange, RequestError> {
    let updates = part::take_list(&mut change, "Updates")?;
    let folder = change.children.first().ok_or_else(|| part::missing(&change, "FolderId"))?;
    let properties =
        |folder: Element| -> Result<Properties, RequestError> { Ok(value::folder(folder, zone)?.properties) };
    let updates =
        updates.into_iter().map(|update| item::update_of(update, &properties)).collect::<Result<_, _>>()?;
    Ok(FolderChange { folder: path::folder_ref(folder)?, updates })
}

/// `DeleteFolder`.
pub(super) fn delete(operation: &Element) -> Result<DeleteFolder, RequestError> {
    Ok(DeleteFolder {
        how: item::delete_type(operation)?,
        folders: path::folder_refs(operation, "FolderIds")?,
    })
}
