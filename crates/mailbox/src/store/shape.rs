//! What of an item or folder an answer shows.
//!
//! A find shows summaries only: what [`Field::in_find`] refuses stays out, whatever the client asks for (E1). The
//! table of properties and the body are read only where the shape needs them.

mod computed;
mod folder;

use std::collections::BTreeSet;

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, Item, Properties, PropertyPath, Value};
use weir_wire::ews::request::{BaseShape, BodyType, Shape};

use super::column::{self, Column, Form};
use super::record::{Content, Place, Record, Row};
use super::{body, item};
use crate::mime;
use crate::server::{Outcome, Visit};

pub(crate) use computed::topic;
pub(crate) use folder::{folder, folder_properties, folder_tag_value};

/// The MAPI property that holds a message's header as it arrived.
const TRANSPORT_HEADERS: u16 = 0x007d;

/// What a request wants to see.
#[derive(Debug)]
pub(crate) struct Wanted {
    base: BaseShape,
    additional: BTreeSet<PropertyPath>,
    body: BodyType,
    summary: bool,
}

impl Wanted {
    /// All that the shape asks for.
    pub(crate) fn whole(shape: &Shape) -> Self {
        Self::new(shape, false)
    }

    /// Of what the shape asks for, what a find may show (E1).
    pub(crate) fn summary(shape: &Shape) -> Self {
        Self::new(shape, true)
    }

    fn new(shape: &Shape, summary: bool) -> Self {
        let mut additional: BTreeSet<PropertyPath> = shape.additional.iter().cloned().collect();
        if shape.mime_content {
            additional.insert(PropertyPath::Field(Field::MIME_CONTENT));
        }
        Self { base: shape.base, additional, body: shape.body.unwrap_or(BodyType::Best), summary }
    }

    fn field(&self, field: Field, row: &Row) -> bool {
        (field.in_item_shape(self.base, row.kind) || self.additional.contains(&PropertyPath::Field(field)))
            && (!self.summary || field.in_find())
    }

    fn path(&self, path: &PropertyPath, row: &Row) -> bool {
        match path {
            PropertyPath::Field(field) => self.field(*field, row),
            PropertyPath::Indexed { .. } => {
                self.additional.contains(path)
                    || path.dictionary().is_some_and(|field| self.field(field, row))
            }
            PropertyPath::Extended(_) => self.additional.contains(path),
        }
    }

    /// Whether something is wanted that has no column.
    fn needs_rest(&self) -> bool {
        self.base != BaseShape::IdOnly
            || self.additional.iter().any(|path| column::shown(path).is_none() && !is_identity(path))
    }

    /// Whether something is wanted that lies in the content.
    fn needs_content(&self) -> bool {
        !self.summary
            && (self.base != BaseShape::IdOnly
                || self.additional.iter().any(|path| match path {
                    PropertyPath::Field(field) => is_content(*field),
                    PropertyPath::Extended(property) => property.name == ExtendedName::Tag(TRANSPORT_HEADERS),
                    PropertyPath::Indexed { .. } => {
                        path.dictionary() == Some(Field::INTERNET_MESSAGE_HEADERS)
                    }
                }))
    }
}

/// What is shown of an item.
pub(crate) fn item(visit: &Visit<'_>, row: Row, wanted: &Wanted) -> Outcome<Item> {
    let rest = if wanted.needs_rest() { item::rest(visit, row.key)? } else { Properties::new() };
    let content = if wanted.needs_content() { item::content(visit, row.key)? } else { Content::default() };
    let record = Record { row, rest, content, stale: false };
    let mut shown = Properties::new();
    for field in Field::all().filter(|field| wanted.field(*field, &record.row)) {
        if let Some(value) = field_value(visit, &record, field, wanted) {
            shown.insert(PropertyPath::Field(field), value);
        }
    }
    for path in wanted.additional.iter().filter(|path| !matches!(path, PropertyPath::Field(_))) {
        if let Some(value) = extended_value(visit, &record, path, wanted) {
            shown.insert(path.clone(), value);
        }
    }
    for (path, value) in &record.rest {
        if !shown.contains_key(path) && wanted.path(path, &record.row) {
            shown.insert(path.clone(), value.clone());
        }
    }
    Ok(Item { kind: record.row.kind, properties: shown })
}

/// An item of which nothing but the identifier is shown.
pub(crate) fn bare_item(row: &Row) -> Item {
    let id = (PropertyPath::Field(Field::ITEM_ID), Value::ItemId(row.id()));
    Item { kind: row.kind, properties: Properties::from([id]) }
}

/// The value of a column as a property shows it.
pub(crate) fn column_value(row: &Row, column: Column, form: Form) -> Option<Value> {
    let text = |text: &Option<String>| text.clone().map(Value::Text);
    let number = |number: i64| {
        Some(match form {
            Form::Word(words) => Value::Text((*words.get(usize::try_from(number).ok()?)?).to_owned()),
            Form::Text | Form::Integer | Form::Bool | Form::Time | Form::Bytes | Form::Double => {
                Value::Integer(number)
            }
        })
    };
    match column {
        Column::Class => Some(Value::Text(row.class.clone())),
        Column::Subject => text(&row.subject),
        Column::Received => Some(Value::Time(row.received)),
        Column::Sent => row.sent.map(Value::Time),
        Column::Created => Some(Value::Time(row.created)),
        Column::Modified => Some(Value::Time(row.modified)),
        Column::Size => number(row.size),
        Column::Importance => number(row.importance),
        Column::Sensitivity => number(row.sensitivity),
        Column::HasAttachments => Some(Value::Bool(row.has_attachments)),
        Column::DisplayTo => text(&row.display_to),
        Column::DisplayCc => text(&row.display_cc),
        Column::DisplayBcc => text(&row.display_bcc),
        Column::RecipientsTo => text(&row.recipients_to),
        Column::RecipientsCc => text(&row.recipients_cc),
        Column::RecipientsBcc => text(&row.recipients_bcc),
        Column::IsRead => Some(Value::Bool(row.is_read)),
        Column::IsDraft => Some(Value::Bool(row.is_draft)),
        Column::IsAssociated => Some(Value::Bool(row.place == Place::Associated)),
        Column::MessageId => text(&row.message_id),
        Column::Author => text(&row.author),
        Column::Starts => row.starts.map(Value::Time),
        Column::Ends => row.ends.map(Value::Time),
        Column::Uid => number(row.uid),
        Column::Flag => number(row.flag),
        Column::MessageFlags => number(row.message_flags()),
        Column::DisplayName => text(&row.display_name),
    }
}

fn field_value(visit: &Visit<'_>, record: &Record, field: Field, wanted: &Wanted) -> Option<Value> {
    match field {
        Field::BODY | Field::UNIQUE_BODY | Field::NORMALIZED_BODY => {
            Some(Value::Body(body::shown(&record.content, wanted.body)))
        }
        Field::TEXT_BODY => Some(Value::Body(body::shown(&record.content, BodyType::Text))),
        Field::MIME_CONTENT => Some(Value::Bytes(mime::build::message(record))),
        Field::INTERNET_MESSAGE_HEADERS => {
            let headers = mime::read::headers(&mime::build::message(record));
            (!headers.is_empty()).then_some(Value::Pairs(headers))
        }
        Field::ATTACHMENTS => mime::attachment::listed(record),
        field => property(visit, record, &PropertyPath::Field(field)),
    }
}

fn extended_value(visit: &Visit<'_>, record: &Record, path: &PropertyPath, wanted: &Wanted) -> Option<Value> {
    property(visit, record, path).or_else(|| match path {
        PropertyPath::Indexed { index, .. }
            if !wanted.summary && path.dictionary() == Some(Field::INTERNET_MESSAGE_HEADERS) =>
        {
            let headers = mime::read::headers(&mime::build::message(record));
            let found = headers.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(index));
            found.map(|(_, text)| Value::Text(text))
        }
        PropertyPath::Field(_) | PropertyPath::Extended(_) | PropertyPath::Indexed { .. } => None,
    })
}

/// The value of a property that is set or computed; the body and what is read out of the message are none of these.
pub(crate) fn property(visit: &Visit<'_>, record: &Record, path: &PropertyPath) -> Option<Value> {
    if let Some((column, form)) = column::shown(path) {
        return column_value(&record.row, column, form);
    }
    if let Some(value) = record.rest.get(path) {
        return Some(value.clone());
    }
    match path {
        PropertyPath::Field(field) => computed::value(visit, record, *field),
        PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(TRANSPORT_HEADERS), .. }) => {
            record.content.mime.as_deref().map(|mime| Value::Text(mime::read::header_text(mime)))
        }
        PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(tag), .. }) => {
            computed::tag_value(visit, record, *tag)
        }
        PropertyPath::Extended(_) | PropertyPath::Indexed { .. } => None,
    }
}

fn is_identity(path: &PropertyPath) -> bool {
    matches!(path, PropertyPath::Field(Field::ITEM_ID | Field::PARENT_FOLDER_ID))
}

fn is_content(field: Field) -> bool {
    matches!(
        field,
        Field::BODY
            | Field::UNIQUE_BODY
            | Field::NORMALIZED_BODY
            | Field::TEXT_BODY
            | Field::MIME_CONTENT
            | Field::INTERNET_MESSAGE_HEADERS
            | Field::ATTACHMENTS
    )
}
