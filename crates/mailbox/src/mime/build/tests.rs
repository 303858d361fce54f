use base64::Engine;
use mail_parser::{MessageParser, MimeHeaders};
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Body, ItemKind, Mailbox, Value};
use weir_wire::ews::xml::Element;

use super::{message, without_bcc};
use crate::store::identifier::MailboxKey;
use crate::store::record::Record;
use crate::test_world::{NOW, mailboxes, text};

#[test]
fn a_message_says_what_the_properties_say() {
    let mut record = Record::new(MailboxKey(1), ItemKind::Message, NOW);
    let from =
        Mailbox { name: Some("Jöhn".into()), address: Some("j@example.com".into()), ..Mailbox::default() };
    let file = Element::types("FileAttachment")
        .with_child(Element::types("Name").with_text("a.bin"))
        .with_child(Element::types("ContentType").with_text("application/x-test"))
        .with_child(
            Element::types("Content")
                .with_text(base64::engine::general_purpose::STANDARD.encode([0, 1, 255])),
        );
    for (field, value) in [
        (Field::FROM, Value::Mailbox(from)),
        (Field::TO_RECIPIENTS, mailboxes(&["a@example.com", "b@example.com"])),
        (Field::SUBJECT, text("Grüße\r\nX-Injected: yes")),
        (Field::BODY, Value::Body(Body { html: true, text: "<p>ü</p>".into() })),
        (Field::INTERNET_MESSAGE_ID, text("<id@example.com>")),
        (Field::REFERENCES, text("<r1@x> <r2@x>")),
        (Field::IMPORTANCE, text("High")),
        (Field::ATTACHMENTS, Value::Xml(Element::types("Attachments").with_child(file))),
    ] {
        record.set(field.into(), value).unwrap();
    }
    let mime = message(&record);
    let parsed = MessageParser::default().parse(&mime).unwrap();
    assert_eq!(parsed.from().and_then(|from| from.first()).and_then(|from| from.name()), Some("Jöhn"));
    assert_eq!(parsed.to().map(|to| to.iter().count()), Some(2));
    assert_eq!(parsed.message_id(), Some("id@example.com"));
    assert_eq!(parsed.references().as_text_list().map(<[_]>::len), Some(2));
    assert_eq!(parsed.body_html(0).unwrap().trim(), "<p>ü</p>");
    assert_eq!(parsed.header_raw("Importance").map(str::trim), Some("high"));
    assert!(parsed.header_raw("X-Injected").is_none(), "a subject never becomes a header of its own");
    let attachment = parsed.attachment(0).unwrap();
    assert_eq!(
        (attachment.attachment_name(), attachment.contents()),
        (Some("a.bin"), [0, 1, 255].as_slice())
    );
}

#[test]
fn lines_that_name_the_unseen_go_and_the_others_stay() {
    let cases: &[(&str, &str)] = &[
        ("To: a\r\nBcc: b\r\nSubject: s\r\n\r\nBcc: c\r\n", "To: a\r\nSubject: s\r\n\r\nBcc: c\r\n"),
        ("BCC : b,\r\n\tc,\r\n d\r\nTo: a\r\n\r\n", "To: a\r\n\r\n"),
        ("Bcc: b\nTo: a\n\nx", "To: a\n\nx"),
        ("Bccx: b\r\n", "Bccx: b\r\n"),
        ("Bcc: b", ""),
        ("", ""),
    ];
    for (before, after) in cases {
        assert_eq!(without_bcc(before.as_bytes()), after.as_bytes(), "{before:?}");
    }
}
