//! Names of properties as SQLite holds them.
//!
//! A field is its `FieldURI`; the others begin with a letter and a tab, which no `FieldURI` holds. The name is text
//! rather than the field's number, so that a later release may order its table of fields differently.

use std::collections::HashMap;
use std::sync::LazyLock;

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, PropertyPath};

/// The stored form of a name.
pub(crate) fn to_text(path: &PropertyPath) -> String {
    match path {
        PropertyPath::Field(field) => field.uri().to_owned(),
        PropertyPath::Indexed { uri, index } => format!("i\t{uri}\t{index}"),
        PropertyPath::Extended(ExtendedProperty { name, kind }) => match name {
            ExtendedName::Tag(tag) => format!("t\t{tag:04x}\t{kind}"),
            ExtendedName::Named { set, name } => format!("n\t{set}\t{kind}\t{name}"),
            ExtendedName::Numbered { set, id } => format!("d\t{set}\t{kind}\t{id}"),
        },
    }
}

/// The name that was stored so.
pub(crate) fn from_text(text: &str) -> Option<PropertyPath> {
    let Some((form, rest)) = text.split_once('\t') else { return field(text).map(PropertyPath::Field) };
    let (first, rest) = rest.split_once('\t')?;
    if form == "i" {
        return Some(PropertyPath::Indexed { uri: first.to_owned(), index: rest.to_owned() });
    }
    let (name, kind) = if form == "t" {
        (ExtendedName::Tag(u16::from_str_radix(first, 16).ok()?), rest)
    } else {
        let (kind, last) = rest.split_once('\t')?;
        let set = first.to_owned();
        let name = match form {
            "n" => ExtendedName::Named { set, name: last.to_owned() },
            "d" => ExtendedName::Numbered { set, id: last.parse().ok()? },
            _ => return None,
        };
        (name, kind)
    };
    Some(PropertyPath::Extended(ExtendedProperty { name, kind: kind.to_owned() }))
}

/// The field of that `FieldURI`: a page of a thousand items asks many times.
fn field(uri: &str) -> Option<Field> {
    static FIELDS: LazyLock<HashMap<&str, Field>> =
        LazyLock::new(|| Field::all().map(|field| (field.uri(), field)).collect());
    FIELDS.get(uri).copied()
}

#[cfg(test)]
mod tests;
