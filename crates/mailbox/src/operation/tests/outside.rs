use mail_parser::MessageParser;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Attendee, ItemKind, Mailbox, Value};
use weir_wire::ews::request::{CreateItem, Disposition, Request, SendItem};
use weir_wire::ews::xml::Element;

use crate::outbound::NotSent;
use crate::test_world::{
    World, create, id_of, item, items, jane, john, ken, mailboxes, message_to, text, value, with,
};

fn mime(text: &str) -> weir_wire::ews::property::Item {
    item(ItemKind::Message, vec![(Field::MIME_CONTENT, Value::Bytes(text.as_bytes().to_vec()))])
}

#[tokio::test]
async fn people_elsewhere_get_one_message_and_people_here_get_theirs() {
    let (world, sent) = World::with_a_way_out();
    let new = message_to("Hi", &["zoe@elsewhere.example", "jane.doe@example.com", "Zoe@Elsewhere.example"]);
    let new = with(
        new,
        Field::BCC_RECIPIENTS,
        mailboxes(&["unseen@elsewhere.example", "ken.malcolmson@example.com"]),
    );
    let answer = world.one(&john(), create(Disposition::SendAndSaveCopy, None, vec![new])).await.unwrap();
    let (to, message) = sent.only();
    assert_eq!(to, ["zoe@elsewhere.example", "unseen@elsewhere.example"]);
    let header = crate::mime::read::header_text(&message).to_lowercase();
    assert!(!header.contains("unseen") && !header.contains("ken") && !header.contains("bcc"), "{header}");
    let parsed = MessageParser::default().parse(&message).unwrap();
    assert_eq!(parsed.from().unwrap().first().unwrap().address(), Some("john.doe@example.com"));
    assert_eq!(parsed.to().unwrap().iter().count(), 3);
    let copy = world.get(&john(), &id_of(&items(answer)[0])).await;
    let id = format!("<{}>", parsed.message_id().unwrap());
    assert_eq!(value(&copy, Field::INTERNET_MESSAGE_ID), Some(&text(&id)));
    for who in [jane(), ken()] {
        assert_eq!(world.subjects(&who, "inbox").await, ["Hi"]);
    }
    assert!(world.subjects(&john(), "inbox").await.is_empty(), "nothing came back");
}

#[tokio::test]
async fn mail_for_people_here_never_goes_out() {
    let (world, sent) = World::with_a_way_out();
    let new = message_to("Hi", &["jane.doe@example.com", "KenMalcolmson"]);
    world.one(&john(), create(Disposition::SendOnly, None, vec![new])).await.unwrap();
    assert!(sent.is_empty());
}

#[tokio::test]
async fn a_draft_that_came_in_internet_form_goes_out_without_its_unseen_recipients() {
    let (world, sent) = World::with_a_way_out();
    let draft = mime(
        "From: john.doe@example.com\nTo: zoe@elsewhere.example\nBcc: u@elsewhere.example\nSubject: s\n\nHi\n",
    );
    let id = world.save(&john(), None, draft).await;
    let request = SendItem { save_copy: true, folder: None, items: vec![id] };
    world.one(&john(), Request::SendItem(request)).await.unwrap();
    let (to, message) = sent.only();
    assert_eq!(to, ["zoe@elsewhere.example", "u@elsewhere.example"]);
    let text = String::from_utf8(message).unwrap();
    let as_written = "From: john.doe@example.com\r\nTo: zoe@elsewhere.example\r\nSubject: s\r\n\r\nHi\r\n";
    assert!(
        text.starts_with("Date: ") && text.ends_with(as_written) && text.contains("\r\nMessage-ID: <"),
        "{text}"
    );
    assert_eq!(world.subjects(&john(), "sentitems").await, ["s"]);
}

#[tokio::test]
async fn what_is_no_address_comes_back_and_the_others_get_the_message() {
    let (world, sent) = World::with_a_way_out();
    let new = message_to("Hi", &["Somebody", "@", "zoe@elsewhere.example", "/o=elsewhere/cn=zoe"]);
    world.one(&john(), create(Disposition::SendOnly, None, vec![new])).await.unwrap();
    assert_eq!(sent.only().0, ["zoe@elsewhere.example"]);
    assert_eq!(world.subjects(&john(), "inbox").await, ["Undeliverable: Hi"]);
}

#[tokio::test]
async fn a_message_that_is_not_taken_is_sent_to_nobody() {
    for (why, code) in [
        (NotSent::TooMany, "ErrorSubmissionQuotaExceeded"),
        (NotSent::Unavailable, "ErrorInsufficientResources"),
        (NotSent::TooLarge { limit: 10 }, "ErrorMessageSizeExceeded"),
        (NotSent::Malformed("a header line is too long".into()), "ErrorMimeContentInvalid"),
    ] {
        let (world, sent) = World::with_a_way_out();
        sent.refuse(Some(why));
        let to = ["jane.doe@example.com", "zoe@elsewhere.example", "Somebody"];
        let create = create(Disposition::SendAndSaveCopy, None, vec![message_to("Hi", &to)]);
        assert_eq!(world.refusal(&john(), create).await, code);
        let draft = world.save(&john(), None, message_to("Draft", &to)).await;
        let request = SendItem { save_copy: true, folder: None, items: vec![draft] };
        assert_eq!(world.refusal(&john(), Request::SendItem(request.clone())).await, code);
        assert!(world.subjects(&jane(), "inbox").await.is_empty());
        for folder in ["sentitems", "inbox"] {
            assert!(world.subjects(&john(), folder).await.is_empty());
        }
        sent.refuse(None);
        world.one(&john(), Request::SendItem(request)).await.unwrap();
        assert_eq!(sent.only().0, ["zoe@elsewhere.example"], "the draft is still there, and goes");
    }
}

#[tokio::test]
async fn nobody_writes_to_people_elsewhere_in_anothers_name() {
    let (world, sent) = World::with_a_way_out();
    for header in [
        "From: jane.doe@example.com",
        "From: john.doe@example.com, jane.doe@example.com",
        "From: john.doe@example.com\r\nFrom: jane.doe@example.com",
        "From: jane.doe@example.com\r\nFrom: john.doe@example.com",
        "From: john.doe@example.com\rFrom: jane.doe@example.com",
        "From: john.doe@example.com\r\nSender: jane.doe@example.com",
        "From: Jane",
    ] {
        let new = mime(&format!("{header}\r\nTo: zoe@elsewhere.example\r\n\r\n"));
        let request = create(Disposition::SendOnly, None, vec![new]);
        assert_eq!(world.refusal(&john(), request).await, "ErrorSendAsDenied", "{header}");
    }
    assert!(sent.is_empty());
}

fn meeting(world: &World, attendees: &[&str]) -> weir_wire::ews::property::Item {
    let attendee = |address: &&str| Attendee {
        mailbox: Mailbox { address: Some((*address).to_owned()), ..Mailbox::default() },
        response: None,
        responded_at: None,
    };
    item(
        ItemKind::CalendarItem,
        vec![
            (Field::SUBJECT, text("Review")),
            (Field::START, Value::Time(world.now)),
            (Field::REQUIRED_ATTENDEES, Value::Attendees(attendees.iter().map(attendee).collect())),
        ],
    )
}

fn invite(new: weir_wire::ews::property::Item) -> Request {
    let invitations = Some("SendToAllAndSaveCopy".to_owned());
    Request::CreateItem(CreateItem { disposition: None, invitations, folder: None, items: vec![new] })
}

#[tokio::test]
async fn attendees_elsewhere_are_invited_in_a_form_that_calendars_read() {
    let (world, sent) = World::with_a_way_out();
    let new = meeting(&world, &["jane.doe@example.com", "zoe@elsewhere.example"]);
    world.one(&john(), invite(new)).await.unwrap();
    let (to, message) = sent.only();
    assert_eq!(to, ["zoe@elsewhere.example"]);
    let message = String::from_utf8(message).unwrap();
    assert!(message.contains("text/calendar") && message.contains("METHOD:REQUEST"), "{message}");
    assert_eq!(world.subjects(&jane(), "inbox").await, ["Review"]);
    assert!(world.subjects(&john(), "inbox").await.is_empty());
}

#[tokio::test]
async fn a_series_of_meetings_comes_back_from_people_elsewhere() {
    let (world, sent) = World::with_a_way_out();
    let new = meeting(&world, &["jane.doe@example.com", "zoe@elsewhere.example"]);
    let new = with(new, Field::RECURRENCE, Value::Xml(Element::types("Recurrence")));
    world.one(&john(), invite(new)).await.unwrap();
    assert!(sent.is_empty());
    assert_eq!(world.subjects(&john(), "inbox").await, ["Undeliverable: Review"]);
    assert_eq!(world.subjects(&jane(), "inbox").await, ["Review"]);
}
