//! Constants of restrictions, read as the property they are compared with.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::tz::TimeZone;
use weir_wire::ews::field::ValueKind;
use weir_wire::ews::property::{ExtendedProperty, PropertyPath};
use weir_wire::ews::time;

use crate::server::{Failure, Outcome};
use crate::store::column::{self, Form};
use crate::store::text;

/// A value as comparisons see it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Comparable {
    /// Text, in the form in which texts compare.
    Text(String),
    /// A number, a truth value, a time, a word's number.
    Integer(i64),
    /// A number with a fraction.
    Double(f64),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// In which form a property is compared.
pub(crate) fn form(path: &PropertyPath) -> Form {
    if let Some((_, form)) = column::searched(path) {
        return form;
    }
    match path {
        PropertyPath::Field(field) => match field.value() {
            ValueKind::Bool => Form::Bool,
            ValueKind::Integer => Form::Integer,
            ValueKind::Double => Form::Double,
            ValueKind::Time => Form::Time,
            ValueKind::Bytes => Form::Bytes,
            ValueKind::Text
            | ValueKind::Body
            | ValueKind::Mailbox
            | ValueKind::Mailboxes
            | ValueKind::Attendees
            | ValueKind::Texts
            | ValueKind::Headers
            | ValueKind::Dictionary
            | ValueKind::ItemId
            | ValueKind::FolderId
            | ValueKind::Xml => Form::Text,
        },
        PropertyPath::Extended(ExtendedProperty { kind, .. }) => match kind.as_str() {
            "Boolean" => Form::Bool,
            "Integer" | "Short" | "Long" => Form::Integer,
            "Double" | "Float" | "Currency" => Form::Double,
            "SystemTime" | "ApplicationTime" => Form::Time,
            "Binary" => Form::Bytes,
            _ => Form::Text,
        },
        PropertyPath::Indexed { .. } => Form::Text,
    }
}

/// Whether a property holds several texts, of which one has to meet a condition.
pub(crate) fn is_list(path: &PropertyPath) -> bool {
    match path {
        PropertyPath::Field(field) => field.value() == ValueKind::Texts,
        PropertyPath::Extended(ExtendedProperty { kind, .. }) => kind == "StringArray",
        PropertyPath::Indexed { .. } => false,
    }
}

/// A constant, read in the form in which its property is compared; times without an offset are meant in `zone`.
///
/// # Errors
/// `ErrorInvalidValueForProperty` where it cannot be read so.
pub(crate) fn constant(form: Form, written: &str, zone: &TimeZone) -> Outcome<Comparable> {
    let read = match form {
        Form::Text => Some(Comparable::Text(text::fold(written).into_owned())),
        Form::Integer => written.trim().parse().ok().map(Comparable::Integer),
        Form::Double => written.trim().parse().ok().map(Comparable::Double),
        Form::Bool => match written.trim() {
            "true" | "1" => Some(Comparable::Integer(1)),
            "false" | "0" => Some(Comparable::Integer(0)),
            _ => None,
        },
        Form::Time => time::parse(written.trim(), zone).map(|time| Comparable::Integer(time.unix_micros())),
        Form::Bytes => STANDARD.decode(written.trim()).ok().map(Comparable::Bytes),
        Form::Word(words) => words
            .iter()
            .position(|word| word.eq_ignore_ascii_case(written.trim()))
            .and_then(|place| i64::try_from(place).ok())
            .map(Comparable::Integer),
    };
    read.ok_or_else(|| {
        Failure::told(
            "ErrorInvalidValueForProperty",
            "A constant does not fit the property it is compared with.",
        )
    })
}
