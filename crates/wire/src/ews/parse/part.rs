//! Parts of an element: what must be there, what may be, and what it must look like.

use std::str::FromStr;

use super::super::xml::Element;
use super::RequestError;

/// That `parent` lacks something.
pub(super) fn missing(parent: &Element, name: &'static str) -> RequestError {
    RequestError::Missing { parent: parent.name.clone(), name }
}

/// The child of that name, which must be there.
pub(super) fn child<'a>(parent: &'a Element, name: &'static str) -> Result<&'a Element, RequestError> {
    parent.child(name).ok_or_else(|| missing(parent, name))
}

/// The child of that name, taken out; it must be there.
pub(super) fn take_child(parent: &mut Element, name: &'static str) -> Result<Element, RequestError> {
    parent.take_child(name).ok_or_else(|| missing(parent, name))
}

/// The child of that name, whose own children must not be none.
pub(super) fn list<'a>(parent: &'a Element, name: &'static str) -> Result<&'a [Element], RequestError> {
    let list = child(parent, name)?;
    if list.children.is_empty() { Err(missing(list, "an entry")) } else { Ok(&list.children) }
}

/// The children of the child of that name, taken out; they must not be none.
pub(super) fn take_list(parent: &mut Element, name: &'static str) -> Result<Vec<Element>, RequestError> {
    let list = take_child(parent, name)?;
    if list.children.is_empty() { Err(missing(&list, "an entry")) } else { Ok(list.children) }
}

/// The text of the child of that name, which must be there and not be empty.
pub(super) fn text<'a>(parent: &'a Element, name: &'static str) -> Result<&'a str, RequestError> {
    match child(parent, name)?.text.trim() {
        "" => Err(RequestError::invalid(name, "")),
        text => Ok(text),
    }
}

/// The text of the child of that name; an empty one is none.
pub(super) fn optional_text(parent: &Element, name: &str) -> Option<String> {
    parent.child_text(name).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The attribute of that name, which must be there.
pub(super) fn attribute<'a>(element: &'a Element, name: &'static str) -> Result<&'a str, RequestError> {
    element.attribute(name).ok_or_else(|| missing(element, name))
}

/// A number in an attribute.
pub(super) fn number<T: FromStr>(element: &Element, name: &str) -> Result<Option<T>, RequestError> {
    element.attribute(name).map(|text| parse(name, text)).transpose()
}

/// Truth in an attribute.
pub(super) fn truth(element: &Element, name: &str) -> Result<Option<bool>, RequestError> {
    element.attribute(name).map(|text| boolean(name, text)).transpose()
}

/// Truth in the text of a child.
pub(super) fn child_truth(parent: &Element, name: &str) -> Result<Option<bool>, RequestError> {
    parent.child_text(name).map(|text| boolean(name, text)).transpose()
}

/// What `text` says, where it is one of `choices`.
pub(super) fn choice<T: Copy>(name: &str, text: &str, choices: &[(&str, T)]) -> Result<T, RequestError> {
    let chosen = choices.iter().find(|(spelling, _)| *spelling == text.trim());
    chosen.map(|(_, value)| *value).ok_or_else(|| RequestError::invalid(name, text))
}

/// `true` and `1`, `false` and `0`; some clients write capitals.
pub(super) fn boolean(name: &str, text: &str) -> Result<bool, RequestError> {
    match text.trim() {
        "true" | "1" | "True" => Ok(true),
        "false" | "0" | "False" => Ok(false),
        _ => Err(RequestError::invalid(name, text)),
    }
}

/// Anything that Rust reads as XML means it.
pub(super) fn parse<T: FromStr>(name: &str, text: &str) -> Result<T, RequestError> {
    text.trim().parse().map_err(|_| RequestError::invalid(name, text))
}
