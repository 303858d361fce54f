//! Setting, adding to and removing properties of an item.

use weir_wire::ews::field::{Field, ValueKind};
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, PropertyPath, Value};
use weir_wire::ews::request::Update;
use weir_wire::ews::xml::Element;

use super::super::column::{self, message_flag};
use super::Record;
use crate::mime;
use crate::server::{Failure, Outcome};

/// MAPI's name for the flag's status.
const FLAG_TAG: u16 = 0x1090;

/// The words of `FlagStatus`, by the number stored.
pub(crate) const FLAG_STATUS: &[&str] = &["NotFlagged", "Complete", "Flagged"];

impl Record {
    /// Carries out one change that a client asks for.
    ///
    /// # Errors
    /// A property that clients may not set or that such items do not have, a value that is none for it.
    pub(crate) fn apply(&mut self, update: Update) -> Outcome<()> {
        let path = match &update {
            Update::Set(path, _) | Update::Append(path, _) | Update::Delete(path) => path.clone(),
        };
        if let PropertyPath::Field(field) = path
            && !(field.settable() && field.belongs_to_item(self.row.kind))
        {
            return Err(Failure::told(
                "ErrorInvalidPropertySet",
                format!("{field} cannot be set on this item."),
            ));
        }
        match update {
            Update::Set(path, value) => self.set(path, value),
            Update::Append(path, value) => self.append(path, value),
            Update::Delete(path) => self.clear(&path),
        }
    }

    /// Sets a property, whether or not clients may.
    pub(crate) fn set(&mut self, path: PropertyPath, value: Value) -> Outcome<()> {
        match path {
            PropertyPath::Field(field) => self.set_field(field, value),
            PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(tag), kind }) => {
                self.set_tag(tag, kind, value)
            }
            PropertyPath::Extended(_) | PropertyPath::Indexed { .. } => {
                self.rest.insert(path, value);
                Ok(())
            }
        }
    }

    fn set_field(&mut self, field: Field, value: Value) -> Outcome<()> {
        let row = &mut self.row;
        match (field, value) {
            (Field::MIME_CONTENT, Value::Bytes(bytes)) => mime::read::apply(self, bytes),
            (Field::BODY, Value::Body(body)) => {
                (self.content.html, self.content.body) = (body.html, body.text);
                self.stale = true;
            }
            (Field::SUBJECT, Value::Text(text)) => {
                row.subject = Some(text);
                self.stale = true;
            }
            (Field::ITEM_CLASS, Value::Text(text)) => row.class = text,
            (Field::INTERNET_MESSAGE_ID, Value::Text(text)) => row.message_id = Some(text),
            (Field::CONTACT_DISPLAY_NAME, Value::Text(text)) => row.display_name = Some(text),
            (Field::IMPORTANCE, Value::Text(text)) => {
                row.importance = word(column::IMPORTANCE, field, &text)?;
            }
            (Field::SENSITIVITY, Value::Text(text)) => {
                row.sensitivity = word(column::SENSITIVITY, field, &text)?;
            }
            (Field::IS_READ, Value::Bool(flag)) => row.is_read = flag,
            (Field::IS_DRAFT, Value::Bool(flag)) => row.is_draft = flag,
            (Field::DATE_TIME_RECEIVED, Value::Time(time)) => row.received = time,
            (Field::DATE_TIME_SENT, Value::Time(time)) => row.sent = Some(time),
            (Field::DATE_TIME_CREATED, Value::Time(time)) => row.created = time,
            (Field::START, Value::Time(time)) => row.starts = Some(time),
            (Field::END, Value::Time(time)) => row.ends = Some(time),
            (Field::FLAG, Value::Xml(element)) => row.flag = flag_status(&element)?,
            (
                field @ (Field::TO_RECIPIENTS
                | Field::CC_RECIPIENTS
                | Field::BCC_RECIPIENTS
                | Field::FROM
                | Field::SENDER
                | Field::REPLY_TO
                | Field::ATTACHMENTS),
                value,
            ) => {
                self.put(field, value);
                self.stale = true;
            }
            (field, value) if column::shown(&PropertyPath::Field(field)).is_some() => {
                return Err(unfit(field, &value));
            }
            (field, value) => self.put(field, value),
        }
        Ok(())
    }

    /// Sets a MAPI property; those that a column holds go there.
    fn set_tag(&mut self, tag: u16, kind: String, value: Value) -> Outcome<()> {
        let row = &mut self.row;
        match (tag, value) {
            (0x0e07, Value::Integer(flags)) => {
                row.is_read = flags & message_flag::READ != 0;
                row.is_draft = flags & message_flag::UNSENT != 0;
            }
            (0x0e69, Value::Bool(flag)) => row.is_read = flag,
            (FLAG_TAG, Value::Integer(flag)) => row.flag = flag,
            (0x0037, Value::Text(text)) => row.subject = Some(text),
            (0x001a, Value::Text(text)) => row.class = text,
            (0x1035, Value::Text(text)) => row.message_id = Some(text),
            (0x0017, Value::Integer(number)) => row.importance = number.clamp(0, 2),
            (0x0036, Value::Integer(number)) => row.sensitivity = number.clamp(0, 3),
            (0x0e06, Value::Time(time)) => row.received = time,
            (0x0039, Value::Time(time)) => row.sent = Some(time),
            (0x3007, Value::Time(time)) => row.created = time,
            (tag, value) => {
                let path = PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(tag), kind });
                if column::shown(&path).is_some() {
                    let text = format!("MAPI property 0x{tag:04x} cannot be set.");
                    return Err(Failure::told("ErrorInvalidPropertySet", text));
                }
                self.rest.insert(path, value);
            }
        }
        Ok(())
    }

    fn append(&mut self, path: PropertyPath, value: Value) -> Outcome<()> {
        match (&path, value) {
            (PropertyPath::Field(Field::BODY), Value::Body(body)) => {
                self.content.body.push_str(&body.text);
                self.stale = true;
            }
            (_, value @ (Value::Mailboxes(_) | Value::Attendees(_))) => {
                let value = match (self.rest.remove(&path), value) {
                    (Some(Value::Mailboxes(old)), Value::Mailboxes(new)) => {
                        Value::Mailboxes(old.into_iter().chain(new).collect())
                    }
                    (Some(Value::Attendees(old)), Value::Attendees(new)) => {
                        Value::Attendees(old.into_iter().chain(new).collect())
                    }
                    (_, new) => new,
                };
                self.set(path, value)?;
            }
            _ => {
                let text = "Only recipients, attendees and the body can be appended to.";
                return Err(Failure::told("ErrorAppendPropertyNotSupported", text));
            }
        }
        Ok(())
    }

    /// Removes a property.
    ///
    /// # Errors
    /// One that every item has.
    pub(crate) fn clear(&mut self, path: &PropertyPath) -> Outcome<()> {
        let row = &mut self.row;
        match path {
            PropertyPath::Field(Field::SUBJECT) => row.subject = None,
            PropertyPath::Field(Field::INTERNET_MESSAGE_ID) => row.message_id = None,
            PropertyPath::Field(Field::CONTACT_DISPLAY_NAME) => row.display_name = None,
            PropertyPath::Field(Field::FLAG)
            | PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(FLAG_TAG), .. }) => {
                row.flag = 0;
            }
            PropertyPath::Field(Field::BODY) => {
                (self.content.html, self.content.body) = (false, String::new());
                self.stale = true;
            }
            PropertyPath::Field(Field::IMPORTANCE) => row.importance = 1,
            PropertyPath::Field(Field::SENSITIVITY) => row.sensitivity = 0,
            PropertyPath::Field(field) if field.value() == ValueKind::Dictionary => {
                self.rest.retain(|path, _| path.dictionary() != Some(*field));
            }
            PropertyPath::Field(_) | PropertyPath::Extended(_) | PropertyPath::Indexed { .. }
                if column::shown(path).is_some() =>
            {
                return Err(Failure::told("ErrorInvalidPropertyDelete", "The property cannot be deleted."));
            }
            PropertyPath::Field(_) | PropertyPath::Extended(_) | PropertyPath::Indexed { .. } => {
                self.rest.remove(path);
                self.stale = true;
            }
        }
        Ok(())
    }
}

/// The number of a word.
fn word(words: &[&str], field: Field, text: &str) -> Outcome<i64> {
    let place = words.iter().position(|word| *word == text).and_then(|place| i64::try_from(place).ok());
    place.ok_or_else(|| {
        let text = format!("{field} is one of {}, not {text}.", words.join(", "));
        Failure::told("ErrorInvalidValueForProperty", text)
    })
}

fn flag_status(element: &Element) -> Outcome<i64> {
    word(FLAG_STATUS, Field::FLAG, element.child_text("FlagStatus").unwrap_or("NotFlagged"))
}

fn unfit(field: Field, value: &Value) -> Failure {
    let kind = match value {
        Value::Text(_) => "a text",
        Value::Bool(_) => "a truth value",
        Value::Integer(_) | Value::Double(_) => "a number",
        Value::Time(_) => "a time",
        Value::Bytes(_) => "bytes",
        Value::Body(_) => "a body",
        Value::Mailbox(_) | Value::Mailboxes(_) | Value::Attendees(_) => "a person",
        Value::Texts(_) | Value::Pairs(_) => "a list",
        Value::ItemId(_) | Value::FolderId(_) => "an identifier",
        Value::Xml(_) => "an element",
    };
    Failure::told("ErrorInvalidPropertySet", format!("{field} cannot be set to {kind}."))
}
