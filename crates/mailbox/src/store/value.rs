//! Property values as SQLite holds them.
//!
//! What can be compared lies in SQLite's own types, so that restrictions and sort orders reach it; the rest is JSON
//! or, for elements, XML. A code beside the value tells how to read it back. What cannot be read back – a store that
//! somebody edited – counts as absent.

use rusqlite::types::{Value as Sql, ValueRef};
use serde_json::{Value as Json, json};
use weir_units::WallTime;
use weir_wire::ews::property::{Attendee, Body, FolderId, ItemId, Mailbox, Value};
use weir_wire::ews::xml::{Element, Limits};

/// How a stored value is to be read.
pub(crate) mod code {
    pub(crate) const TEXT: i64 = 0;
    pub(crate) const BOOL: i64 = 1;
    pub(crate) const INTEGER: i64 = 2;
    pub(crate) const DOUBLE: i64 = 3;
    pub(crate) const TIME: i64 = 4;
    pub(crate) const BYTES: i64 = 5;
    pub(crate) const BODY: i64 = 6;
    pub(crate) const MAILBOX: i64 = 7;
    pub(crate) const MAILBOXES: i64 = 8;
    pub(crate) const ATTENDEES: i64 = 9;
    pub(crate) const TEXTS: i64 = 10;
    pub(crate) const PAIRS: i64 = 11;
    pub(crate) const ITEM_ID: i64 = 12;
    pub(crate) const FOLDER_ID: i64 = 13;
    pub(crate) const XML: i64 = 14;
}

/// The code and the stored form of a value.
pub(crate) fn to_sql(value: &Value) -> (i64, Sql) {
    let json = |value: &Json| Sql::Text(value.to_string());
    match value {
        Value::Text(text) => (code::TEXT, Sql::Text(text.clone())),
        Value::Bool(flag) => (code::BOOL, Sql::Integer(i64::from(*flag))),
        Value::Integer(number) => (code::INTEGER, Sql::Integer(*number)),
        Value::Double(number) => (code::DOUBLE, Sql::Real(*number)),
        Value::Time(time) => (code::TIME, Sql::Integer(time.unix_micros())),
        Value::Bytes(bytes) => (code::BYTES, Sql::Blob(bytes.clone())),
        Value::Body(body) => (code::BODY, json(&json!([body.html, body.text]))),
        Value::Mailbox(mailbox) => (code::MAILBOX, json(&mailbox_json(mailbox))),
        Value::Mailboxes(people) => (code::MAILBOXES, json(&people.iter().map(mailbox_json).collect())),
        Value::Attendees(people) => (code::ATTENDEES, json(&people.iter().map(attendee_json).collect())),
        Value::Texts(texts) => (code::TEXTS, json(&json!(texts))),
        Value::Pairs(pairs) => (code::PAIRS, json(&json!(pairs))),
        Value::ItemId(id) => (code::ITEM_ID, json(&json!([id.id, id.change_key]))),
        Value::FolderId(id) => (code::FOLDER_ID, json(&json!([id.id, id.change_key]))),
        Value::Xml(element) => (code::XML, Sql::Blob(element.to_xml())),
    }
}

/// The value that was stored so.
pub(crate) fn from_sql(kind: i64, stored: ValueRef<'_>) -> Option<Value> {
    Some(match kind {
        code::TEXT => Value::Text(stored.as_str().ok()?.to_owned()),
        code::BOOL => Value::Bool(stored.as_i64().ok()? != 0),
        code::INTEGER => Value::Integer(stored.as_i64().ok()?),
        code::DOUBLE => Value::Double(stored.as_f64().ok()?),
        code::TIME => Value::Time(WallTime::from_unix_micros(stored.as_i64().ok()?)),
        code::BYTES => Value::Bytes(stored.as_blob().ok()?.to_vec()),
        code::XML => Value::Xml(Element::from_xml(stored.as_blob().ok()?, &Limits::default()).ok()?),
        _ => from_json(kind, &serde_json::from_str(stored.as_str().ok()?).ok()?)?,
    })
}

fn from_json(kind: i64, json: &Json) -> Option<Value> {
    Some(match kind {
        code::BODY => {
            Value::Body(Body { html: json.get(0)?.as_bool()?, text: json.get(1)?.as_str()?.to_owned() })
        }
        code::MAILBOX => Value::Mailbox(read_mailbox(json)?),
        code::MAILBOXES => Value::Mailboxes(json.as_array()?.iter().filter_map(read_mailbox).collect()),
        code::ATTENDEES => Value::Attendees(json.as_array()?.iter().filter_map(read_attendee).collect()),
        code::TEXTS => Value::Texts(json.as_array()?.iter().filter_map(text).collect()),
        code::PAIRS => {
            let pair = |pair: &Json| Some((text(pair.get(0)?)?, text(pair.get(1)?)?));
            Value::Pairs(json.as_array()?.iter().filter_map(pair).collect())
        }
        code::ITEM_ID => Value::ItemId(ItemId { id: text(json.get(0)?)?, change_key: text(json.get(1)?) }),
        code::FOLDER_ID => {
            Value::FolderId(FolderId { id: text(json.get(0)?)?, change_key: text(json.get(1)?) })
        }
        _ => return None,
    })
}

fn mailbox_json(mailbox: &Mailbox) -> Json {
    json!([mailbox.name, mailbox.address, mailbox.routing, mailbox.kind])
}

fn attendee_json(attendee: &Attendee) -> Json {
    let at = attendee.responded_at.map(WallTime::unix_micros);
    json!([mailbox_json(&attendee.mailbox), attendee.response, at])
}

fn read_mailbox(json: &Json) -> Option<Mailbox> {
    Some(Mailbox {
        name: text(json.get(0)?),
        address: text(json.get(1)?),
        routing: text(json.get(2)?),
        kind: text(json.get(3)?),
    })
}

fn read_attendee(json: &Json) -> Option<Attendee> {
    Some(Attendee {
        mailbox: read_mailbox(json.get(0)?)?,
        response: text(json.get(1)?),
        responded_at: json.get(2)?.as_i64().map(WallTime::from_unix_micros),
    })
}

fn text(json: &Json) -> Option<String> {
    json.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests;
