//! Items, folders, and the values of their properties.
//!
//! Fields are written in the order of their table. MAPI properties have one place among them, and the entries of a
//! dictionary stand together in its element, so that a validating client finds everything where the schema has it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::super::field::Field;
use super::super::property::{
    Attendee, ExtendedName, ExtendedProperty, Folder, Item, Mailbox, Properties, PropertyPath, Value,
};
use super::super::time;
use super::super::xml::push_text;
use super::markup::{close, empty_tag, leaf, open, optional_leaf, tag, truth};

/// Bytes that are put into Base64 at a time; a multiple of three, so that pieces join.
const ENCODED_AT_ONCE: usize = 3 * 1024;

/// An item's element with its properties.
pub(super) fn item(item: &Item, out: &mut Vec<u8>) {
    let name = format!("t:{}", item.kind.element());
    open(out, &name);
    properties(&item.properties, Field::CULTURE, out);
    close(out, &name);
}

/// A folder's element with its properties.
pub(super) fn folder(folder: &Folder, out: &mut Vec<u8>) {
    let name = format!("t:{}", folder.kind.element());
    open(out, &name);
    properties(&folder.properties, Field::FOLDER_MANAGED_FOLDER_INFORMATION, out);
    close(out, &name);
}

/// What stands in a field's place.
enum Part<'a> {
    Value(&'a Value),
    /// Entries of a dictionary: the `FieldURI`, the index, the value.
    Entries(Vec<(&'a str, &'a str, &'a Value)>),
}

/// Writes all properties; those of MAPI before the field `extended_before`.
fn properties(properties: &Properties, extended_before: Field, out: &mut Vec<u8>) {
    let mut parts: Vec<(Field, Part<'_>)> = Vec::with_capacity(properties.len());
    let mut extended = Vec::new();
    for (path, value) in properties {
        match path {
            PropertyPath::Field(field) => parts.push((*field, Part::Value(value))),
            PropertyPath::Extended(property) => extended.push((property, value)),
            PropertyPath::Indexed { uri, index } => {
                let Some(field) = Field::of_entry(uri) else { continue };
                let entry = (uri.as_str(), index.as_str(), value);
                match parts.last_mut() {
                    Some((last, Part::Entries(entries))) if *last == field => entries.push(entry),
                    _ => parts.push((field, Part::Entries(vec![entry]))),
                }
            }
        }
    }
    parts.sort_by_key(|(field, _)| *field);
    // Whoever has a dictionary whole needs no entries of it; the whole comes first, since fields sort before entries.
    parts.dedup_by_key(|(field, _)| *field);
    let before = parts.partition_point(|(field, _)| *field < extended_before);
    let (first, rest) = parts.split_at(before);
    for (field, part) in first {
        write_part(*field, part, out);
    }
    for (property, value) in extended {
        write_extended(property, value, out);
    }
    for (field, part) in rest {
        write_part(*field, part, out);
    }
}

fn write_part(field: Field, part: &Part<'_>, out: &mut Vec<u8>) {
    let name = format!("t:{}", field.element());
    match part {
        Part::Value(value) => write_value(&name, value, out),
        Part::Entries(entries) => {
            open(out, &name);
            if field == Field::CONTACT_PHYSICAL_ADDRESSES {
                addresses(entries, out);
            } else {
                let write = if field == Field::INTERNET_MESSAGE_HEADERS { header } else { entry };
                for (_, index, value) in entries {
                    write(index, &text(value), out);
                }
            }
            close(out, &name);
        }
    }
}

fn write_value(name: &str, value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Text(text) => leaf(out, name, text),
        Value::Bool(_) | Value::Integer(_) | Value::Double(_) | Value::Time(_) => {
            leaf(out, name, &text(value));
        }
        Value::Bytes(bytes) => {
            let charset: &[_] = if name == "t:MimeContent" { &[("CharacterSet", "UTF-8")] } else { &[] };
            tag(out, name, charset);
            push_base64(bytes, out);
            close(out, name);
        }
        Value::Body(body) => {
            tag(out, name, &[("BodyType", if body.html { "HTML" } else { "Text" })]);
            push_text(out, &body.text);
            close(out, name);
        }
        Value::Mailbox(person) => within(name, out, |out| mailbox(person, out)),
        Value::Mailboxes(people) => {
            within(name, out, |out| people.iter().for_each(|person| mailbox(person, out)));
        }
        Value::Attendees(people) => {
            within(name, out, |out| people.iter().for_each(|person| attendee(person, out)));
        }
        Value::Texts(texts) => {
            within(name, out, |out| texts.iter().for_each(|text| leaf(out, "t:String", text)));
        }
        Value::Pairs(pairs) => {
            within(name, out, |out| pairs.iter().for_each(|(key, value)| header(key, value, out)));
        }
        Value::ItemId(id) => identifier(name, &id.id, id.change_key.as_deref(), out),
        Value::FolderId(id) => identifier(name, &id.id, id.change_key.as_deref(), out),
        Value::Xml(element) => element.write(out),
    }
}

fn within(name: &str, out: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    open(out, name);
    content(out);
    close(out, name);
}

/// `<name Id="…" ChangeKey="…"/>`.
pub(super) fn identifier(name: &str, id: &str, change_key: Option<&str>, out: &mut Vec<u8>) {
    match change_key {
        Some(key) => empty_tag(out, name, &[("Id", id), ("ChangeKey", key)]),
        None => empty_tag(out, name, &[("Id", id)]),
    }
}

/// A `t:Mailbox`.
pub(super) fn mailbox(person: &Mailbox, out: &mut Vec<u8>) {
    within("t:Mailbox", out, |out| {
        optional_leaf(out, "t:Name", person.name.as_deref());
        optional_leaf(out, "t:EmailAddress", person.address.as_deref());
        optional_leaf(out, "t:RoutingType", person.routing.as_deref());
        optional_leaf(out, "t:MailboxType", person.kind.as_deref());
    });
}

fn attendee(person: &Attendee, out: &mut Vec<u8>) {
    within("t:Attendee", out, |out| {
        mailbox(&person.mailbox, out);
        optional_leaf(out, "t:ResponseType", person.response.as_deref());
        optional_leaf(out, "t:LastResponseTime", person.responded_at.map(time::format).as_deref());
    });
}

fn header(name: &str, value: &str, out: &mut Vec<u8>) {
    tag(out, "t:InternetMessageHeader", &[("HeaderName", name)]);
    push_text(out, value);
    close(out, "t:InternetMessageHeader");
}

/// An entry of a dictionary: `<t:Entry Key="…">…</t:Entry>`.
pub(super) fn entry(key: &str, value: &str, out: &mut Vec<u8>) {
    tag(out, "t:Entry", &[("Key", key)]);
    push_text(out, value);
    close(out, "t:Entry");
}

/// The lines of a physical address, in the order of the schema.
const ADDRESS_LINES: [&str; 5] = ["Street", "City", "State", "CountryOrRegion", "PostalCode"];

fn addresses(entries: &[(&str, &str, &Value)], out: &mut Vec<u8>) {
    let mut keys: Vec<&str> = entries.iter().map(|(_, key, _)| *key).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        tag(out, "t:Entry", &[("Key", key)]);
        for line in ADDRESS_LINES {
            let is_line = |uri: &str| uri.rsplit(':').next() == Some(line);
            if let Some((_, _, value)) = entries.iter().find(|(uri, of, _)| *of == key && is_line(uri)) {
                leaf(out, &format!("t:{line}"), &text(value));
            }
        }
        close(out, "t:Entry");
    }
}

fn write_extended(property: &ExtendedProperty, value: &Value, out: &mut Vec<u8>) {
    within("t:ExtendedProperty", out, |out| {
        extended_path(property, out);
        if let Value::Texts(texts) = value {
            within("t:Values", out, |out| texts.iter().for_each(|text| leaf(out, "t:Value", text)));
        } else {
            leaf(out, "t:Value", &text(value));
        }
    });
}

fn extended_path(property: &ExtendedProperty, out: &mut Vec<u8>) {
    let kind = ("PropertyType", property.kind.as_str());
    // Distinguished sets have names; all others are GUIDs, which are the only ones with hyphens.
    let set_name = |set: &str| if set.contains('-') { "PropertySetId" } else { "DistinguishedPropertySetId" };
    match &property.name {
        ExtendedName::Tag(number) => {
            empty_tag(out, "t:ExtendedFieldURI", &[("PropertyTag", &format!("{number:#x}")), kind]);
        }
        ExtendedName::Named { set, name } => {
            empty_tag(out, "t:ExtendedFieldURI", &[(set_name(set), set), ("PropertyName", name), kind]);
        }
        ExtendedName::Numbered { set, id } => {
            let id = id.to_string();
            empty_tag(out, "t:ExtendedFieldURI", &[(set_name(set), set), ("PropertyId", &id), kind]);
        }
    }
}

/// A value as text, where it has one.
fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Bool(value) => truth(*value).to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Double(number) if number.is_infinite() => {
            if *number > 0.0 { "INF" } else { "-INF" }.to_owned()
        }
        Value::Double(number) => number.to_string(),
        Value::Time(at) => time::format(*at),
        Value::Body(body) => body.text.clone(),
        Value::Bytes(bytes) => STANDARD.encode(bytes),
        Value::Mailbox(person) => person.address.clone().unwrap_or_default(),
        Value::ItemId(id) => id.id.clone(),
        Value::FolderId(id) => id.id.clone(),
        Value::Xml(element) => element.text.clone(),
        Value::Mailboxes(_) | Value::Attendees(_) | Value::Texts(_) | Value::Pairs(_) => String::new(),
    }
}

fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let mut encoded = [0; ENCODED_AT_ONCE / 3 * 4];
    for piece in bytes.chunks(ENCODED_AT_ONCE) {
        let length = STANDARD.encode_slice(piece, &mut encoded).unwrap_or(0);
        out.extend_from_slice(encoded.get(..length).unwrap_or_default());
    }
}
