//! An item as a message in Internet form.
//!
//! A message that arrived in this form is given back as it came. Where what it says was changed since, it is built
//! anew from the properties; attachments come along.

use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::text::Text;
use mail_builder::mime::{BodyPart, MimePart};
use weir_wire::ews::field::Field;
use weir_wire::ews::property::Mailbox;

use super::attachment;
use crate::store::record::Record;

/// The message.
pub(crate) fn message(record: &Record) -> Vec<u8> {
    record.content.mime.clone().unwrap_or_else(|| build(record))
}

/// Builds the stored message anew where something was set that it says otherwise.
pub(crate) fn refresh(record: &mut Record) {
    if record.stale && record.content.mime.is_some() {
        record.content.mime = Some(build(record));
    }
    record.stale = false;
}

/// The message without the lines of its header that name those who get it unseen.
pub(crate) fn without_bcc(mime: &[u8]) -> Vec<u8> {
    let (mut kept, mut in_header, mut in_bcc) = (Vec::with_capacity(mime.len()), true, false);
    for line in mime.split_inclusive(|byte| *byte == b'\n') {
        if in_header {
            let text = line.trim_ascii_end();
            in_header = !text.is_empty();
            let continues = line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
            if !(continues && in_header) {
                let name = text.split(|byte| *byte == b':').next().unwrap_or_default();
                in_bcc = name.trim_ascii_end().eq_ignore_ascii_case(b"bcc");
            }
            if in_bcc {
                continue;
            }
        }
        kept.extend_from_slice(line);
    }
    kept
}

fn build(record: &Record) -> Vec<u8> {
    let body = record.content.body.clone();
    let mut builder = head(record);
    builder = if record.content.html { builder.html_body(body) } else { builder.text_body(body) };
    builder.attachments = Some(parts(record)).filter(|parts| !parts.is_empty());
    builder.write_to_vec().unwrap_or_default()
}

/// A message with the item's header and nothing else.
pub(super) fn head(record: &Record) -> MessageBuilder<'static> {
    let row = &record.row;
    let id = row
        .message_id
        .clone()
        .unwrap_or_else(|| format!("<{}.{}@mailbox.invalid>", row.mailbox.0, row.key.0));
    let mut builder = MessageBuilder::new().date(sent_at(record)).message_id(bare(&id).to_owned());
    if let Some(author) = record.people(Field::FROM).first() {
        builder = builder.from(address(author));
        if let Some(sender) =
            record.people(Field::SENDER).first().filter(|sender| sender.address != author.address)
        {
            builder = builder.sender(address(sender));
        }
    }
    let lists = [
        ("To", Field::TO_RECIPIENTS),
        ("Cc", Field::CC_RECIPIENTS),
        ("Bcc", Field::BCC_RECIPIENTS),
        ("Reply-To", Field::REPLY_TO),
    ];
    for (header, field) in lists {
        let people = record.people(field);
        if !people.is_empty() {
            builder = builder.header(header, Address::new_list(people.iter().map(address).collect()));
        }
    }
    builder = builder.header("Subject", Text::new(row.subject.clone().unwrap_or_default()));
    for (header, field) in [("In-Reply-To", Field::IN_REPLY_TO), ("References", Field::REFERENCES)] {
        if let Some(ids) = record.text(field) {
            let ids = MessageId::new_list(ids.split_whitespace().map(|id| bare(id).to_owned()));
            builder = builder.header(header, ids);
        }
    }
    match row.importance {
        0 => builder.header("Importance", Text::new("low")),
        2 => builder.header("Importance", Text::new("high")),
        _ => builder,
    }
}

/// The item's attachments.
pub(super) fn parts(record: &Record) -> Vec<MimePart<'static>> {
    attachment::all(record)
        .into_iter()
        .map(|attachment| {
            let part = MimePart::new(attachment.content_type, BodyPart::Binary(attachment.content.into()));
            let part = if attachment.inline { part.inline() } else { part.attachment(attachment.name) };
            match attachment.content_id {
                Some(id) => part.cid(bare(&id).to_owned()),
                None => part,
            }
        })
        .collect()
}

/// When it was sent, or made, in seconds of Unix time.
pub(super) fn sent_at(record: &Record) -> i64 {
    record.row.sent.unwrap_or(record.row.created).unix_seconds()
}

pub(super) fn address(person: &Mailbox) -> Address<'static> {
    Address::new_address(person.name.clone(), person.address.clone().unwrap_or_default())
}

/// A message identifier without its angle brackets.
pub(super) fn bare(id: &str) -> &str {
    id.trim().trim_start_matches('<').trim_end_matches('>')
}

#[cfg(test)]
mod tests;
