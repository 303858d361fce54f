//! The operations that follow changes: sync and pull subscriptions.

use super::super::request::{GetEvents, Subscribe, SyncFolderHierarchy, SyncFolderItems, Unsubscribe};
use super::super::xml::Element;
use super::{RequestError, part, path};

/// The most changes of one answer that the protocol allows to ask for.
const MAX_CHANGES: u32 = 512;

/// How long a subscription may live without a question, in minutes, as the protocol has it.
const TIMEOUT_MINUTES: std::ops::RangeInclusive<u32> = 1..=1440;

/// `SyncFolderHierarchy`.
pub(super) fn hierarchy(operation: &Element) -> Result<SyncFolderHierarchy, RequestError> {
    Ok(SyncFolderHierarchy {
        shape: path::shape(operation, "FolderShape")?,
        folder: path::optional_folder_in(operation, "SyncFolderId")?,
        state: part::optional_text(operation, "SyncState"),
    })
}

/// `SyncFolderItems`.
pub(super) fn items(operation: &Element) -> Result<SyncFolderItems, RequestError> {
    let ignore = operation.child("Ignore").map_or(&[][..], |list| &list.children);
    let stated = part::text(operation, "MaxChangesReturned")?;
    let max = part::parse("MaxChangesReturned", stated).ok().filter(|max| (1..=MAX_CHANGES).contains(max));
    Ok(SyncFolderItems {
        shape: path::shape(operation, "ItemShape")?,
        folder: path::folder_in(operation, "SyncFolderId")?,
        state: part::optional_text(operation, "SyncState"),
        max: max.ok_or_else(|| RequestError::invalid("MaxChangesReturned", stated))?,
        ignore: ignore.iter().map(path::item_id).collect::<Result<_, _>>()?,
    })
}

/// `Subscribe`, to be asked for events; those that push or stream are refused.
pub(super) fn subscribe(operation: &Element) -> Result<Subscribe, RequestError> {
    let pull =
        operation.children.first().ok_or_else(|| part::missing(operation, "PullSubscriptionRequest"))?;
    if pull.name != "PullSubscriptionRequest" {
        return Err(RequestError::unsupported("Subscribe", pull));
    }
    let all_folders = part::truth(pull, "SubscribeToAllFolders")?.unwrap_or(false);
    let folders = if all_folders { Vec::new() } else { path::folder_refs(pull, "FolderIds")? };
    let timeout = part::text(pull, "Timeout")?;
    let minutes = part::parse("Timeout", timeout).ok().filter(|minutes| TIMEOUT_MINUTES.contains(minutes));
    Ok(Subscribe {
        folders,
        all_folders,
        events: part::list(pull, "EventTypes")?.iter().map(|kind| kind.text.trim().to_owned()).collect(),
        watermark: part::optional_text(pull, "Watermark"),
        timeout_minutes: minutes.ok_or_else(|| RequestError::invalid("Timeout", timeout))?,
    })
}

/// `GetEvents`.
pub(super) fn events(operation: &Element) -> Result<GetEvents, RequestError> {
    Ok(GetEvents {
        subscription: part::text(operation, "SubscriptionId")?.to_owned(),
        watermark: part::text(operation, "Watermark")?.to_owned(),
    })
}

/// `Unsubscribe`.
pub(super) fn unsubscribe(operation: &Element) -> Result<Unsubscribe, RequestError> {
    Ok(Unsubscribe { subscription: part::text(operation, "SubscriptionId")?.to_owned() })
}
