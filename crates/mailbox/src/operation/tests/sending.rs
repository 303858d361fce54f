use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ItemKind, Mailbox, Value};
use weir_wire::ews::request::{Disposition, Request, SendItem, Shape};
use weir_wire::ews::response::Answer;

use crate::test_world::{
    World, create, find, id_of, item, items, jane, john, ken, known, mailboxes, message, message_to, subject,
    tag, text, value, with,
};

const MIME: &[u8] = b"From: John Doe <john.doe@example.com>\r\nTo: Jane <jane.doe@example.com>\r\n\
Bcc: ken.malcolmson@example.com,\r\n\tjane.doe@example.com\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\
Date: Tue, 9 Mar 2010 15:15:12 +0000\r\nMessage-ID: <one@example.com>\r\nReferences: <a@x> <b@x>\r\n\
Content-Type: text/plain; charset=utf-8\r\n\r\nHello.\r\nBcc: this is text\r\n";

#[tokio::test]
async fn a_saved_message_is_a_draft_that_was_read() {
    let world = World::new();
    let id = world.save(&john(), None, message("Message1", "text")).await;
    let draft = world.get(&john(), &id).await;
    assert_eq!(world.subjects(&john(), "drafts").await, ["Message1"]);
    assert_eq!(value(&draft, Field::IS_DRAFT), Some(&Value::Bool(true)));
    assert_eq!(value(&draft, Field::IS_READ), Some(&Value::Bool(true)));
    assert_eq!(value(&draft, Field::DATE_TIME_CREATED), Some(&Value::Time(world.now)));
    assert_eq!(value(&draft, Field::ITEM_CLASS), Some(&text("IPM.Note")));
}

#[tokio::test]
async fn a_sent_message_arrives_unread_and_a_copy_stays() {
    let world = World::new();
    let new = message_to("Hi", &["jane.doe@example.com", "JaneDoe", "ken.malcolmson@example.com"]);
    let sent = world.one(&john(), create(Disposition::SendAndSaveCopy, None, vec![new])).await.unwrap();
    let copy = world.get(&john(), &id_of(&items(sent)[0])).await;
    assert_eq!(world.subjects(&john(), "sentitems").await, ["Hi"]);
    assert_eq!(value(&copy, Field::IS_DRAFT), Some(&Value::Bool(false)));
    for person in [jane(), ken()] {
        let arrived = world.find(&person, find("inbox")).await;
        assert_eq!(arrived.total, 1, "each recipient once");
        let arrived = world.get(&person, &id_of(&arrived.page[0])).await;
        assert_eq!(value(&arrived, Field::IS_READ), Some(&Value::Bool(false)));
        assert_eq!(value(&arrived, Field::DATE_TIME_RECEIVED), Some(&Value::Time(world.now)));
        let Some(Value::Mailbox(from)) = value(&arrived, Field::FROM) else { panic!("{arrived:?}") };
        assert_eq!(from.address.as_deref(), Some("john.doe@example.com"));
        assert_eq!(value(&arrived, Field::INTERNET_MESSAGE_ID), value(&copy, Field::INTERNET_MESSAGE_ID));
    }
}

#[tokio::test]
async fn nobody_learns_who_got_a_message_unseen() {
    let world = World::new();
    let seen = message_to("Secret", &["jane.doe@example.com"]);
    let new = with(seen, Field::BCC_RECIPIENTS, mailboxes(&["ken.malcolmson@example.com"]));
    let mime = item(ItemKind::Message, vec![(Field::MIME_CONTENT, Value::Bytes(MIME.to_vec()))]);
    for new in [new, mime] {
        world.one(&john(), create(Disposition::SendOnly, None, vec![new])).await.unwrap();
    }
    let shape = Shape {
        mime_content: true,
        base: weir_wire::ews::request::BaseShape::AllProperties,
        ..Shape::id_only()
    };
    for person in [jane(), ken()] {
        let arrived = world.find(&person, find("inbox")).await;
        assert_eq!(arrived.total, 2);
        for summary in arrived.page {
            let whole = world.get_shaped(&person, &id_of(&summary), shape.clone()).await.unwrap();
            assert_eq!(value(&whole, Field::BCC_RECIPIENTS), None);
            let Some(Value::Bytes(mime)) = value(&whole, Field::MIME_CONTENT) else { panic!("{whole:?}") };
            let header = crate::mime::read::header_text(mime).to_lowercase();
            assert!(!header.contains("bcc") && !header.contains("ken"), "{header}");
        }
    }
}

#[tokio::test]
async fn send_only_keeps_no_copy() {
    let world = World::new();
    let new = message_to("Gone", &["jane.doe@example.com"]);
    let sent = world.one(&john(), create(Disposition::SendOnly, None, vec![new])).await;
    assert_eq!(sent, Ok(Answer::Items(Vec::new())));
    assert!(world.subjects(&john(), "sentitems").await.is_empty());
    assert!(world.subjects(&john(), "drafts").await.is_empty());
    assert_eq!(world.subjects(&jane(), "inbox").await, ["Gone"]);
}

#[tokio::test]
async fn a_message_to_nobody_known_comes_back_and_reaches_the_others() {
    let world = World::new();
    let new = message_to("Lost", &["nobody@example.com", "jane.doe@example.com", "who@elsewhere.example"]);
    world.one(&john(), create(Disposition::SendAndSaveCopy, None, vec![new])).await.unwrap();
    assert_eq!(world.subjects(&jane(), "inbox").await, ["Lost"]);
    let report = world.find(&john(), find("inbox")).await.page.remove(0);
    assert_eq!(subject(&report), "Undeliverable: Lost");
    let report = world.get(&john(), &id_of(&report)).await;
    let Some(Value::Body(body)) = value(&report, Field::BODY) else { panic!("{report:?}") };
    assert!(
        body.text.contains("nobody@example.com") && body.text.contains("who@elsewhere.example"),
        "{}",
        body.text
    );
    assert!(!body.text.contains("jane.doe"), "{}", body.text);
    assert_eq!(value(&report, Field::ITEM_CLASS), Some(&text("REPORT.IPM.Note.NDR")));
}

#[tokio::test]
async fn a_message_in_anothers_name_is_not_sent() {
    let world = World::new();
    let from = Mailbox { address: Some("jane.doe@example.com".into()), ..Mailbox::default() };
    let new = with(message_to("Forged", &["ken.malcolmson@example.com"]), Field::FROM, Value::Mailbox(from));
    let request = create(Disposition::SendAndSaveCopy, None, vec![new]);
    assert_eq!(world.refusal(&john(), request).await, "ErrorSendAsDenied");
    assert!(world.subjects(&ken(), "inbox").await.is_empty());
    assert!(world.subjects(&john(), "sentitems").await.is_empty(), "a refused step leaves nothing");
}

#[tokio::test]
async fn messages_that_cannot_be_sent_are_refused() {
    let world = World::with(crate::Settings { max_recipients: 2, ..crate::Settings::default() });
    let to_nobody = create(Disposition::SendOnly, None, vec![message("a", "")]);
    assert_eq!(world.refusal(&john(), to_nobody).await, "ErrorInvalidRecipients");
    let to_many = message_to("a", &["x@example.com", "y@example.com", "z@example.com"]);
    let request = create(Disposition::SendOnly, None, vec![to_many]);
    assert_eq!(world.refusal(&john(), request).await, "ErrorInvalidRecipients");
    let Request::CreateItem(mut create) = create(Disposition::SaveOnly, None, vec![message("a", "")]) else {
        panic!()
    };
    create.disposition = None;
    assert_eq!(world.refusal(&john(), Request::CreateItem(create)).await, "ErrorMessageDispositionRequired");
}

#[tokio::test]
async fn a_draft_is_sent_and_moves_to_what_was_sent() {
    let world = World::new();
    let send = |id, save_copy, folder: Option<&str>| {
        Request::SendItem(SendItem { save_copy, folder: folder.map(known), items: vec![id] })
    };
    let keep = world.save(&john(), None, message_to("Keep", &["jane.doe@example.com"])).await;
    let drop = world.save(&john(), None, message_to("Drop", &["jane.doe@example.com"])).await;
    let elsewhere = world.save(&john(), None, message_to("Elsewhere", &["jane.doe@example.com"])).await;
    assert_eq!(world.one(&john(), send(keep.clone(), true, None)).await, Ok(Answer::Done));
    assert_eq!(world.one(&john(), send(drop, false, None)).await, Ok(Answer::Done));
    assert_eq!(world.one(&john(), send(elsewhere, true, Some("inbox"))).await, Ok(Answer::Done));
    assert!(world.subjects(&john(), "drafts").await.is_empty());
    assert_eq!(world.subjects(&john(), "sentitems").await, ["Keep"]);
    assert_eq!(world.subjects(&john(), "inbox").await, ["Elsewhere"]);
    assert_eq!(world.subjects(&jane(), "inbox").await, ["Drop", "Elsewhere", "Keep"]);
    assert_eq!(world.refusal(&john(), send(keep.clone(), true, None)).await, "ErrorItemNotFound");
    assert_eq!(
        world.refusal(&john(), send(keep, false, Some("inbox"))).await,
        "ErrorInvalidSendItemSaveSettings"
    );
}

#[tokio::test]
async fn a_message_in_internet_form_is_read_and_given_back_byte_for_byte() {
    let world = World::new();
    let mut new = item(ItemKind::Message, vec![(Field::MIME_CONTENT, Value::Bytes(MIME.to_vec()))]);
    new.properties.insert(tag(0x0e07, "Integer"), Value::Integer(1));
    let id = world.save(&john(), Some("inbox"), new).await;
    let shape = Shape {
        mime_content: true,
        base: weir_wire::ews::request::BaseShape::AllProperties,
        ..Shape::id_only()
    };
    let whole = world.get_shaped(&john(), &id, shape).await.unwrap();
    assert_eq!(value(&whole, Field::MIME_CONTENT), Some(&Value::Bytes(MIME.to_vec())));
    assert_eq!(subject(&whole), "Grüße");
    assert_eq!(value(&whole, Field::INTERNET_MESSAGE_ID), Some(&text("<one@example.com>")));
    assert_eq!(value(&whole, Field::REFERENCES), Some(&text("<a@x> <b@x>")));
    assert_eq!(value(&whole, Field::DISPLAY_TO), Some(&text("Jane")));
    assert_eq!(value(&whole, Field::DATE_TIME_SENT), Some(&Value::Time(crate::test_world::NOW)));
    assert_eq!(value(&whole, Field::SIZE), Some(&Value::Integer(i64::try_from(MIME.len()).unwrap())));
    assert_eq!(value(&whole, Field::IS_DRAFT), Some(&Value::Bool(false)), "the flags say so");
    let one = weir_wire::ews::property::PropertyPath::indexed("item:InternetMessageHeader", "message-id");
    let shape = Shape { additional: vec![one.clone(), tag(0x007d, "String")], ..Shape::id_only() };
    let header = world.get_shaped(&john(), &id, shape).await.unwrap();
    assert_eq!(header.properties.get(&one), Some(&text("<one@example.com>")));
    let end = MIME.len() - "Hello.\r\nBcc: this is text\r\n".len();
    let as_it_came = text(std::str::from_utf8(&MIME[..end]).unwrap());
    assert_eq!(header.properties.get(&tag(0x007d, "String")), Some(&as_it_came));
    let Some(Value::Pairs(headers)) = value(&whole, Field::INTERNET_MESSAGE_HEADERS) else {
        panic!("{whole:?}")
    };
    assert!(headers.contains(&("Message-ID".into(), "<one@example.com>".into())), "{headers:?}");
}

#[tokio::test]
async fn a_message_of_properties_has_an_internet_form() {
    let world = World::new();
    let id = world.save(&john(), None, message_to("Grüße", &["jane.doe@example.com"])).await;
    let shape = Shape { mime_content: true, ..Shape::id_only() };
    let whole = world.get_shaped(&john(), &id, shape).await.unwrap();
    let Some(Value::Bytes(mime)) = value(&whole, Field::MIME_CONTENT) else { panic!("{whole:?}") };
    let parsed = mail_parser::MessageParser::default().parse(mime).unwrap();
    assert_eq!(parsed.subject(), Some("Grüße"));
    assert_eq!(
        parsed.to().and_then(|to| to.first()).and_then(|to| to.address()),
        Some("jane.doe@example.com")
    );
    assert_eq!(parsed.body_text(0).unwrap().trim(), "Hello.");
    assert_eq!(parsed.date().unwrap().to_timestamp(), world.now.unix_seconds());
}

#[tokio::test]
async fn an_item_larger_than_items_may_be_is_refused() {
    let world = World::with(crate::Settings { max_item_bytes: 1000, ..crate::Settings::default() });
    let large = create(Disposition::SaveOnly, None, vec![message("a", &"x".repeat(2000))]);
    assert_eq!(world.refusal(&john(), large).await, "ErrorMessageSizeExceeded");
    assert!(world.subjects(&john(), "drafts").await.is_empty());
}
