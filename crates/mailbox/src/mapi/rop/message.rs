//! Messages: opened, made, saved, sent, and marked as read (MS-OXCMSG).

use std::sync::Arc;

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, PropertyPath, Value};
use weir_wire::mapi::call::message::{CreateMessage, OpenMessage, SaveChangesMessage, SetMessageReadFlag};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::tag;
use weir_wire::mapi::reply::message::OpenMessage as Opened;

use super::{Done, Work, recipient, transfer};
use crate::mapi::draft::{self, Draft, Recipient};
use crate::mapi::id;
use crate::mapi::objects::{Message, Object};
use crate::mapi::property::message::View;
use crate::mime;
use crate::operation::{is_mail, send};
use crate::server::NewsKind;
use crate::store::identifier::{FolderKey, ItemKey};
use crate::store::record::{Place, Record, Row};
use crate::store::{folder, item, shape};

/// Opens a message of a folder.
pub(in crate::mapi) fn open(work: &mut Work<'_>, call: &OpenMessage) -> Done<Opened> {
    let logon = work.logon(call.input)?;
    let folder = id::read_folder(call.folder).ok_or(ErrorCode::NOT_FOUND)?;
    let key = id::read_message(call.message).ok_or(ErrorCode::NOT_FOUND)?;
    let room = work.room;
    let opened = work.read(&logon, |view| {
        let row = row_in(view, folder, key)?;
        if row.place == Place::SoftDeleted && call.mode & OpenMessage::SOFT_DELETED == 0 {
            return Err(ErrorCode::NOT_FOUND);
        }
        let record = item::without_content(view.visit, row)?;
        Ok(opened(&record, &draft::recipients(&record), room))
    })?;
    let message = Message { key: Some(key), draft: None };
    work.open(call.output, logon, Object::Message(Box::new(message)))?;
    Ok(opened)
}

/// What an open message is, with what is not saved yet.
pub(in crate::mapi) fn reload(work: &mut Work<'_>, from: u8) -> Done<Opened> {
    let room = work.room;
    let (logon, message) = work.message(from)?;
    if let Some(draft) = &message.draft {
        let recipients: Vec<Recipient> = draft.recipients().values().cloned().collect();
        return Ok(opened(&draft.record(), &recipients, room));
    }
    let key = message.key.ok_or(ErrorCode::OBJECT_DELETED)?;
    work.read(&logon, |view| {
        let row = item::row(view.visit, key)?.ok_or(ErrorCode::OBJECT_DELETED)?;
        let record = item::without_content(view.visit, row)?;
        Ok(opened(&record, &draft::recipients(&record), room))
    })
}

/// Begins a message of a folder. Nobody sees it before it is saved.
pub(in crate::mapi) fn create(work: &mut Work<'_>, call: &CreateMessage) -> Done<()> {
    let logon = work.logon(call.input)?;
    let folder = id::read_folder(call.folder).ok_or(ErrorCode::NOT_FOUND)?;
    work.read(&logon, |view| Ok(folder::by_key(view.visit, folder)?))?;
    let draft = Draft::new(logon.mailbox, folder, call.associated, work.now);
    let message = Message { key: None, draft: Some(Box::new(draft)) };
    work.open(call.output, logon, Object::Message(Box::new(message))).map(drop)
}

/// Saves what was changed of a message. Gives its identifier.
pub(in crate::mapi) fn save(work: &mut Work<'_>, call: &SaveChangesMessage) -> Done<u64> {
    let (logon, message) = work.message(call.input)?;
    let force = call.flags & SaveChangesMessage::FORCE_SAVE != 0;
    let Some(mut draft) = message.draft.take() else {
        return message.key.map(id::message).ok_or(ErrorCode::OBJECT_DELETED);
    };
    let saved = work.change(&logon, |view| draft.save(view.visit, force));
    let (_, message) = work.message(call.input)?;
    match saved {
        Ok(row) => {
            message.key = Some(row.key);
            Ok(id::message(row.key))
        }
        Err(code) => {
            message.draft = Some(draft);
            Err(code)
        }
    }
}

/// Marks a message as read or unread. Says whether it was otherwise.
pub(in crate::mapi) fn set_read(work: &mut Work<'_>, call: &SetMessageReadFlag) -> Done<bool> {
    let (logon, message) = work.message(call.input)?;
    let key = message.key.ok_or(ErrorCode::NOT_SUPPORTED)?;
    let Some(is_read) = transfer::read_flag(call.flags) else { return Ok(false) };
    work.change(&logon, |view| {
        let mut row = item::row(view.visit, key)?.ok_or(ErrorCode::OBJECT_DELETED)?;
        let changes = row.is_read != is_read;
        if changes {
            item::set_read(view.visit, &mut row, is_read)?;
        }
        Ok(changes)
    })
}

/// Sends a message, with what was changed of it, and keeps it among what was sent, unless it says otherwise.
pub(in crate::mapi) fn submit(work: &mut Work<'_>, from: u8) -> Done<()> {
    let (logon, message) = work.message(from)?;
    let (draft, stored) = (message.draft.clone(), message.key);
    let sent = work.change(&logon, |view| {
        let visit = view.visit;
        let row = stored.map(|key| item::row(visit, key)).transpose()?.flatten();
        let mut record = match (draft, row) {
            (Some(draft), row) if row.is_some() || stored.is_none() => draft.record(),
            (None, Some(row)) => item::record(visit, row)?,
            (Some(_) | None, _) => return Err(ErrorCode::OBJECT_DELETED),
        };
        if !is_mail(record.row.kind) {
            return Err(ErrorCode::NOT_SUPPORTED);
        }
        mime::build::refresh(&mut record);
        send::send(visit, &mut record)?;
        let keeps = !deletes_itself(&record);
        let to = folder::distinguished(visit, "sentitems")?;
        match stored {
            None if keeps => Ok(Some(item::insert(visit, record, to, NewsKind::Created)?.key)),
            None => Ok(None),
            Some(_) if keeps => {
                item::update(visit, &mut record)?;
                Ok(Some(item::transfer(visit, record.row, to)?.key))
            }
            Some(_) => {
                item::remove(visit, &record.row)?;
                Ok(None)
            }
        }
    })?;
    let (_, message) = work.message(from)?;
    (message.draft, message.key) = (None, sent);
    Ok(())
}

/// Works on what is changed of a message, which comes to hold `more` bytes by that.
pub(in crate::mapi) fn with_draft<T>(
    work: &mut Work<'_>,
    from: u8,
    more: usize,
    change: impl FnOnce(&View<'_>, &mut Draft) -> Done<T>,
) -> Done<T> {
    let handle = work.handle(from)?;
    with_draft_of(work, handle, more, change)
}

/// Works on what is changed of the message under a handle.
pub(in crate::mapi) fn with_draft_of<T>(
    work: &mut Work<'_>,
    handle: u32,
    more: usize,
    change: impl FnOnce(&View<'_>, &mut Draft) -> Done<T>,
) -> Done<T> {
    let left = work.state.objects.bytes_left();
    if more > left {
        return Err(ErrorCode::NOT_ENOUGH_MEMORY);
    }
    let entry = work.state.objects.entry(handle)?;
    let logon = Arc::clone(&entry.logon);
    let (mut slot, key) = {
        let message = entry.object.message()?;
        (message.draft.take(), message.key)
    };
    let done = work.read(&logon, |view| {
        if slot.is_none() {
            slot = Some(Box::new(load(view, key, left - more)?));
        }
        change(view, slot.as_mut().ok_or(ErrorCode::OBJECT_DELETED)?)
    });
    if let Ok(entry) = work.state.objects.entry(handle) {
        entry.object.message()?.draft = slot;
    }
    done
}

fn load(view: &View<'_>, key: Option<ItemKey>, left: usize) -> Done<Draft> {
    let key = key.ok_or(ErrorCode::OBJECT_DELETED)?;
    let row = item::row(view.visit, key)?.ok_or(ErrorCode::OBJECT_DELETED)?;
    if usize::try_from(row.size).unwrap_or(usize::MAX) > left {
        return Err(ErrorCode::NOT_ENOUGH_MEMORY);
    }
    Ok(Draft::of(item::record(view.visit, row)?))
}

/// The row of a message of that folder.
fn row_in(view: &View<'_>, folder: FolderKey, key: ItemKey) -> Done<Row> {
    item::row(view.visit, key)?.filter(|row| row.folder == folder).ok_or(ErrorCode::NOT_FOUND)
}

fn opened(record: &Record, recipients: &[Recipient], room: usize) -> Opened {
    let subject = record.row.subject.as_deref().unwrap_or_default();
    let topic = shape::topic(record);
    let prefix = subject.strip_suffix(topic).unwrap_or_default();
    // Half of the room is for the recipients, and a letter takes up two bytes or more.
    let shown = |text: &str| text.chars().take(room / 8).collect::<String>().as_str().into();
    Opened {
        has_named_properties: record.rest.keys().any(has_name),
        subject_prefix: shown(prefix),
        normalized_subject: shown(topic),
        recipients: recipient::listed(recipients, room / 2),
    }
}

fn has_name(path: &PropertyPath) -> bool {
    match path {
        PropertyPath::Extended(ExtendedProperty { name, .. }) => match name {
            ExtendedName::Tag(_) => false,
            ExtendedName::Named { .. } | ExtendedName::Numbered { .. } => true,
        },
        PropertyPath::Field(field) => *field == Field::CATEGORIES,
        PropertyPath::Indexed { .. } => false,
    }
}

/// Whether a message is to be kept nowhere once it is sent.
fn deletes_itself(record: &Record) -> bool {
    let name = ExtendedName::Tag(tag::DELETE_AFTER_SUBMIT.id());
    let path = PropertyPath::Extended(ExtendedProperty { name, kind: "Boolean".to_owned() });
    record.rest.get(&path) == Some(&Value::Bool(true))
}
