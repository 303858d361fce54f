use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ItemKind, Mailbox, Value};

use super::Record;
use crate::store::identifier::MailboxKey;
use crate::test_world::{NOW, mailboxes, text};

#[test]
fn what_is_derived_follows_from_what_is_set() {
    let mut record = Record::new(MailboxKey(1), ItemKind::Message, NOW);
    let from =
        Mailbox { name: Some("A".into()), address: Some("a@example.com".into()), ..Mailbox::default() };
    record.set(Field::FROM.into(), Value::Mailbox(from)).unwrap();
    record.set(Field::TO_RECIPIENTS.into(), mailboxes(&["b@example.com", "c@example.com"])).unwrap();
    record.set(Field::SUBJECT.into(), text("hello")).unwrap();
    record.settle();
    assert_eq!(record.row.author.as_deref(), Some("A <a@example.com>"));
    assert_eq!(record.row.display_to.as_deref(), Some("b@example.com; c@example.com"));
    assert_eq!(record.row.display_cc, None);
    let small = record.row.size;
    record.set(Field::SUBJECT.into(), text("hello, hello")).unwrap();
    record.settle();
    assert_eq!(record.row.size, small + 7);
}

#[test]
fn a_value_of_another_kind_is_refused_for_what_has_a_column() {
    let mut record = Record::new(MailboxKey(1), ItemKind::Message, NOW);
    for (field, value) in [
        (Field::SUBJECT, Value::Integer(1)),
        (Field::IS_READ, text("true")),
        (Field::DATE_TIME_SENT, Value::Bool(true)),
        (Field::SIZE, Value::Integer(1)),
    ] {
        assert!(record.set(field.into(), value).is_err(), "{field}");
    }
}
