//! Attachments, whether they came in a message or as elements.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mail_parser::MimeHeaders;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{PropertyPath, Value};
use weir_wire::ews::xml::Element;

use super::read;
use crate::store::identifier;
use crate::store::record::Record;

/// The most attachments that an answer lists.
const MAX_LISTED: usize = 1000;

const ATTACHMENT_TAG: u8 = b'A';

/// A file that belongs to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attachment {
    pub(crate) name: String,
    pub(crate) content_type: String,
    pub(crate) content_id: Option<String>,
    pub(crate) inline: bool,
    pub(crate) content: Vec<u8>,
}

/// The item's attachments with their content.
pub(crate) fn all(record: &Record) -> Vec<Attachment> {
    match &record.content.mime {
        Some(mime) => in_message(mime),
        None => in_elements(record),
    }
}

/// The item's attachments as answers list them, without their content.
pub(crate) fn listed(record: &Record) -> Option<Value> {
    let (mut list, mut number) = (Element::types("Attachments"), 0);
    for attachment in all(record).into_iter().take(MAX_LISTED) {
        let id = identifier::write_numbers(ATTACHMENT_TAG, &[record.row.mailbox.0, record.row.key.0, number]);
        let mut element = Element::types("FileAttachment")
            .with_child(Element::types("AttachmentId").with_attribute("Id", id))
            .with_child(Element::types("Name").with_text(attachment.name))
            .with_child(Element::types("ContentType").with_text(attachment.content_type));
        if let Some(id) = attachment.content_id {
            element = element.with_child(Element::types("ContentId").with_text(id));
        }
        let inline = if attachment.inline { "true" } else { "false" };
        element = element
            .with_child(Element::types("Size").with_text(attachment.content.len().to_string()))
            .with_child(Element::types("IsInline").with_text(inline));
        list = list.with_child(element);
        number += 1;
    }
    (number > 0).then_some(Value::Xml(list))
}

fn in_message(mime: &[u8]) -> Vec<Attachment> {
    let Some(message) = read::parse(mime) else { return Vec::new() };
    message
        .attachments()
        .map(|part| {
            let content_type = part.content_type().map_or_else(
                || "application/octet-stream".to_owned(),
                |kind| match kind.subtype() {
                    Some(subtype) => format!("{}/{subtype}", kind.ctype()),
                    None => kind.ctype().to_owned(),
                },
            );
            Attachment {
                name: part.attachment_name().unwrap_or("attachment").to_owned(),
                content_type,
                content_id: part.content_id().map(str::to_owned),
                inline: part.content_disposition().is_some_and(mail_parser::ContentType::is_inline),
                content: part.contents().to_vec(),
            }
        })
        .collect()
}

fn in_elements(record: &Record) -> Vec<Attachment> {
    let Some(Value::Xml(list)) = record.rest.get(&PropertyPath::Field(Field::ATTACHMENTS)) else {
        return Vec::new();
    };
    let files = list.children.iter().filter(|element| element.name == "FileAttachment");
    files
        .map(|element| Attachment {
            name: element.child_text("Name").unwrap_or("attachment").to_owned(),
            content_type: element.child_text("ContentType").unwrap_or("application/octet-stream").to_owned(),
            content_id: element.child_text("ContentId").map(str::to_owned),
            inline: element.child_text("IsInline") == Some("true"),
            content: element
                .child_text("Content")
                .and_then(|text| STANDARD.decode(text.trim()).ok())
                .unwrap_or_default(),
        })
        .collect()
}
