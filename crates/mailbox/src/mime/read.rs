//! A message in Internet form, read into an item.
//!
//! The message is kept as it came, byte for byte; beside it lie the properties that its header and its best body
//! give. What cannot be read as a message is kept all the same, with nothing beside it. Of a message made to be costly
//! only the header is read, and its beginning shown as text.

use mail_parser::{Address, HeaderValue, Message, MessageParser};
use weir_units::WallTime;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Mailbox, Value};

use crate::store::record::{Content, Record};

/// The most header lines that are shown.
const MAX_HEADERS: usize = 1000;

/// The most bytes that are looked through for the ends of parts, each part counted anew; about a second's work.
const MAX_SCANNED: usize = 1 << 30;
/// Parts made of parts that are read whatever the message's size.
const FREE_MULTIPARTS: usize = 16;
/// Bytes that are shown of a message of which only the header is read.
const MAX_SHOWN: usize = 1 << 20;

/// Makes `mime` the content of the item and sets what it says.
pub(crate) fn apply(record: &mut Record, mime: Vec<u8>) {
    if let Some(message) = parse(&mime) {
        read_header(record, &message);
        read_body(record, &message);
    }
    if is_costly(&mime) {
        let text = mime.get(header_end(&mime)..).unwrap_or_default();
        let shown = String::from_utf8_lossy(text.get(..MAX_SHOWN).unwrap_or(text));
        record.content.body = shown.into_owned();
    }
    record.content.mime = Some(mime);
    record.stale = false;
}

/// The message as it can be read at a reasonable cost.
pub(super) fn parse(mime: &[u8]) -> Option<Message<'_>> {
    let parser = MessageParser::default();
    if is_costly(mime) { parser.parse_headers(mime) } else { parser.parse(mime) }
}

/// Whether a message has so many parts made of parts that looking for their ends would take too long: one whose end
/// never comes is looked for through all that follows.
fn is_costly(mime: &[u8]) -> bool {
    let slashes = mime.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    let names_multipart = |at: &usize| {
        let before = mime.get(at.saturating_sub(b"multipart".len())..*at);
        before.is_some_and(|before| before.eq_ignore_ascii_case(b"multipart"))
    };
    let most = FREE_MULTIPARTS.max(MAX_SCANNED / mime.len().max(1));
    slashes.filter(names_multipart).nth(most).is_some()
}

/// The header's lines, as names and values.
pub(crate) fn headers(mime: &[u8]) -> Vec<(String, String)> {
    let Some(message) = MessageParser::default().parse_headers(mime) else { return Vec::new() };
    let unfolded = |value: &str| {
        value.split(['\r', '\n']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    };
    message.headers_raw().take(MAX_HEADERS).map(|(name, value)| (name.to_owned(), unfolded(value))).collect()
}

/// The header as text, the empty line after it included.
pub(crate) fn header_text(mime: &[u8]) -> String {
    String::from_utf8_lossy(mime.get(..header_end(mime)).unwrap_or_default()).into_owned()
}

/// Where the body begins.
fn header_end(mime: &[u8]) -> usize {
    let end = mime.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4);
    let end = end.or_else(|| mime.windows(2).position(|window| window == b"\n\n").map(|at| at + 2));
    end.unwrap_or(mime.len())
}

fn read_header(record: &mut Record, message: &Message<'_>) {
    let row = &mut record.row;
    row.subject = message.subject().map(str::to_owned).or(row.subject.take());
    row.message_id = message.message_id().map(|id| format!("<{id}>")).or(row.message_id.take());
    row.sent =
        message.date().map(|date| WallTime::from_unix_micros(date.to_timestamp().saturating_mul(1_000_000)));
    row.importance = importance(message);
    let lists = [
        (Field::TO_RECIPIENTS, message.to()),
        (Field::CC_RECIPIENTS, message.cc()),
        (Field::BCC_RECIPIENTS, message.bcc()),
        (Field::REPLY_TO, message.reply_to()),
    ];
    for (field, people) in lists {
        let people = people.map(mailboxes).unwrap_or_default();
        if !people.is_empty() {
            record.put(field, Value::Mailboxes(people));
        }
    }
    let from = message.from().map(mailboxes).unwrap_or_default().into_iter().next();
    let sender =
        message.sender().map(mailboxes).unwrap_or_default().into_iter().next().or_else(|| from.clone());
    for (field, person) in [(Field::FROM, from), (Field::SENDER, sender)] {
        if let Some(person) = person {
            record.put(field, Value::Mailbox(person));
        }
    }
    for (field, ids) in
        [(Field::IN_REPLY_TO, message.in_reply_to()), (Field::REFERENCES, message.references())]
    {
        if let Some(ids) = id_list(ids) {
            record.put(field, Value::Text(ids));
        }
    }
}

/// 0 is low, 1 is usual, 2 is high; programs that write no `Importance` write `X-Priority`, from 1, the highest, to 5.
fn importance(message: &Message<'_>) -> i64 {
    let says = |header| message.header_raw(header).map(|text| text.trim().to_ascii_lowercase());
    match says("Importance").or_else(|| says("X-Priority")).as_deref() {
        Some("high") => 2,
        Some("low") => 0,
        Some(text) if text.starts_with(['1', '2']) => 2,
        Some(text) if text.starts_with(['4', '5']) => 0,
        Some(_) | None => 1,
    }
}

fn read_body(record: &mut Record, message: &Message<'_>) {
    let is_html = message.html_part(0).is_some_and(mail_parser::MessagePart::is_text_html);
    let body = if is_html { message.body_html(0) } else { message.body_text(0) };
    let mime = record.content.mime.take();
    record.content = Content { html: is_html, body: body.unwrap_or_default().into_owned(), mime };
    record.row.has_attachments = message.attachment_count() > 0;
}

fn mailboxes(addresses: &Address<'_>) -> Vec<Mailbox> {
    let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_ref().map(|text| text.clone().into_owned());
    addresses
        .iter()
        .filter(|person| person.address.is_some())
        .map(|person| Mailbox {
            name: text(&person.name).or_else(|| text(&person.address)),
            address: text(&person.address),
            routing: Some("SMTP".to_owned()),
            kind: None,
        })
        .collect()
}

fn id_list(ids: &HeaderValue<'_>) -> Option<String> {
    match ids {
        HeaderValue::Text(id) => Some(format!("<{id}>")),
        HeaderValue::TextList(ids) => {
            Some(ids.iter().map(|id| format!("<{id}>")).collect::<Vec<_>>().join(" "))
        }
        HeaderValue::Address(_)
        | HeaderValue::DateTime(_)
        | HeaderValue::ContentType(_)
        | HeaderValue::Received(_)
        | HeaderValue::Empty => None,
    }
}

#[cfg(test)]
mod tests;
