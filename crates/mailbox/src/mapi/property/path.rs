//! Which property of the store a tag means.
//!
//! Clients of EWS name many properties by fields, those of MAPI by numbers or names. A table says which of them are one,
//! so that both see what the other stored; every other tag is the MAPI property that EWS reaches by the same number or
//! name.

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, PropertyPath};
use weir_wire::mapi::property::{PropertyTag, PropertyType};

use super::{names, value};
use crate::server::{Outcome, Visit};

/// A property that has a number, and the field that is the same.
const NUMBERED: &[(u16, PropertyType, Field)] = &[
    (0x0037, PropertyType::UNICODE, Field::SUBJECT),
    (0x0060, PropertyType::TIME, Field::START),
    (0x0061, PropertyType::TIME, Field::END),
    (0x1039, PropertyType::UNICODE, Field::REFERENCES),
    (0x1042, PropertyType::UNICODE, Field::IN_REPLY_TO),
    (0x3001, PropertyType::UNICODE, Field::CONTACT_DISPLAY_NAME),
    (0x3A05, PropertyType::UNICODE, Field::CONTACT_GENERATION),
    (0x3A06, PropertyType::UNICODE, Field::CONTACT_GIVEN_NAME),
    (0x3A0A, PropertyType::UNICODE, Field::CONTACT_INITIALS),
    (0x3A11, PropertyType::UNICODE, Field::CONTACT_SURNAME),
    (0x3A16, PropertyType::UNICODE, Field::CONTACT_COMPANY_NAME),
    (0x3A17, PropertyType::UNICODE, Field::CONTACT_JOB_TITLE),
    (0x3A18, PropertyType::UNICODE, Field::CONTACT_DEPARTMENT),
    (0x3A19, PropertyType::UNICODE, Field::CONTACT_OFFICE_LOCATION),
    (0x3A42, PropertyType::TIME, Field::CONTACT_BIRTHDAY),
    (0x3A44, PropertyType::UNICODE, Field::CONTACT_MIDDLE_NAME),
    (0x3A46, PropertyType::UNICODE, Field::CONTACT_PROFESSION),
    (0x3A4E, PropertyType::UNICODE, Field::CONTACT_MANAGER),
    (0x3A4F, PropertyType::UNICODE, Field::CONTACT_NICKNAME),
    (0x3A51, PropertyType::UNICODE, Field::CONTACT_BUSINESS_HOME_PAGE),
];

/// A property that has a number, and the entry of a dictionary that is the same.
const ENTRIES: &[(u16, &str, &str)] = &[
    (0x3A08, "contacts:PhoneNumber", "BusinessPhone"),
    (0x3A09, "contacts:PhoneNumber", "HomePhone"),
    (0x3A1C, "contacts:PhoneNumber", "MobilePhone"),
    (0x3A24, "contacts:PhoneNumber", "BusinessFax"),
];

/// A property that has a number within a set, and the field that is the same.
const NAMED: &[(&str, u32, Field)] = &[
    ("Address", 0x8005, Field::CONTACT_FILE_AS),
    ("Appointment", 0x8208, Field::LOCATION),
    ("Appointment", 0x820D, Field::START),
    ("Appointment", 0x820E, Field::END),
    ("Appointment", 0x8215, Field::IS_ALL_DAY_EVENT),
    ("Common", 0x8501, Field::REMINDER_MINUTES_BEFORE_START),
    ("Common", 0x8503, Field::REMINDER_IS_SET),
    ("Common", 0x8516, Field::START),
    ("Common", 0x8517, Field::END),
    ("Task", 0x8104, Field::TASK_START_DATE),
    ("Task", 0x8105, Field::TASK_DUE_DATE),
    ("Task", 0x811C, Field::TASK_IS_COMPLETE),
];

/// The property of the store that a tag means; none, where the mailbox knows no such name or values of that type are not
/// stored.
pub(in crate::mapi) fn of(visit: &Visit<'_>, tag: PropertyTag) -> Outcome<Option<PropertyPath>> {
    let Some(kind) = value::ews_kind(tag.kind()) else { return Ok(None) };
    let id = tag.id();
    if !tag.is_named() {
        return Ok(Some(numbered(id, kind)));
    }
    let name = names::name(visit, id)?;
    Ok(name.as_ref().and_then(names::to_ews).map(|name| named(name, kind)))
}

/// The tag of a property of the store; none, where MAPI has none, or the mailbox no number for its name.
pub(in crate::mapi) fn tag(visit: &Visit<'_>, path: &PropertyPath) -> Outcome<Option<PropertyTag>> {
    match path {
        PropertyPath::Field(field) => {
            let row = NUMBERED.iter().find(|(_, _, known)| known == field);
            Ok(row.map(|(id, kind, _)| PropertyTag::new(*id, *kind)))
        }
        PropertyPath::Indexed { uri, index } => {
            let row = ENTRIES.iter().find(|(_, known, entry)| known == uri && entry == index);
            Ok(row.map(|(id, _, _)| PropertyTag::new(*id, PropertyType::UNICODE)))
        }
        PropertyPath::Extended(ExtendedProperty { name, kind }) => {
            let Some(kind) = value::mapi_kind(kind) else { return Ok(None) };
            let id = match name {
                ExtendedName::Tag(id) => Some(*id),
                ExtendedName::Named { .. } | ExtendedName::Numbered { .. } => {
                    names::from_ews(name).map(|name| names::id(visit, &name)).transpose()?.flatten()
                }
            };
            Ok(id.map(|id| PropertyTag::new(id, kind)))
        }
    }
}

fn numbered(id: u16, kind: &str) -> PropertyPath {
    if let Some((_, _, field)) = NUMBERED.iter().find(|(known, _, _)| *known == id) {
        return PropertyPath::Field(*field);
    }
    if let Some((_, uri, index)) = ENTRIES.iter().find(|(known, _, _)| *known == id) {
        return PropertyPath::indexed(*uri, *index);
    }
    extended(ExtendedName::Tag(id), kind)
}

fn named(name: ExtendedName, kind: &str) -> PropertyPath {
    let field = match &name {
        ExtendedName::Numbered { set, id } => {
            NAMED.iter().find(|(known, number, _)| known == set && number == id).map(|(_, _, field)| *field)
        }
        ExtendedName::Named { set, name } if set == "PublicStrings" && name == "Keywords" => {
            Some(Field::CATEGORIES)
        }
        ExtendedName::Named { .. } | ExtendedName::Tag(_) => None,
    };
    field.map_or_else(|| extended(name, kind), PropertyPath::Field)
}

fn extended(name: ExtendedName, kind: &str) -> PropertyPath {
    PropertyPath::Extended(ExtendedProperty { name, kind: kind.to_owned() })
}
