//! What of a folder an answer shows.

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, Folder, Properties, PropertyPath, Value};

use super::Wanted;
use super::computed::rights;
use crate::server::{Outcome, Visit};
use crate::store::folder::{self, Counts, StoredFolder};

const FOLDER_RIGHTS: &[(&str, bool)] = &[
    ("CreateAssociated", true),
    ("CreateContents", true),
    ("CreateHierarchy", true),
    ("Delete", true),
    ("Modify", true),
    ("Read", true),
    ("ViewPrivateItems", true),
];

/// What is shown of a folder.
pub(crate) fn folder(visit: &Visit<'_>, stored: &StoredFolder, wanted: &Wanted) -> Outcome<Folder> {
    let mut shown = folder_properties(visit, stored, &wanted.additional.iter().cloned().collect::<Vec<_>>())?;
    shown.retain(|path, _| match path {
        PropertyPath::Field(field) => {
            (field.in_folder_shape(wanted.base, stored.kind) || wanted.additional.contains(path))
                && (!wanted.summary || field.in_find())
        }
        PropertyPath::Extended(_) | PropertyPath::Indexed { .. } => wanted.additional.contains(path),
    });
    Ok(Folder { kind: stored.kind, properties: shown })
}

/// All fields of a folder, its further properties, and those MAPI properties among `asked` that are computed.
pub(crate) fn folder_properties(
    visit: &Visit<'_>,
    stored: &StoredFolder,
    asked: &[PropertyPath],
) -> Outcome<Properties> {
    let counts = folder::counts(visit, stored.key)?;
    let mut found: Properties = folder::properties(visit, stored.key)?.into_iter().collect();
    for field in Field::all().filter(|field| field.belongs_to_folder()) {
        if let Some(value) = field_value(stored, counts, field) {
            found.insert(PropertyPath::Field(field), value);
        }
    }
    for path in asked {
        if let PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(tag), .. }) = path
            && let Some(value) = folder_tag_value(stored, counts, *tag)
        {
            found.insert(path.clone(), value);
        }
    }
    Ok(found)
}

fn field_value(stored: &StoredFolder, counts: Counts, field: Field) -> Option<Value> {
    match field {
        Field::FOLDER_ID => Some(Value::FolderId(stored.id())),
        Field::FOLDER_PARENT_FOLDER_ID => Some(Value::FolderId(stored.parent_id())),
        Field::FOLDER_CLASS => stored.class.clone().map(Value::Text),
        Field::FOLDER_DISPLAY_NAME => Some(Value::Text(stored.name.clone())),
        Field::FOLDER_TOTAL_COUNT => Some(Value::Integer(counts.total)),
        Field::FOLDER_UNREAD_COUNT => Some(Value::Integer(counts.unread)),
        Field::FOLDER_CHILD_FOLDER_COUNT => Some(Value::Integer(counts.children)),
        Field::FOLDER_EFFECTIVE_RIGHTS => Some(Value::Xml(rights("EffectiveRights", FOLDER_RIGHTS))),
        Field::FOLDER_DISTINGUISHED_FOLDER_ID => stored.distinguished.clone().map(Value::Text),
        _ => None,
    }
}

/// The MAPI properties that the folder itself answers for.
pub(crate) fn folder_tag_value(stored: &StoredFolder, counts: Counts, tag: u16) -> Option<Value> {
    match tag {
        0x3001 | 0x10f3 => Some(Value::Text(stored.name.clone())),
        0x3007 => Some(Value::Time(stored.created)),
        0x3008 | 0x670a => Some(Value::Time(stored.modified)),
        0x3602 => Some(Value::Integer(counts.total)),
        0x3603 => Some(Value::Integer(counts.unread)),
        0x360a => Some(Value::Bool(counts.children > 0)),
        0x3613 => stored.class.clone().map(Value::Text),
        0x6638 => Some(Value::Integer(counts.children)),
        0x6751 => Some(Value::Integer(stored.next_uid)),
        0x6752 => Some(Value::Integer(stored.next_uid - 1)),
        0x10f4 => Some(Value::Bool(stored.is_hidden())),
        _ => None,
    }
}
