use proptest::prelude::*;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::ItemKind;

use super::{apply, header_text, headers};
use crate::store::identifier::MailboxKey;
use crate::store::record::Record;
use crate::test_world::NOW;

fn read(mime: &[u8]) -> Record {
    let mut record = Record::new(MailboxKey(1), ItemKind::Message, NOW);
    apply(&mut record, mime.to_vec());
    record.settle();
    record
}

#[test]
fn the_best_body_is_taken_and_the_rest_is_kept() {
    let mime = b"Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nplain\r\n\
--b\r\nContent-Type: text/html\r\n\r\n<p>rich</p>\r\n--b--\r\n";
    let record = read(mime);
    assert!(record.content.html && record.content.body.contains("rich"), "{:?}", record.content);
    assert_eq!(record.content.mime.as_deref(), Some(mime.as_slice()));
    assert!(!record.row.has_attachments);
}

#[test]
fn people_without_an_address_are_left_out() {
    let record = read(b"To: a@example.com, undisclosed-recipients:;\r\nFrom: A <a@example.com>\r\n\r\n");
    assert_eq!(record.people(Field::TO_RECIPIENTS).len(), 1);
    assert_eq!(record.people(Field::SENDER).len(), 1, "who sends is who wrote, where nothing else is said");
}

#[test]
fn a_header_is_shown_unfolded_and_as_it_came() {
    let mime = b"Subject: one\r\n two\r\nX-A: b\r\n\r\nbody";
    assert_eq!(headers(mime), [("Subject".into(), "one two".into()), ("X-A".into(), "b".into())]);
    assert_eq!(header_text(mime), "Subject: one\r\n two\r\nX-A: b\r\n\r\n");
}

#[test]
fn of_a_message_made_to_be_costly_the_header_is_read() {
    let parts = |count: usize| {
        let part = "--b\r\nContent-Type: MultiPart/mixed; boundary=never\r\n\r\nx\r\n";
        format!("Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{}", part.repeat(count))
    };
    let costly = parts(40_000);
    let record = read(costly.as_bytes());
    assert_eq!(record.row.subject.as_deref(), Some("s"));
    assert!(record.content.body.starts_with("--b\r\n") && record.content.body.len() == 1 << 20);
    assert!(!record.row.has_attachments && crate::mime::attachment::all(&record).is_empty());
    assert_eq!(record.content.mime.as_deref(), Some(costly.as_bytes()));
    let usual = read(parts(100).as_bytes());
    assert!(usual.row.has_attachments);
    assert_eq!(crate::mime::attachment::all(&usual).len(), 100);
}

#[test]
fn importance_is_read_in_both_spellings() {
    for (header, importance) in [
        ("Importance: High", 2),
        ("Importance: low", 0),
        ("Importance: low\r\nX-Priority: 1", 0),
        ("X-Priority: 1 (Highest)", 2),
        ("X-Priority: 3", 1),
        ("X-Priority: 5", 0),
        ("X-Priority:", 1),
        ("Subject: a", 1),
    ] {
        assert_eq!(read(format!("{header}\r\n\r\n").as_bytes()).row.importance, importance, "{header}");
    }
}

proptest! {
    #[test]
    fn no_bytes_panic_and_all_are_kept(mime in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(read(&mime).content.mime, Some(mime.clone()));
        headers(&mime);
        header_text(&mime);
    }
}
