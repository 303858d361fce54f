//! What an element says.

use crate::ews::xml::{Element, Limits};

/// What an element says that holds nothing but text, without the space around it; none where it holds anything else.
pub(in crate::ews) fn text(holds: &[u8]) -> Option<String> {
    let element = [b"<x>", holds, b"</x>"].concat();
    let element = Element::from_xml(&element, &Limits::default()).ok()?;
    element.children.is_empty().then(|| element.text.trim().to_owned())
}
