//! Properties of folders, messages and mailboxes: read, set, removed (MS-OXCPRPT).

use std::sync::Arc;

use weir_wire::ews::property::Value;
use weir_wire::mapi::call::property::{GetPropertiesAll, GetPropertiesSpecific};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::{PropertyTag, PropertyType, PropertyValue, TaggedValue, tag};
use weir_wire::mapi::reply::property::{GetPropertiesSpecific as Specific, Problems, PropertyProblem};
use weir_wire::mapi::row::Cell;

use super::message::with_draft;
use super::{Done, Work};
use crate::mapi::objects::{Logon, Object};
use crate::mapi::property::message::{Shown, View, Wanted};
use crate::mapi::property::{folder as folder_properties, mailbox, message, names, value};
use crate::store::folder;
use crate::store::identifier::{FolderKey, ItemKey};
use crate::store::item;
use crate::store::record::Record;

/// The longest value that an answer has, in bytes: what is longer is not even read.
const MAX_SENT: usize = 0xFFFF;

/// What properties are read of.
enum Subject {
    Mailbox,
    Folder(FolderKey),
    Stored(ItemKey),
    Draft(Box<Shown>),
}

/// The values of these properties. One that is too long, or has no room, is an error and opened as a stream.
pub(in crate::mapi) fn specific(work: &mut Work<'_>, call: &GetPropertiesSpecific) -> Done<Specific> {
    let (logon, subject) = subject(work, call.input)?;
    let tags = &call.tags;
    let text = if call.want_unicode != 0 { PropertyType::UNICODE } else { PropertyType::STRING8 };
    let room = work.room;
    let cells = work.read(&logon, |view| cells(view, &subject, tags, MAX_SENT))?;
    let cells = cells.into_iter().zip(tags).map(|(found, tag)| match found {
        Cell::Value(value @ PropertyValue::Unicode(_)) if tag.kind() == PropertyType::UNSPECIFIED => {
            value::in_type(value, text).map_or(Cell::Absent, Cell::Value)
        }
        found @ (Cell::Value(_) | Cell::Absent | Cell::Error(_)) => found,
    });
    let cells = within(cells.collect(), call.size_limit, room)?;
    Ok(Specific { columns: tags.clone(), cells })
}

/// All properties with their values. One that is too long, or has no room, is an error.
pub(in crate::mapi) fn all(work: &mut Work<'_>, call: &GetPropertiesAll) -> Done<Vec<TaggedValue>> {
    const TAG: usize = 4;
    let tags = list(work, call.input)?;
    let room = work.room.saturating_sub(TAG * tags.len());
    let (logon, subject) = subject(work, call.input)?;
    let cells = work.read(&logon, |view| cells(view, &subject, &tags, MAX_SENT))?;
    let cells = within(cells, call.size_limit, room)?;
    let tagged = tags.into_iter().zip(cells).filter_map(|(tag, cell)| {
        let value = match cell {
            Cell::Value(value @ PropertyValue::Unicode(_)) if call.want_unicode == 0 => {
                value::in_type(value, PropertyType::STRING8)?
            }
            Cell::Value(value) => value,
            Cell::Error(code) if code != ErrorCode::NOT_FOUND => PropertyValue::ErrorCode(code.0),
            Cell::Absent | Cell::Error(_) => return None,
        };
        Some(TaggedValue::new(tag.with_kind(value.kind()), value))
    });
    Ok(tagged.collect())
}

/// The tags of all properties. Those that have a name and no number yet get one.
pub(in crate::mapi) fn list(work: &mut Work<'_>, from: u8) -> Done<Vec<PropertyTag>> {
    let (logon, subject) = subject(work, from)?;
    let unnumbered = work.read(&logon, |view| match &subject {
        Subject::Mailbox | Subject::Folder(_) => Ok(Vec::new()),
        Subject::Stored(key) => Ok(message::unnumbered(view.visit, &outline(view, *key)?)?),
        Subject::Draft(shown) => Ok(message::unnumbered(view.visit, &shown.record)?),
    })?;
    if !unnumbered.is_empty() {
        work.change(&logon, |view| {
            for name in &unnumbered {
                names::make_id(view.visit, name)?;
            }
            Ok(())
        })?;
    }
    work.read(&logon, |view| match &subject {
        Subject::Mailbox => Ok(mailbox::tags()),
        Subject::Folder(key) => Ok(folder_properties::tags(view, &folder::by_key(view.visit, *key)?)?),
        Subject::Stored(key) => Ok(message::tags(view, &outline(view, *key)?)?),
        Subject::Draft(shown) => Ok(message::tags(view, &shown.record)?),
    })
}

/// Sets properties: those of a message once it is saved, those of a folder at once. Gives those that cannot be set.
pub(in crate::mapi) fn set(work: &mut Work<'_>, from: u8, values: &[TaggedValue]) -> Done<Problems> {
    let entry = work.entry(from)?;
    match entry.object {
        Object::Folder(key) => {
            let logon = Arc::clone(&entry.logon);
            work.change(&logon, |view| {
                Ok(each(values, |tagged| {
                    (tagged.tag, set_of_folder(view, key, tagged.tag, Some(&tagged.value)))
                }))
            })
        }
        Object::Message(_) => {
            let size = values.iter().map(|tagged| written(&tagged.value)).sum();
            with_draft(work, from, size, |view, draft| {
                Ok(each(values, |tagged| (tagged.tag, draft.set(view.visit, tagged.tag, &tagged.value))))
            })
        }
        Object::Logon => Err(ErrorCode::ACCESS_DENIED),
        Object::Table(_) | Object::Stream(_) | Object::Subscription => Err(ErrorCode::NOT_SUPPORTED),
    }
}

/// Removes properties: those of a message once it is saved, those of a folder at once. Gives those that cannot be.
pub(in crate::mapi) fn delete(work: &mut Work<'_>, from: u8, tags: &[PropertyTag]) -> Done<Problems> {
    let entry = work.entry(from)?;
    match entry.object {
        Object::Folder(key) => {
            let logon = Arc::clone(&entry.logon);
            work.change(&logon, |view| Ok(each(tags, |tag| (*tag, set_of_folder(view, key, *tag, None)))))
        }
        Object::Message(_) => with_draft(work, from, 0, |view, draft| {
            Ok(each(tags, |tag| (*tag, draft.delete(view.visit, *tag))))
        }),
        Object::Logon => Err(ErrorCode::ACCESS_DENIED),
        Object::Table(_) | Object::Stream(_) | Object::Subscription => Err(ErrorCode::NOT_SUPPORTED),
    }
}

/// What stands in a property of the object at `from`, however long.
pub(in crate::mapi) fn value_of(work: &mut Work<'_>, from: u8, tag: PropertyTag) -> Done<PropertyValue> {
    let (logon, subject) = subject(work, from)?;
    let left = work.state.objects.bytes_left();
    work.read(&logon, |view| {
        // The text as it is stored, and in characters of two bytes.
        match cells(view, &subject, &[tag], left / 3)?.into_iter().next() {
            Some(Cell::Value(value)) => Ok(value),
            Some(Cell::Error(code)) => Err(code),
            Some(Cell::Absent) | None => Err(ErrorCode::NOT_FOUND),
        }
    })
}

fn subject(work: &mut Work<'_>, from: u8) -> Done<(Arc<Logon>, Subject)> {
    let entry = work.entry(from)?;
    let logon = Arc::clone(&entry.logon);
    let subject = match &entry.object {
        Object::Logon => Subject::Mailbox,
        Object::Folder(key) => Subject::Folder(*key),
        Object::Message(message) => match (&message.draft, message.key) {
            (Some(draft), _) => {
                let shown = Shown { record: draft.record(), body_is_too_long: false };
                Subject::Draft(Box::new(shown))
            }
            (None, Some(key)) => Subject::Stored(key),
            (None, None) => return Err(ErrorCode::OBJECT_DELETED),
        },
        Object::Table(_) | Object::Stream(_) | Object::Subscription => return Err(ErrorCode::NOT_SUPPORTED),
    };
    Ok((logon, subject))
}

fn cells(view: &View<'_>, subject: &Subject, tags: &[PropertyTag], max_body: usize) -> Done<Vec<Cell>> {
    match subject {
        Subject::Mailbox => Ok(mailbox::cells(view, tags)?),
        Subject::Folder(key) => {
            let stored = folder::by_key(view.visit, *key)?;
            Ok(folder_properties::cells(view, &stored, 0, tags)?)
        }
        Subject::Stored(key) => {
            let wanted = Wanted::new(view.visit, tags, false)?;
            let row = item::row(view.visit, *key)?.ok_or(ErrorCode::OBJECT_DELETED)?;
            let shown = wanted.shown(view.visit, row, max_body)?;
            Ok(wanted.cells(view, &shown))
        }
        Subject::Draft(shown) => Ok(Wanted::new(view.visit, tags, false)?.cells(view, shown)),
    }
}

/// A stored message with all that says which properties it has.
fn outline(view: &View<'_>, key: ItemKey) -> Done<Record> {
    let row = item::row(view.visit, key)?.ok_or(ErrorCode::OBJECT_DELETED)?;
    let (content, _) = item::content_within(view.visit, key, 0, 1)?;
    Ok(Record { content, ..item::without_content(view.visit, row)? })
}

/// Carries each out, and gives those that failed.
fn each<T>(all: &[T], mut one: impl FnMut(&T) -> (PropertyTag, Done<()>)) -> Problems {
    let mut problems = Vec::new();
    for (index, part) in (0..).zip(all) {
        let (tag, done) = one(part);
        if let Err(code) = done {
            problems.push(PropertyProblem { index, tag, code });
        }
    }
    Problems { problems }
}

fn set_of_folder(
    view: &View<'_>,
    key: FolderKey,
    tag: PropertyTag,
    value: Option<&PropertyValue>,
) -> Done<()> {
    let new = value.map(|value| value::to_store(value).ok_or(ErrorCode::TYPE_NOT_SUPPORTED)).transpose()?;
    let is = |known: PropertyTag| known.id() == tag.id();
    if is(tag::DISPLAY_NAME) || is(tag::CONTAINER_CLASS) {
        let Some(Value::Text(text)) = new else { return Err(ErrorCode::BAD_VALUE) };
        let mut stored = folder::by_key(view.visit, key)?;
        if stored.distinguished.is_some() {
            return Err(ErrorCode::ACCESS_DENIED);
        }
        if is(tag::DISPLAY_NAME) {
            super::folder::check_name(&text)?;
            stored.name = text;
        } else {
            stored.class = Some(text);
        }
        folder::update(view.visit, &stored)?;
        return Ok(());
    }
    if folder_properties::is_computed(tag) {
        return Err(ErrorCode::COMPUTED_VALUE);
    }
    let path = folder_properties::stored_path(view, tag)?.ok_or(ErrorCode::NOT_FOUND)?;
    folder::set_property(view.visit, key, &path, new.as_ref())?;
    Ok(())
}

/// The cells, without what is longer than `limit`; and without the longest, where all have no room.
fn within(mut cells: Vec<Cell>, limit: u16, room: usize) -> Done<Vec<Cell>> {
    /// A flag, a type and an error code.
    const SHORTEST: usize = 7;
    let too_long = || Cell::Error(ErrorCode::NOT_ENOUGH_MEMORY);
    let size = |cell: &Cell| cell.value().map_or(SHORTEST, |value| written(value) + 3);
    for cell in &mut cells {
        // The length of bytes is said in two bytes.
        if size(cell) > usize::from(u16::MAX) || limit > 0 && size(cell) > usize::from(limit) + 3 {
            *cell = too_long();
        }
    }
    let mut total: usize = cells.iter().map(size).sum();
    while total > room {
        let longest = cells.iter_mut().max_by_key(|cell| size(cell)).filter(|cell| size(cell) > SHORTEST);
        let Some(longest) = longest else { return Err(ErrorCode::BUFFER_TOO_SMALL) };
        total -= size(longest) - SHORTEST;
        *longest = too_long();
    }
    Ok(cells)
}

/// How many bytes a value has as it is sent.
fn written(value: &PropertyValue) -> usize {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes.len()
}
