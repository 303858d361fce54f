//! What the operations add to a message.

use super::super::property::{Folder, FolderId, Item, ItemId, Mailbox};
use super::super::request::AlternateId;
use super::super::response::{Change, Changes, EventSubject, Events, Found, MailboxEvent, Paging, Person};
use super::super::time;
use super::super::xml::Element;
use super::markup::{close, empty, empty_tag, leaf, open, tag, truth};
use super::value;

/// `m:Items`.
pub(super) fn items(items: &[Item], out: &mut Vec<u8>) {
    list("m:Items", items, value::item, out);
}

/// `m:Folders`.
pub(super) fn folders(folders: &[Folder], out: &mut Vec<u8>) {
    list("m:Folders", folders, value::folder, out);
}

fn list<T>(name: &str, entries: &[T], write: impl Fn(&T, &mut Vec<u8>), out: &mut Vec<u8>) {
    if entries.is_empty() {
        return empty(out, name);
    }
    open(out, name);
    for entry in entries {
        write(entry, out);
    }
    close(out, name);
}

/// `m:RootFolder` with items.
pub(super) fn found_items(found: &Found<Item>, out: &mut Vec<u8>) {
    root_folder(found, out);
    list("t:Items", &found.page, value::item, out);
    close(out, "m:RootFolder");
}

/// `m:RootFolder` with folders.
pub(super) fn found_folders(found: &Found<Folder>, out: &mut Vec<u8>) {
    root_folder(found, out);
    list("t:Folders", &found.page, value::folder, out);
    close(out, "m:RootFolder");
}

/// Opens `m:RootFolder`: where the next page begins, how many there are, and whether these are the last (E4).
fn root_folder<T>(found: &Found<T>, out: &mut Vec<u8>) {
    let (total, last) = (found.total.to_string(), truth(found.last));
    let rest = [("TotalItemsInView", total.as_str()), ("IncludesLastItemInRange", last)];
    match found.paging {
        Paging::None => tag(out, "m:RootFolder", &rest),
        Paging::Indexed(offset) => {
            let [total, last] = rest;
            tag(out, "m:RootFolder", &[("IndexedPagingOffset", &offset.to_string()), total, last]);
        }
        Paging::Fractional { numerator, denominator } => {
            let (numerator, denominator) = (numerator.to_string(), denominator.to_string());
            let [total, last] = rest;
            let fraction = [("NumeratorOffset", numerator.as_str()), ("AbsoluteDenominator", &denominator)];
            let [numerator, denominator] = fraction;
            tag(out, "m:RootFolder", &[numerator, denominator, total, last]);
        }
    }
}

/// `m:ConflictResults`: an update never leaves a conflict behind.
pub(super) fn no_conflicts(out: &mut Vec<u8>) {
    open(out, "m:ConflictResults");
    leaf(out, "t:Count", "0");
    close(out, "m:ConflictResults");
}

/// A folder's changes.
pub(super) fn item_changes(changes: &Changes<Item, ItemId>, out: &mut Vec<u8>) {
    let identify = |id: &ItemId, out: &mut Vec<u8>| item_id("t:ItemId", id, out);
    write_changes(changes, "m:IncludesLastItemInRange", value::item, identify, out);
}

/// The folder tree's changes.
pub(super) fn folder_changes(changes: &Changes<Folder, FolderId>, out: &mut Vec<u8>) {
    let identify = |id: &FolderId, out: &mut Vec<u8>| folder_id("t:FolderId", id, out);
    write_changes(changes, "m:IncludesLastFolderInRange", value::folder, identify, out);
}

fn write_changes<T, Id>(
    changes: &Changes<T, Id>,
    last: &str,
    write: impl Fn(&T, &mut Vec<u8>),
    identify: impl Fn(&Id, &mut Vec<u8>),
    out: &mut Vec<u8>,
) {
    let change = |change: &Change<T, Id>, out: &mut Vec<u8>| {
        let name = match change {
            Change::Create(_) => "t:Create",
            Change::Update(_) => "t:Update",
            Change::Delete(_) => "t:Delete",
            Change::ReadFlag(..) => "t:ReadFlagChange",
        };
        open(out, name);
        match change {
            Change::Create(thing) | Change::Update(thing) => write(thing, out),
            Change::Delete(id) => identify(id, out),
            Change::ReadFlag(id, read) => {
                identify(id, out);
                leaf(out, "t:IsRead", truth(*read));
            }
        }
        close(out, name);
    };
    leaf(out, "m:SyncState", &changes.state);
    leaf(out, last, truth(changes.last));
    list("m:Changes", &changes.changes, change, out);
}

fn item_id(name: &str, id: &ItemId, out: &mut Vec<u8>) {
    value::identifier(name, &id.id, id.change_key.as_deref(), out);
}

fn folder_id(name: &str, id: &FolderId, out: &mut Vec<u8>) {
    value::identifier(name, &id.id, id.change_key.as_deref(), out);
}

/// `m:Notification`.
pub(super) fn events(events: &Events, out: &mut Vec<u8>) {
    open(out, "m:Notification");
    leaf(out, "t:SubscriptionId", &events.subscription);
    leaf(out, "t:PreviousWatermark", &events.previous);
    leaf(out, "t:MoreEvents", truth(events.more));
    for event in &events.events {
        write_event(event, out);
    }
    close(out, "m:Notification");
}

fn write_event(event: &MailboxEvent, out: &mut Vec<u8>) {
    let name = format!("t:{}", event.kind);
    open(out, &name);
    leaf(out, "t:Watermark", &event.watermark);
    if let Some(subject) = &event.subject {
        write_subject(subject, out);
    }
    close(out, &name);
}

fn write_subject(subject: &EventSubject, out: &mut Vec<u8>) {
    leaf(out, "t:TimeStamp", &time::format(subject.at));
    match (&subject.item, &subject.folder) {
        (Some(item), _) => item_id("t:ItemId", item, out),
        (None, Some(folder)) => folder_id("t:FolderId", folder, out),
        (None, None) => {}
    }
    folder_id("t:ParentFolderId", &subject.parent, out);
    let Some(old) = &subject.old else { return };
    match (&old.item, &old.folder) {
        (Some(item), _) => item_id("t:OldItemId", item, out),
        (None, Some(folder)) => folder_id("t:OldFolderId", folder, out),
        (None, None) => {}
    }
    folder_id("t:OldParentFolderId", &old.parent, out);
}

/// `m:ResolutionSet`.
pub(super) fn people(people: &[Person], complete: bool, full_contact: bool, out: &mut Vec<u8>) {
    let total = people.len().to_string();
    let attributes = [("TotalItemsInView", total.as_str()), ("IncludesLastItemInRange", truth(complete))];
    tag(out, "m:ResolutionSet", &attributes);
    for person in people {
        open(out, "t:Resolution");
        value::mailbox(&person.mailbox, out);
        if full_contact {
            contact(person, out);
        }
        close(out, "t:Resolution");
    }
    close(out, "m:ResolutionSet");
}

fn contact(person: &Person, out: &mut Vec<u8>) {
    open(out, "t:Contact");
    if let Some(name) = &person.mailbox.name {
        leaf(out, "t:DisplayName", name);
    }
    if let Some(address) = &person.mailbox.address {
        open(out, "t:EmailAddresses");
        value::entry("EmailAddress1", address, out);
        close(out, "t:EmailAddresses");
    }
    leaf(out, "t:ContactSource", "ActiveDirectory");
    if let Some(alias) = &person.alias {
        leaf(out, "t:Alias", alias);
    }
    close(out, "t:Contact");
}

/// `m:AlternateId`.
pub(super) fn converted(id: &AlternateId, out: &mut Vec<u8>) {
    let mut attributes = vec![
        ("xsi:type", "t:AlternateIdType"),
        ("Format", id.format.as_str()),
        ("Id", id.id.as_str()),
        ("Mailbox", id.mailbox.as_str()),
    ];
    if id.archive {
        attributes.push(("IsArchive", "true"));
    }
    empty_tag(out, "m:AlternateId", &attributes);
}

/// `m:TimeZoneDefinitions`.
pub(super) fn time_zones(zones: &[Element], out: &mut Vec<u8>) {
    list("m:TimeZoneDefinitions", zones, Element::write, out);
}

/// `m:ResponseMessages` with a message for each delegate.
pub(super) fn delegates(delegates: &[Mailbox], out: &mut Vec<u8>) {
    let delegate = |delegate: &Mailbox, out: &mut Vec<u8>| {
        tag(out, "m:DelegateUserResponseMessageType", &[("ResponseClass", "Success")]);
        leaf(out, "m:ResponseCode", "NoError");
        open(out, "m:DelegateUser");
        open(out, "t:UserId");
        if let Some(address) = &delegate.address {
            leaf(out, "t:PrimarySmtpAddress", address);
        }
        if let Some(name) = &delegate.name {
            leaf(out, "t:DisplayName", name);
        }
        close(out, "t:UserId");
        close(out, "m:DelegateUser");
        close(out, "m:DelegateUserResponseMessageType");
    };
    list("m:ResponseMessages", delegates, delegate, out);
    leaf(out, "m:DeliverMeetingRequests", "DelegatesAndMe");
}
