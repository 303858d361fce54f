//! `CreateFolder`: a folder below another.

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Folder, FolderKind, FolderRef, PropertyPath, Value};
use weir_wire::ews::request::Shape;
use weir_wire::ews::response::Answer;

use super::update_folder::{self, check_name, unfit};
use crate::server::{Failure, Outcome, Visit};
use crate::store::folder::{self, NewFolder};
use crate::store::shape::{self, Wanted};

pub(super) fn carry_out(visit: &Visit<'_>, parent: &FolderRef, new: &Folder) -> Outcome<Answer> {
    let parent = folder::find(visit, parent)?;
    let text = |field| match new.properties.get(&PropertyPath::Field(field)) {
        Some(Value::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let Some(name) = text(Field::FOLDER_DISPLAY_NAME) else {
        return Err(Failure::told("ErrorFolderSave", "A folder needs a name."));
    };
    check_name(name)?;
    let class = text(Field::FOLDER_CLASS).unwrap_or(class_of(new.kind));
    let kind = match new.kind {
        FolderKind::Folder => kind_of(class),
        kind @ (FolderKind::CalendarFolder
        | FolderKind::ContactsFolder
        | FolderKind::TasksFolder
        | FolderKind::SearchFolder) => kind,
    };
    let key = folder::insert(visit, &NewFolder { parent: parent.key, name, class: Some(class), kind })?;
    for (path, value) in &new.properties {
        match path {
            PropertyPath::Field(Field::FOLDER_DISPLAY_NAME | Field::FOLDER_CLASS) => {}
            PropertyPath::Field(_) => return Err(unfit(path)),
            PropertyPath::Extended(_) | PropertyPath::Indexed { .. } => {
                update_folder::set_extended(visit, key, path, Some(value))?;
            }
        }
    }
    let stored = folder::by_key(visit, key)?;
    Ok(Answer::Folders(vec![shape::folder(visit, &stored, &Wanted::whole(&Shape::id_only()))?]))
}

const fn class_of(kind: FolderKind) -> &'static str {
    match kind {
        FolderKind::Folder | FolderKind::SearchFolder => "IPF.Note",
        FolderKind::CalendarFolder => "IPF.Appointment",
        FolderKind::ContactsFolder => "IPF.Contact",
        FolderKind::TasksFolder => "IPF.Task",
    }
}

/// The kind of folder that holds things of a class.
fn kind_of(class: &str) -> FolderKind {
    let is = |base: &str| class == base || class.strip_prefix(base).is_some_and(|rest| rest.starts_with('.'));
    if is("IPF.Appointment") {
        FolderKind::CalendarFolder
    } else if is("IPF.Contact") {
        FolderKind::ContactsFolder
    } else if is("IPF.Task") {
        FolderKind::TasksFolder
    } else {
        FolderKind::Folder
    }
}
