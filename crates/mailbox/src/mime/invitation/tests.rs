use jiff::tz::TimeZone;
use mail_parser::{MessageParser, MimeHeaders};
use weir_units::Micros;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Attendee, Body, ItemKind, Mailbox, Value};

use super::message;
use crate::store::identifier::MailboxKey;
use crate::store::record::Record;
use crate::test_world::{NOW, john, text};

fn request() -> Record {
    let mut request = Record::new(MailboxKey(1), ItemKind::MeetingRequest, NOW);
    let zoe = Mailbox {
        name: Some("Zoë \"Z\"\r\nX".into()),
        address: Some("zoe@elsewhere.example".into()),
        ..Mailbox::default()
    };
    let attendee = Attendee { mailbox: zoe, response: None, responded_at: None };
    for (field, value) in [
        (Field::SUBJECT, text("Plan; budget, Größe")),
        (Field::LOCATION, text("Room\\1\r\nEND:VEVENT")),
        (Field::UID, text("uid-1")),
        (Field::ORGANIZER, Value::Mailbox(john().as_mailbox())),
        (Field::FROM, Value::Mailbox(john().as_mailbox())),
        (Field::REQUIRED_ATTENDEES, Value::Attendees(vec![attendee])),
        (Field::BODY, Value::Body(Body { html: true, text: format!("<p>{}</p>", "long ".repeat(40)) })),
        (Field::START, Value::Time(NOW)),
        (Field::END, Value::Time(NOW.plus(Micros::MINUTE.times(30)))),
    ] {
        request.set(field.into(), value).unwrap();
    }
    request
}

/// The iCalendar object in a message.
fn calendar(mime: &[u8]) -> String {
    let message = MessageParser::default().parse(mime).unwrap();
    let is_calendar = |part: &&mail_parser::MessagePart<'_>| {
        part.content_type().is_some_and(|kind| {
            kind.subtype() == Some("calendar") && kind.attribute("method") == Some("REQUEST")
        })
    };
    message.parts.iter().find(is_calendar).unwrap().text_contents().unwrap().to_owned()
}

#[test]
fn a_request_says_what_when_where_and_who() {
    let mime = message(&request(), &TimeZone::UTC, NOW);
    let parsed = MessageParser::default().parse(&mime).unwrap();
    assert!(parsed.body_html(0).unwrap().contains("long") && parsed.body_text(0).unwrap().contains("long"));
    let calendar = calendar(&mime);
    assert!(calendar.split("\r\n").all(|line| line.len() <= 75), "{calendar}");
    let unfolded = calendar.replace("\r\n ", "");
    for line in [
        "BEGIN:VCALENDAR",
        "METHOD:REQUEST",
        "UID:uid-1",
        "DTSTAMP:20100309T151512Z",
        "DTSTART:20100309T151512Z",
        "DTEND:20100309T154512Z",
        "SUMMARY:Plan\\; budget\\, Größe",
        "LOCATION:Room\\\\1\\nEND:VEVENT",
        "ORGANIZER;CN=\"John Doe\":mailto:john.doe@example.com",
        "ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=\"Zoë ZX\":mailto:zoe@elsewhere.example",
        "END:VCALENDAR",
    ] {
        assert!(unfolded.split("\r\n").any(|found| found == line), "{line} in {unfolded}");
    }
}

#[test]
fn whole_days_are_those_of_the_organizer() {
    let mut request = request();
    request.put(Field::IS_ALL_DAY_EVENT, Value::Bool(true));
    let tokyo = TimeZone::get("Asia/Tokyo").unwrap();
    let calendar = calendar(&message(&request, &tokyo, NOW));
    assert!(calendar.contains("\r\nDTSTART;VALUE=DATE:20100310\r\n"), "{calendar}");
}
