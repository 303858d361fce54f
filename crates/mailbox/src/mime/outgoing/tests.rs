use mail_parser::MessageParser;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ItemKind, Value};

use super::{authors, message, with_proper_lines};
use crate::mime::read;
use crate::store::identifier::MailboxKey;
use crate::store::record::Record;
use crate::test_world::{NOW, john, mailboxes, text};

fn of_mime(mime: &[u8]) -> Record {
    let mut record = Record::new(MailboxKey(1), ItemKind::Message, NOW);
    read::apply(&mut record, mime.to_vec());
    record.put(Field::FROM, Value::Mailbox(john().as_mailbox()));
    record.row.message_id = Some("<id@example.com>".into());
    record.row.sent = Some(NOW);
    record
}

#[test]
fn what_a_client_wrote_goes_out_as_it_wrote_it() {
    let mime = b"From: j@example.com\r\nDate: Tue, 9 Mar 2010 15:15:12 +0000\r\nMessage-ID: <a@b>\r\nX-A: \xff\r\n\r\n\0\r\n";
    assert_eq!(message(&of_mime(mime)).unwrap(), mime);
}

#[test]
fn fields_that_every_message_has_are_added_where_they_are_missing() {
    let whole = message(&of_mime(b"Subject: s\n\nbody")).unwrap();
    let text = String::from_utf8(whole).unwrap();
    assert!(text.ends_with("\r\nSubject: s\r\n\r\nbody\r\n"), "{text}");
    let parsed = MessageParser::default().parse(text.as_bytes()).unwrap();
    assert_eq!(parsed.from().unwrap().first().unwrap().address(), Some("john.doe@example.com"));
    assert_eq!(parsed.date().unwrap().to_timestamp(), NOW.unix_seconds());
    assert_eq!((parsed.message_id(), parsed.subject()), (Some("id@example.com"), Some("s")));
}

#[test]
fn a_lone_cr_hides_neither_a_field_nor_who_gets_it_unseen() {
    let whole =
        message(&of_mime(b"From: a@x\rFrom: b@x\rBcc: unseen@x\r\nSubject: s\rBcc: u@x\r\n\r\nBcc: v@x"))
            .unwrap();
    assert_eq!(authors(&whole), [Some("a@x".to_owned()), Some("b@x".to_owned())]);
    let text = String::from_utf8(whole).unwrap();
    assert!(
        !text.contains("unseen") && !text.contains("u@x") && text.ends_with("\r\n\r\nBcc: v@x\r\n"),
        "{text}"
    );
}

#[test]
fn what_has_no_header_does_not_go_out() {
    assert_eq!(message(&of_mime(b"")), None);
}

#[test]
fn a_message_of_properties_goes_out_with_a_whole_header() {
    let mut record = Record::new(MailboxKey(1), ItemKind::Message, NOW);
    record.set(Field::SUBJECT.into(), text("Grüße")).unwrap();
    record.put(Field::FROM, Value::Mailbox(john().as_mailbox()));
    record.put(Field::TO_RECIPIENTS, mailboxes(&["zoe@elsewhere.example"]));
    let whole = message(&record).unwrap();
    assert!(whole.is_ascii() && !String::from_utf8_lossy(&whole).replace("\r\n", "").contains(['\r', '\n']));
    assert_eq!(MessageParser::default().parse(&whole).unwrap().subject(), Some("Grüße"));
}

#[test]
fn every_line_ends_in_cr_lf_and_nothing_else_is_in_it() {
    for (before, after) in [
        ("a\nb\r\nc\rd", "a\r\nb\r\nc\r\nd\r\n"),
        ("a\r\r\nb\n\r", "a\r\n\r\nb\r\n\r\n"),
        ("a\r\n.\r\n", "a\r\n.\r\n"),
        ("", ""),
    ] {
        assert_eq!(String::from_utf8_lossy(&with_proper_lines(before.as_bytes())), after, "{before:?}");
    }
}

#[test]
fn all_in_whose_name_a_message_says_that_it_is_are_found() {
    for (header, names) in [
        ("From: a@x", vec![Some("a@x")]),
        ("From: a@x, B <b@x>\r\nSender: c@x", vec![Some("a@x"), Some("b@x"), Some("c@x")]),
        ("From: a@x\r\nSubject: s\r\nFROM: b@x", vec![Some("a@x"), Some("b@x")]),
        ("From: us: a@x, b@x;", vec![Some("a@x"), Some("b@x")]),
        ("From:", vec![None]),
        ("From : a@x", vec![Some("a@x")]),
        ("From\t: a@x", vec![Some("a@x")]),
        ("no field\r\nFrom: a@x", vec![Some("a@x")]),
        ("From: a@x\nFrom: b@x", vec![Some("a@x"), Some("b@x")]),
        (" From: a@x", vec![Some("a@x")]),
        ("Reply-To: a@x", vec![]),
    ] {
        let found = authors(format!("{header}\r\n\r\n").as_bytes());
        assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), names, "{header}");
    }
}
