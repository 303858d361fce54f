//! A message as it leaves for other servers.
//!
//! What a client wrote itself goes out as it wrote it, with the fields that every message has to have (RFC 5322, section
//! 3.6) where they are missing, and with lines that all servers take for lines. Its lines are put right before anything
//! else looks at them: a lone CR would hide a field from us that others see.

use mail_builder::headers::Header;
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;
use mail_parser::{HeaderName, MessageParser};
use weir_wire::ews::field::Field;

use super::build::{self, address, bare, sent_at};
use crate::store::record::Record;

/// The message with a complete header that names nobody who gets it unseen; none where it has no header at all.
pub(crate) fn message(record: &Record) -> Option<Vec<u8>> {
    let Some(mime) = &record.content.mime else { return Some(with_proper_lines(&build::message(record))) };
    let mime = build::without_bcc(&with_proper_lines(mime));
    let header = MessageParser::default().parse_headers(&mime)?;
    let mut whole = Vec::new();
    if header.header(HeaderName::From).is_none()
        && let Some(author) = record.people(Field::FROM).first()
    {
        field(&mut whole, "From: ", &address(author));
    }
    if header.header(HeaderName::Date).is_none() {
        field(&mut whole, "Date: ", &Date::new(sent_at(record)));
    }
    if header.header(HeaderName::MessageId).is_none()
        && let Some(id) = &record.row.message_id
    {
        field(&mut whole, "Message-ID: ", &MessageId::new(bare(id)));
    }
    whole.extend_from_slice(&mime);
    Some(whole)
}

/// In whose name a message says that it is, in each of its `From` and `Sender` fields; none where such a field has no
/// address.
pub(crate) fn authors(mime: &[u8]) -> Vec<Option<String>> {
    let Some(header) = MessageParser::default().parse_headers(mime) else { return Vec::new() };
    let fields = header.headers().iter();
    let fields = fields.filter(|field| matches!(field.name, HeaderName::From | HeaderName::Sender));
    fields
        .flat_map(|field| {
            let people = field.value.as_address().into_iter().flat_map(mail_parser::Address::iter);
            let people: Vec<_> =
                people.map(|person| person.address.as_ref().map(ToString::to_string)).collect();
            if people.is_empty() { vec![None] } else { people }
        })
        .collect()
}

fn field(out: &mut Vec<u8>, name: &str, value: &impl Header) {
    out.extend_from_slice(name.as_bytes());
    value.write_header(out, name.len());
}

/// The same with CR LF at the end of each line, the last one's too, and nowhere else a CR or an LF.
fn with_proper_lines(text: &[u8]) -> Vec<u8> {
    let mut proper = Vec::with_capacity(text.len() + 2);
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
        let (line, ending) = rest.split_at(at);
        proper.extend_from_slice(line);
        proper.extend_from_slice(b"\r\n");
        rest = ending.strip_prefix(b"\r\n").or(ending.get(1..)).unwrap_or_default();
    }
    if !rest.is_empty() {
        proper.extend_from_slice(rest);
        proper.extend_from_slice(b"\r\n");
    }
    proper
}

#[cfg(test)]
mod tests;
