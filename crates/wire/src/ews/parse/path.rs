//! Property paths, shapes and identifiers.

use super::super::field::Field;
use super::super::property::{ExtendedName, ExtendedProperty, FolderId, FolderRef, ItemId, PropertyPath};
use super::super::request::{BaseShape, BodyType, Shape};
use super::super::xml::Element;
use super::{RequestError, part};

/// `ItemShape` or `FolderShape`.
pub(super) fn shape(operation: &Element, name: &'static str) -> Result<Shape, RequestError> {
    let shape = part::child(operation, name)?;
    let base = part::choice("BaseShape", part::text(shape, "BaseShape")?, BASES)?;
    let body = shape.child_text("BodyType").map(|text| part::choice("BodyType", text, BODIES)).transpose()?;
    let additional = shape.child("AdditionalProperties").map_or(&[][..], |list| &list.children);
    Ok(Shape {
        base,
        additional: additional.iter().map(path).collect::<Result<_, _>>()?,
        mime_content: part::child_truth(shape, "IncludeMimeContent")?.unwrap_or(false),
        body,
    })
}

const BASES: &[(&str, BaseShape)] = &[
    ("IdOnly", BaseShape::IdOnly),
    ("Default", BaseShape::Default),
    ("AllProperties", BaseShape::AllProperties),
];

const BODIES: &[(&str, BodyType)] =
    &[("Best", BodyType::Best), ("HTML", BodyType::Html), ("Text", BodyType::Text)];

/// Whether an element names a property.
pub(super) fn is_path(element: &Element) -> bool {
    matches!(element.name.as_str(), "FieldURI" | "IndexedFieldURI" | "ExtendedFieldURI")
}

/// The property path among an element's children.
pub(super) fn path_in(parent: &Element) -> Result<PropertyPath, RequestError> {
    let named = parent.children.iter().find(|child| is_path(child));
    path(named.ok_or_else(|| part::missing(parent, "FieldURI"))?)
}

/// A property path.
pub(super) fn path(element: &Element) -> Result<PropertyPath, RequestError> {
    match element.name.as_str() {
        "FieldURI" => {
            let uri = part::attribute(element, "FieldURI")?;
            Field::from_uri(uri)
                .map(PropertyPath::Field)
                .ok_or_else(|| RequestError::invalid("FieldURI", uri))
        }
        "IndexedFieldURI" => Ok(PropertyPath::indexed(
            part::attribute(element, "FieldURI")?,
            part::attribute(element, "FieldIndex")?,
        )),
        "ExtendedFieldURI" => extended(element).map(PropertyPath::Extended),
        _ => Err(RequestError::unsupported("a property path", element)),
    }
}

/// An `ExtendedFieldURI`.
pub(super) fn extended(element: &Element) -> Result<ExtendedProperty, RequestError> {
    let kind = part::attribute(element, "PropertyType")?.to_owned();
    if let Some(tag) = element.attribute("PropertyTag") {
        return Ok(ExtendedProperty { name: ExtendedName::Tag(property_tag(tag)?), kind });
    }
    let set = match element.attribute("DistinguishedPropertySetId") {
        Some(name) => name.to_owned(),
        None => part::attribute(element, "PropertySetId")?.to_ascii_lowercase(),
    };
    let name = if let Some(name) = element.attribute("PropertyName") {
        ExtendedName::Named { set, name: name.to_owned() }
    } else {
        let id = part::attribute(element, "PropertyId")?;
        ExtendedName::Numbered { set, id: part::parse("PropertyId", id)? }
    };
    Ok(ExtendedProperty { name, kind })
}

/// A tag in either base: `0xe23`, `0x0E23`, `3619`.
fn property_tag(text: &str) -> Result<u16, RequestError> {
    let text = text.trim();
    let tag = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u16::from_str_radix(digits, 16),
        None => text.parse(),
    };
    tag.map_err(|_| RequestError::invalid("PropertyTag", text))
}

/// An `ItemId` with an `Id` and perhaps a `ChangeKey`.
pub(super) fn item_id(element: &Element) -> Result<ItemId, RequestError> {
    if element.name != "ItemId" {
        return Err(RequestError::unsupported("a list of items", element));
    }
    let (id, change_key) = id(element)?;
    Ok(ItemId { id, change_key })
}

/// The identifiers within `name`, which must not be none.
pub(super) fn item_ids(operation: &Element, name: &'static str) -> Result<Vec<ItemId>, RequestError> {
    part::list(operation, name)?.iter().map(item_id).collect()
}

/// An identifier's two attributes.
pub(super) fn id(element: &Element) -> Result<(String, Option<String>), RequestError> {
    let key = element.attribute("ChangeKey").filter(|key| !key.is_empty());
    Ok((part::attribute(element, "Id")?.to_owned(), key.map(str::to_owned)))
}

/// A folder by identifier or by a well-known name.
pub(super) fn folder_ref(element: &Element) -> Result<FolderRef, RequestError> {
    let (id, change_key) = match element.name.as_str() {
        "FolderId" | "DistinguishedFolderId" => id(element)?,
        _ => return Err(RequestError::unsupported("a list of folders", element)),
    };
    if element.name == "FolderId" {
        return Ok(FolderRef::Id(FolderId { id, change_key }));
    }
    let mailbox = element.child("Mailbox").and_then(|mailbox| part::optional_text(mailbox, "EmailAddress"));
    Ok(FolderRef::Distinguished { name: id, mailbox })
}

/// The folders within `name`, which must not be none.
pub(super) fn folder_refs(operation: &Element, name: &'static str) -> Result<Vec<FolderRef>, RequestError> {
    part::list(operation, name)?.iter().map(folder_ref).collect()
}

/// The one folder within `name`, which must be there.
pub(super) fn folder_in(operation: &Element, name: &'static str) -> Result<FolderRef, RequestError> {
    optional_folder_in(operation, name)?.ok_or_else(|| part::missing(operation, name))
}

/// The one folder within `name`, where there is one.
pub(super) fn optional_folder_in(operation: &Element, name: &str) -> Result<Option<FolderRef>, RequestError> {
    operation.child(name).and_then(|holder| holder.children.first()).map(folder_ref).transpose()
}
