//! Items, folders, and the values of their properties.
//!
//! An element within an item is a field by its local name, an `ExtendedProperty`, or a dictionary whose entries become
//! properties of their own. Large texts are moved, never copied.

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use jiff::tz::TimeZone;

use super::super::field::{Field, ValueKind};
use super::super::property::{
    Attendee, Body, ExtendedProperty, Folder, FolderId, FolderKind, Item, ItemId, ItemKind, Mailbox,
    Properties, PropertyPath, Value,
};
use super::super::time;
use super::super::xml::{Element, Namespace};
use super::{RequestError, part, path};

/// Base64 as people send it: with padding or without.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// An item: `t:Message`, `t:CalendarItem` …
pub(super) fn item(element: Element, zone: &TimeZone) -> Result<Item, RequestError> {
    let kind = ItemKind::from_element(&element.name)
        .ok_or_else(|| RequestError::unsupported("a list of items", &element))?;
    let properties = properties(element, &|name| Field::of_item(kind, name), zone)?;
    Ok(Item { kind, properties })
}

/// A folder: `t:Folder`, `t:CalendarFolder` …
pub(super) fn folder(element: Element, zone: &TimeZone) -> Result<Folder, RequestError> {
    let kind = FolderKind::from_element(&element.name)
        .ok_or_else(|| RequestError::unsupported("a list of folders", &element))?;
    Ok(Folder { kind, properties: properties(element, &Field::of_folder, zone)? })
}

fn properties(
    element: Element,
    field_of: &dyn Fn(&str) -> Option<Field>,
    zone: &TimeZone,
) -> Result<Properties, RequestError> {
    let mut properties = Properties::new();
    for child in element.children {
        if child.name == "ExtendedProperty" {
            let (property, value) = extended(child, zone)?;
            properties.insert(PropertyPath::Extended(property), value);
            continue;
        }
        let field = field_of(&child.name).ok_or_else(|| RequestError::unsupported(&element.name, &child))?;
        if field.value() == ValueKind::Dictionary {
            entries(field, child, &mut properties)?;
        } else {
            properties.insert(field.into(), value(field, child, zone)?);
        }
    }
    Ok(properties)
}

/// The value of a field that is no dictionary.
fn value(field: Field, mut element: Element, zone: &TimeZone) -> Result<Value, RequestError> {
    let name = field.element();
    Ok(match field.value() {
        ValueKind::Text | ValueKind::Dictionary => Value::Text(element.text),
        ValueKind::Bool => Value::Bool(part::boolean(name, &element.text)?),
        ValueKind::Integer => Value::Integer(part::parse(name, &element.text)?),
        ValueKind::Double => Value::Double(part::parse(name, &element.text)?),
        ValueKind::Time => Value::Time(
            time::parse(&element.text, zone).ok_or_else(|| RequestError::invalid(name, &element.text))?,
        ),
        ValueKind::Bytes => Value::Bytes(bytes(name, element.text)?),
        ValueKind::Body => Value::Body(body(element)?),
        ValueKind::Mailbox => Value::Mailbox(mailbox(&part::take_child(&mut element, "Mailbox")?)),
        ValueKind::Mailboxes => Value::Mailboxes(element.children.iter().map(mailbox).collect()),
        ValueKind::Attendees => Value::Attendees(attendees(element, zone)?),
        ValueKind::Texts => Value::Texts(element.children.into_iter().map(|child| child.text).collect()),
        ValueKind::Headers => Value::Pairs(headers(element)?),
        ValueKind::ItemId => {
            let (id, change_key) = path::id(&element)?;
            Value::ItemId(ItemId { id, change_key })
        }
        ValueKind::FolderId => {
            let (id, change_key) = path::id(&element)?;
            Value::FolderId(FolderId { id, change_key })
        }
        ValueKind::Xml => Value::Xml(in_types(element)),
    })
}

/// The element with all its namespaces put right: some clients write children of types in another.
fn in_types(mut element: Element) -> Element {
    element.namespace = Namespace::Types;
    element.children = element.children.into_iter().map(in_types).collect();
    element
}

fn bytes(name: &str, mut text: String) -> Result<Vec<u8>, RequestError> {
    text.retain(|c| !c.is_ascii_whitespace());
    LENIENT.decode(&text).map_err(|_| RequestError::invalid(name, &text))
}

fn body(element: Element) -> Result<Body, RequestError> {
    let html = match element.attribute("BodyType") {
        Some(kind) => part::choice("BodyType", kind, &[("HTML", true), ("Text", false)])?,
        None => return Err(part::missing(&element, "BodyType")),
    };
    Ok(Body { html, text: element.text })
}

/// A `t:Mailbox`.
pub(super) fn mailbox(element: &Element) -> Mailbox {
    let text = |name| part::optional_text(element, name);
    Mailbox {
        name: text("Name"),
        address: text("EmailAddress"),
        routing: text("RoutingType"),
        kind: text("MailboxType"),
    }
}

fn attendees(element: Element, zone: &TimeZone) -> Result<Vec<Attendee>, RequestError> {
    let attendee = |attendee: Element| {
        let responded = attendee.child_text("LastResponseTime");
        let invalid = |text| RequestError::invalid("LastResponseTime", text);
        let responded = responded.map(|text| time::parse(text, zone).ok_or_else(|| invalid(text)));
        Ok(Attendee {
            mailbox: mailbox(part::child(&attendee, "Mailbox")?),
            response: part::optional_text(&attendee, "ResponseType"),
            responded_at: responded.transpose()?,
        })
    };
    element.children.into_iter().map(attendee).collect()
}

fn headers(element: Element) -> Result<Vec<(String, String)>, RequestError> {
    let header = |header: Element| Ok((part::attribute(&header, "HeaderName")?.to_owned(), header.text));
    element.children.into_iter().map(header).collect()
}

/// The entries of a dictionary, each a property of its own.
fn entries(field: Field, dictionary: Element, properties: &mut Properties) -> Result<(), RequestError> {
    let simple = match field {
        Field::CONTACT_EMAIL_ADDRESSES => Some("contacts:EmailAddress"),
        Field::CONTACT_PHONE_NUMBERS => Some("contacts:PhoneNumber"),
        Field::CONTACT_IM_ADDRESSES => Some("contacts:ImAddress"),
        _ => None,
    };
    for entry in dictionary.children {
        let key = part::attribute(&entry, "Key")?.to_owned();
        if let Some(uri) = simple {
            properties.insert(PropertyPath::indexed(uri, key), Value::Text(entry.text));
            continue;
        }
        for line in entry.children {
            let uri = format!("contacts:PhysicalAddress:{}", line.name);
            properties.insert(PropertyPath::indexed(uri, key.as_str()), Value::Text(line.text));
        }
    }
    Ok(())
}

/// An `ExtendedProperty`: its path and its value, read as its type says.
fn extended(mut element: Element, zone: &TimeZone) -> Result<(ExtendedProperty, Value), RequestError> {
    let property = path::extended(part::child(&element, "ExtendedFieldURI")?)?;
    if let Some(values) = element.take_child("Values") {
        let values = values.children.into_iter().map(|value| value.text).collect();
        return Ok((property, Value::Texts(values)));
    }
    let text = part::take_child(&mut element, "Value")?.text;
    let value = match property.kind.as_str() {
        "Boolean" => Value::Bool(part::boolean("Value", &text)?),
        "Short" | "Integer" | "Long" => Value::Integer(part::parse("Value", &text)?),
        "Float" | "Double" => Value::Double(part::parse("Value", &text)?),
        "Binary" => Value::Bytes(bytes("Value", text)?),
        "SystemTime" => {
            Value::Time(time::parse(&text, zone).ok_or_else(|| RequestError::invalid("Value", &text))?)
        }
        _ => Value::Text(text),
    };
    Ok((property, value))
}
