use rusqlite::types::ValueRef;
use weir_units::WallTime;
use weir_wire::ews::property::{Attendee, Body, FolderId, ItemId, Mailbox, Value};
use weir_wire::ews::xml::Element;

use super::{code, from_sql, to_sql};

fn person() -> Mailbox {
    Mailbox {
        name: Some("A \"quoted\" näme".into()),
        address: Some("a@example.com".into()),
        routing: None,
        kind: Some("OneOff".into()),
    }
}

#[test]
fn every_kind_of_value_comes_back_as_it_was_stored() {
    let attendee = Attendee {
        mailbox: person(),
        response: Some("Accept".into()),
        responded_at: Some(WallTime::from_unix_micros(5)),
    };
    let element = Element::types("Recurrence").with_child(Element::types("Interval").with_text("1 < 2"));
    let values = [
        Value::Text("a\u{0}b ü".into()),
        Value::Bool(true),
        Value::Integer(i64::MIN),
        Value::Double(-0.25),
        Value::Time(WallTime::from_unix_micros(-1)),
        Value::Bytes(vec![0, 255]),
        Value::Body(Body { html: true, text: "<p>".into() }),
        Value::Mailbox(person()),
        Value::Mailboxes(vec![person(), Mailbox::default()]),
        Value::Attendees(vec![attendee, Attendee::default()]),
        Value::Texts(vec!["a".into(), String::new()]),
        Value::Pairs(vec![("a".into(), "b".into())]),
        Value::ItemId(ItemId { id: "i".into(), change_key: None }),
        Value::FolderId(FolderId { id: "f".into(), change_key: Some("k".into()) }),
        Value::Xml(element),
    ];
    for value in values {
        let (kind, stored) = to_sql(&value);
        assert_eq!(from_sql(kind, ValueRef::from(&stored)), Some(value));
    }
}

#[test]
fn what_cannot_be_read_back_counts_as_absent() {
    let broken = [
        (code::MAILBOX, ValueRef::Text(b"{")),
        (code::MAILBOX, ValueRef::Text(b"[]")),
        (code::XML, ValueRef::Blob(b"<a>")),
        (code::INTEGER, ValueRef::Text(b"1")),
        (99, ValueRef::Text(b"null")),
        (code::TEXT, ValueRef::Null),
        (code::TEXT, ValueRef::Text(&[255])),
    ];
    for (kind, stored) in broken {
        assert_eq!(from_sql(kind, stored), None, "{kind}");
    }
}
