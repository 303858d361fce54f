//! The properties of folders, in rows of tables and by themselves.

use weir_wire::ews::property::{ExtendedName, ExtendedProperty, PropertyPath};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::{PropertyTag, PropertyValue, tag};
use weir_wire::mapi::row::Cell;

use super::message::View;
use super::{path, value};
use crate::mapi::id;
use crate::server::Outcome;
use crate::store::distinguished::ROOT;
use crate::store::folder::{self, Counts, StoredFolder};
use crate::store::shape;

/// A folder may be changed, read, deleted, and given folders, messages and hidden messages.
const ALL_ACCESS: i32 = 0x3F;
/// All rights that an owner has.
const ALL_RIGHTS: i32 = 0x07FB;
const OBJECT_IS_FOLDER: i32 = 3;
const FOLDER_IS_ROOT: i32 = 0;
const FOLDER_IS_GENERIC: i32 = 1;
const ROW_IS_LEAF: i32 = 1;

type Compute = fn(&View<'_>, &StoredFolder) -> PropertyValue;

/// What only MAPI has.
const COMPUTED: &[(PropertyTag, Compute)] = &[
    (tag::FOLDER_ID, |_, stored| integer64(own(stored))),
    (tag::PARENT_FOLDER_ID, |_, stored| integer64(parent(stored))),
    (tag::INST_ID, |_, stored| integer64(own(stored))),
    (tag::ENTRY_ID, |view, stored| binary(view.guids.folder_entry(own(stored)))),
    (tag::RECORD_KEY, |view, stored| binary(view.guids.folder_entry(own(stored)))),
    (tag::INSTANCE_KEY, |_, stored| binary(own(stored).to_le_bytes())),
    (tag::PARENT_ENTRY_ID, |view, stored| binary(view.guids.folder_entry(parent(stored)))),
    (tag::SOURCE_KEY, |view, stored| binary(view.guids.source_key(own(stored)))),
    (tag::PARENT_SOURCE_KEY, |view, stored| binary(view.guids.source_key(parent(stored)))),
    (tag::CHANGE_KEY, |view, stored| binary(view.guids.source_key(id::change(stored.change.0)))),
    (tag::CHANGE_NUMBER, |_, stored| integer64(id::change(stored.change.0))),
    (tag::STORE_RECORD_KEY, |view, _| binary(view.guids.mailbox)),
    (tag::MAPPING_SIGNATURE, |view, _| binary(view.guids.mailbox)),
    (tag::OBJECT_TYPE, |_, _| integer32(OBJECT_IS_FOLDER)),
    (tag::ROW_TYPE, |_, _| integer32(ROW_IS_LEAF)),
    (tag::ACCESS, |_, _| integer32(ALL_ACCESS)),
    (tag::RIGHTS, |_, _| integer32(ALL_RIGHTS)),
    (tag::FOLDER_TYPE, |_, stored| {
        integer32(if stored.parent.is_none() { FOLDER_IS_ROOT } else { FOLDER_IS_GENERIC })
    }),
];

/// The well-known folders that the inbox and the root say where to find.
const WELL_KNOWN: &[(PropertyTag, &str)] = &[
    (tag::IPM_APPOINTMENT_ENTRY_ID, "calendar"),
    (tag::IPM_CONTACT_ENTRY_ID, "contacts"),
    (tag::IPM_JOURNAL_ENTRY_ID, "journal"),
    (tag::IPM_NOTE_ENTRY_ID, "notes"),
    (tag::IPM_TASK_ENTRY_ID, "tasks"),
    (tag::IPM_DRAFTS_ENTRY_ID, "drafts"),
];

/// What is counted, and what clients of other protocols see too, as lists of properties name it.
const SHARED: &[PropertyTag] = &[
    tag::DISPLAY_NAME,
    tag::COMMENT,
    tag::CONTAINER_CLASS,
    tag::CONTENT_COUNT,
    tag::CONTENT_UNREAD_COUNT,
    tag::SUBFOLDERS,
    tag::ASSOCIATED_CONTENT_COUNT,
    tag::MESSAGE_SIZE,
    tag::CREATION_TIME,
    tag::LAST_MODIFICATION_TIME,
    tag::LOCAL_COMMIT_TIME_MAX,
    tag::ATTRIBUTE_HIDDEN,
];

/// What a folder has in these columns; `depth` is how far it lies below the table's folder.
pub(in crate::mapi) fn cells(
    view: &View<'_>,
    stored: &StoredFolder,
    depth: i32,
    tags: &[PropertyTag],
) -> Outcome<Vec<Cell>> {
    let counts = if tags.iter().any(|tag| counts(*tag)) {
        folder::counts(view.visit, stored.key)?
    } else {
        Counts::default()
    };
    tags.iter()
        .map(|tag| {
            let found = cell(view, stored, (depth, counts), *tag)?;
            Ok(found.map_or(Cell::Error(ErrorCode::NOT_FOUND), Cell::Value))
        })
        .collect()
}

/// The tags of all properties that a folder has, as far as they have numbers.
pub(in crate::mapi) fn tags(view: &View<'_>, stored: &StoredFolder) -> Outcome<Vec<PropertyTag>> {
    let mut tags = Vec::new();
    let computed = COMPUTED.iter().map(|(tag, _)| tag).chain(WELL_KNOWN.iter().map(|(tag, _)| tag));
    for tag in computed.chain(SHARED) {
        if cell(view, stored, (0, Counts::default()), *tag)?.is_some() {
            tags.push(*tag);
        }
    }
    for (path, _) in folder::properties(view.visit, stored.key)? {
        if let Some(tag) = path::tag(view.visit, &path)?
            && !tags.iter().any(|known| known.id() == tag.id())
        {
            tags.push(tag);
        }
    }
    Ok(tags)
}

/// Whether a property counts what a folder holds.
fn counts(tag: PropertyTag) -> bool {
    [tag::CONTENT_COUNT, tag::CONTENT_UNREAD_COUNT, tag::SUBFOLDERS]
        .iter()
        .any(|known| known.id() == tag.id())
}

fn cell(
    view: &View<'_>,
    stored: &StoredFolder,
    (depth, counts): (i32, Counts),
    tag: PropertyTag,
) -> Outcome<Option<PropertyValue>> {
    if let Some(value) = computed(view, stored, depth, tag)? {
        return Ok(value::in_type(value, tag.kind()));
    }
    if let Some(value) = shape::folder_tag_value(stored, counts, tag.id()) {
        return Ok(value::to_mapi(&value, tag.kind()));
    }
    let Some(path) = stored_path(view, tag)? else { return Ok(None) };
    let found = folder::property(view.visit, stored.key, &path)?;
    if found.is_none() && tag.id() == tag::COMMENT.id() {
        return Ok(value::in_type(PropertyValue::Unicode(String::new()), tag.kind()));
    }
    Ok(found.and_then(|value| value::to_mapi(&value, tag.kind())))
}

/// Where a property of a folder is stored; the fields of items are none of a folder's.
pub(in crate::mapi) fn stored_path(view: &View<'_>, tag: PropertyTag) -> Outcome<Option<PropertyPath>> {
    if tag.is_named() {
        return path::of(view.visit, tag);
    }
    let kind = value::ews_kind(tag.kind());
    Ok(kind.map(|kind| {
        PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(tag.id()), kind: kind.to_owned() })
    }))
}

fn computed(
    view: &View<'_>,
    stored: &StoredFolder,
    depth: i32,
    tag: PropertyTag,
) -> Outcome<Option<PropertyValue>> {
    let is = |known: PropertyTag| known.id() == tag.id();
    if let Some((_, compute)) = COMPUTED.iter().find(|(known, _)| is(*known)) {
        return Ok(Some(compute(view, stored)));
    }
    if is(tag::DEPTH) {
        return Ok(Some(integer32(depth)));
    }
    if is(tag::ASSOCIATED_CONTENT_COUNT) {
        return Ok(Some(integer32(folder::associated(view.visit, stored.key)?)));
    }
    if is(tag::MESSAGE_SIZE) {
        return Ok(Some(PropertyValue::Integer64(folder::size(view.visit, stored.key)?)));
    }
    let Some((_, name)) = WELL_KNOWN.iter().find(|(known, _)| is(*known)) else { return Ok(None) };
    if !matches!(stored.distinguished.as_deref(), Some(ROOT | "inbox")) {
        return Ok(None);
    }
    let key = folder::distinguished(view.visit, name)?;
    Ok(Some(binary(view.guids.folder_entry(id::folder(key)))))
}

/// Whether a property is computed: nobody sets it.
pub(in crate::mapi) fn is_computed(tag: PropertyTag) -> bool {
    let computed = COMPUTED.iter().map(|(tag, _)| tag).chain(WELL_KNOWN.iter().map(|(tag, _)| tag));
    let settable = [tag::DISPLAY_NAME, tag::COMMENT, tag::CONTAINER_CLASS];
    let shared = SHARED.iter().filter(|tag| !settable.contains(tag));
    computed.chain(shared).any(|known| known.id() == tag.id())
}

fn own(stored: &StoredFolder) -> u64 {
    id::folder(stored.key)
}

/// The root lies in itself.
fn parent(stored: &StoredFolder) -> u64 {
    id::folder(stored.parent.unwrap_or(stored.key))
}

fn integer32(number: i32) -> PropertyValue {
    PropertyValue::Integer32(number)
}

fn integer64(id: u64) -> PropertyValue {
    PropertyValue::Integer64(id.cast_signed())
}

fn binary(bytes: impl AsRef<[u8]>) -> PropertyValue {
    PropertyValue::Binary(bytes.as_ref().to_vec())
}
