//! `UpdateFolder`: another name, another class, further properties.

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, PropertyPath, Value};
use weir_wire::ews::request::{FolderChange, Shape, Update};
use weir_wire::ews::response::Answer;

use crate::server::{Failure, Outcome, Visit};
use crate::store::folder;
use crate::store::identifier::FolderKey;
use crate::store::shape::{self, Wanted};

/// The longest name of a folder, in bytes.
const MAX_NAME: usize = 255;
/// MAPI's names for a folder's name and class.
const NAME_TAG: u16 = 0x3001;
const CLASS_TAG: u16 = 0x3613;

pub(super) fn carry_out(visit: &Visit<'_>, change: FolderChange) -> Outcome<Answer> {
    let mut stored = folder::find(visit, &change.folder)?;
    for update in change.updates {
        match update {
            Update::Set(PropertyPath::Field(Field::FOLDER_DISPLAY_NAME), Value::Text(name)) => {
                if stored.distinguished.is_some() {
                    let text = "A well-known folder keeps its name.";
                    return Err(Failure::told("ErrorFolderSave", text));
                }
                check_name(&name)?;
                stored.name = name;
            }
            Update::Set(PropertyPath::Field(Field::FOLDER_CLASS), Value::Text(class)) => {
                stored.class = Some(class);
            }
            Update::Delete(PropertyPath::Field(Field::FOLDER_CLASS)) => stored.class = None,
            // Nobody but its owner has rights on a folder, so that there are none to be taken away.
            Update::Delete(PropertyPath::Field(Field::FOLDER_PERMISSION_SET)) => {}
            Update::Set(path @ (PropertyPath::Extended(_) | PropertyPath::Indexed { .. }), value) => {
                set_extended(visit, stored.key, &path, Some(&value))?;
            }
            Update::Delete(path @ (PropertyPath::Extended(_) | PropertyPath::Indexed { .. })) => {
                set_extended(visit, stored.key, &path, None)?;
            }
            Update::Set(path, _) | Update::Append(path, _) | Update::Delete(path) => {
                return Err(unfit(&path));
            }
        }
    }
    let stored = folder::update(visit, &stored)?;
    Ok(Answer::Folders(vec![shape::folder(visit, &stored, &Wanted::whole(&Shape::id_only()))?]))
}

/// Sets or removes a further property of a folder.
pub(super) fn set_extended(
    visit: &Visit<'_>,
    key: FolderKey,
    path: &PropertyPath,
    value: Option<&Value>,
) -> Outcome<()> {
    if let PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(tag), .. }) = path {
        match (*tag, value) {
            (NAME_TAG, _) => return Err(unfit(path)),
            (CLASS_TAG, Some(Value::Text(class))) => {
                let mut stored = folder::by_key(visit, key)?;
                stored.class = Some(class.clone());
                folder::update(visit, &stored)?;
                return Ok(());
            }
            _ => {}
        }
    }
    folder::set_property(visit, key, path, value)
}

/// Refuses names that no folder may have.
pub(super) fn check_name(name: &str) -> Outcome<()> {
    if name.trim().is_empty() || name.len() > MAX_NAME {
        let text = format!("A folder's name has between 1 and {MAX_NAME} bytes.");
        return Err(Failure::told("ErrorFolderSave", text));
    }
    Ok(())
}

/// What a property is told that cannot be set on a folder.
pub(super) fn unfit(path: &PropertyPath) -> Failure {
    let name = match path {
        PropertyPath::Field(field) => field.uri(),
        PropertyPath::Extended(_) => "The MAPI property",
        PropertyPath::Indexed { .. } => "The dictionary entry",
    };
    Failure::told("ErrorInvalidPropertySet", format!("{name} cannot be changed so on a folder."))
}
