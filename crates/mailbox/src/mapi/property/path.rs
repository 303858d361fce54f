//! Which property of the store a tag means.
//!
//! Clients of EWS name many properties by fields, those of MAPI by numbers or names. A table says which of them are one,
//! so that both see what the other stored; every other tag is the MAPI property that EWS reaches by the same number or
//! name.

use weir_wire::ews::field::{Field, ValueKind};
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, PropertyPath};
use weir_wire::mapi::property::name::PropertyName;
use weir_wire::mapi::property::{PropertyTag, PropertyType};

use Called::{Number, Text};
use Stored::{Entry, Whole};

use super::{names, value};
use crate::server::{Outcome, Visit};

/// How the store has a property that EWS names by fields.
#[derive(Clone, Copy)]
enum Stored {
    /// As a field.
    Whole(Field),
    /// As an entry of a dictionary.
    Entry(&'static str, &'static str),
}

/// What a property is called within its set.
#[derive(Clone, Copy)]
enum Called {
    /// By a number.
    Number(u32),
    /// By a text.
    Text(&'static str),
}

/// Properties that have numbers of their own.
const NUMBERED: &[(u16, Stored)] = &[
    (0x0037, Whole(Field::SUBJECT)),
    (0x0060, Whole(Field::START)),
    (0x0061, Whole(Field::END)),
    (0x1039, Whole(Field::REFERENCES)),
    (0x1042, Whole(Field::IN_REPLY_TO)),
    (0x3001, Whole(Field::CONTACT_DISPLAY_NAME)),
    (0x3A05, Whole(Field::CONTACT_GENERATION)),
    (0x3A06, Whole(Field::CONTACT_GIVEN_NAME)),
    (0x3A08, Entry(PHONE, "BusinessPhone")),
    (0x3A09, Entry(PHONE, "HomePhone")),
    (0x3A0A, Whole(Field::CONTACT_INITIALS)),
    (0x3A11, Whole(Field::CONTACT_SURNAME)),
    (0x3A16, Whole(Field::CONTACT_COMPANY_NAME)),
    (0x3A17, Whole(Field::CONTACT_JOB_TITLE)),
    (0x3A18, Whole(Field::CONTACT_DEPARTMENT)),
    (0x3A19, Whole(Field::CONTACT_OFFICE_LOCATION)),
    (0x3A1C, Entry(PHONE, "MobilePhone")),
    (0x3A24, Entry(PHONE, "BusinessFax")),
    (0x3A42, Whole(Field::CONTACT_BIRTHDAY)),
    (0x3A44, Whole(Field::CONTACT_MIDDLE_NAME)),
    (0x3A46, Whole(Field::CONTACT_PROFESSION)),
    (0x3A4E, Whole(Field::CONTACT_MANAGER)),
    (0x3A4F, Whole(Field::CONTACT_NICKNAME)),
    (0x3A51, Whole(Field::CONTACT_BUSINESS_HOME_PAGE)),
];

/// Properties that have names, by their sets as EWS calls them.
const NAMED: &[(&str, Called, Stored)] = &[
    ("Address", Number(0x8005), Whole(Field::CONTACT_FILE_AS)),
    ("Address", Number(0x8083), Entry(EMAIL, "EmailAddress1")),
    ("Address", Number(0x8093), Entry(EMAIL, "EmailAddress2")),
    ("Address", Number(0x80A3), Entry(EMAIL, "EmailAddress3")),
    ("Appointment", Number(0x8208), Whole(Field::LOCATION)),
    ("Appointment", Number(0x820D), Whole(Field::START)),
    ("Appointment", Number(0x820E), Whole(Field::END)),
    ("Appointment", Number(0x8215), Whole(Field::IS_ALL_DAY_EVENT)),
    ("Common", Number(0x8501), Whole(Field::REMINDER_MINUTES_BEFORE_START)),
    ("Common", Number(0x8503), Whole(Field::REMINDER_IS_SET)),
    ("Common", Number(0x8516), Whole(Field::START)),
    ("Common", Number(0x8517), Whole(Field::END)),
    ("PublicStrings", Text("Keywords"), Whole(Field::CATEGORIES)),
    ("Task", Number(0x8104), Whole(Field::TASK_START_DATE)),
    ("Task", Number(0x8105), Whole(Field::TASK_DUE_DATE)),
    ("Task", Number(0x811C), Whole(Field::TASK_IS_COMPLETE)),
];

const PHONE: &str = "contacts:PhoneNumber";
const EMAIL: &str = "contacts:EmailAddress";

/// The property of the store that a tag means; none, where the mailbox knows no such name or values of that type are not
/// stored.
pub(in crate::mapi) fn of(visit: &Visit<'_>, tag: PropertyTag) -> Outcome<Option<PropertyPath>> {
    let Some(kind) = value::ews_kind(tag.kind()) else { return Ok(None) };
    if !tag.is_named() {
        let row = NUMBERED.iter().find(|(id, _)| *id == tag.id());
        return Ok(Some(
            row.map_or_else(|| extended(ExtendedName::Tag(tag.id()), kind), |(_, stored)| stored.path()),
        ));
    }
    let name = names::name(visit, tag.id())?;
    Ok(name.as_ref().and_then(names::to_ews).map(|name| {
        let row = NAMED.iter().find(|(set, called, _)| called.is(set, &name));
        row.map_or_else(|| extended(name, kind), |(_, _, stored)| stored.path())
    }))
}

/// The tag of a property of the store; none, where MAPI has none, or the mailbox no number for its name.
pub(in crate::mapi) fn tag(visit: &Visit<'_>, path: &PropertyPath) -> Outcome<Option<PropertyTag>> {
    let id = match (number(path), name(path)) {
        (Some(id), _) => Some(id),
        (None, Some(name)) => names::id(visit, &name)?,
        (None, None) => None,
    };
    Ok(id.zip(kind(path)).map(|(id, kind)| PropertyTag::new(id, kind)))
}

/// The name that MAPI has for a property of the store; none, where it has a number, or nothing.
pub(in crate::mapi) fn name(path: &PropertyPath) -> Option<PropertyName> {
    if number(path).is_some() {
        return None;
    }
    if let PropertyPath::Extended(ExtendedProperty { name, .. }) = path {
        return names::from_ews(name);
    }
    let (set, called, _) = NAMED.iter().find(|(_, _, stored)| stored.is(path))?;
    names::from_ews(&called.within(set))
}

fn number(path: &PropertyPath) -> Option<u16> {
    if let PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(id), .. }) = path {
        return Some(*id);
    }
    NUMBERED.iter().find(|(_, stored)| stored.is(path)).map(|(id, _)| *id)
}

/// The type of a property's values.
fn kind(path: &PropertyPath) -> Option<PropertyType> {
    match path {
        PropertyPath::Extended(ExtendedProperty { kind, .. }) => value::mapi_kind(kind),
        PropertyPath::Indexed { .. } => Some(PropertyType::UNICODE),
        PropertyPath::Field(field) => match field.value() {
            ValueKind::Text => Some(PropertyType::UNICODE),
            ValueKind::Bool => Some(PropertyType::BOOLEAN),
            ValueKind::Integer => Some(PropertyType::INTEGER32),
            ValueKind::Double => Some(PropertyType::FLOATING64),
            ValueKind::Time => Some(PropertyType::TIME),
            ValueKind::Bytes => Some(PropertyType::BINARY),
            ValueKind::Texts => Some(PropertyType::MULTIPLE_UNICODE),
            ValueKind::Body
            | ValueKind::Mailbox
            | ValueKind::Mailboxes
            | ValueKind::Attendees
            | ValueKind::Headers
            | ValueKind::Dictionary
            | ValueKind::ItemId
            | ValueKind::FolderId
            | ValueKind::Xml => None,
        },
    }
}

impl Stored {
    fn path(self) -> PropertyPath {
        match self {
            Whole(field) => PropertyPath::Field(field),
            Entry(uri, index) => PropertyPath::indexed(uri, index),
        }
    }

    fn is(self, path: &PropertyPath) -> bool {
        match (self, path) {
            (Whole(field), PropertyPath::Field(other)) => field == *other,
            (Entry(uri, index), PropertyPath::Indexed { uri: other, index: place }) => {
                uri == other && index == place
            }
            (
                Whole(_) | Entry(..),
                PropertyPath::Field(_) | PropertyPath::Indexed { .. } | PropertyPath::Extended(_),
            ) => false,
        }
    }
}

impl Called {
    fn within(self, set: &str) -> ExtendedName {
        let set = set.to_owned();
        match self {
            Number(id) => ExtendedName::Numbered { set, id },
            Text(name) => ExtendedName::Named { set, name: name.to_owned() },
        }
    }

    fn is(self, set: &str, name: &ExtendedName) -> bool {
        self.within(set) == *name
    }
}

fn extended(name: ExtendedName, kind: &str) -> PropertyPath {
    PropertyPath::Extended(ExtendedProperty { name, kind: kind.to_owned() })
}
