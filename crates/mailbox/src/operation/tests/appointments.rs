use weir_units::Micros;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Attendee, Item, ItemKind, Mailbox, Value};
use weir_wire::ews::request::{CreateItem, Request};

use crate::test_world::{World, find, id_of, item, items, jane, john, ken, subject, text, value};

fn attendee(address: &str) -> Attendee {
    let mailbox = Mailbox { address: Some(address.into()), ..Mailbox::default() };
    Attendee { mailbox, response: None, responded_at: None }
}

fn meeting(world: &World, attendees: &[&str]) -> Item {
    item(
        ItemKind::CalendarItem,
        vec![
            (Field::SUBJECT, text("Review")),
            (Field::LOCATION, text("Room 1")),
            (Field::START, Value::Time(world.now)),
            (Field::END, Value::Time(world.now.plus(Micros::MINUTE.times(90)))),
            (
                Field::REQUIRED_ATTENDEES,
                Value::Attendees(attendees.iter().map(|address| attendee(address)).collect()),
            ),
        ],
    )
}

fn create(invitations: Option<&str>, new: Item) -> Request {
    let invitations = invitations.map(str::to_owned);
    Request::CreateItem(CreateItem { disposition: None, invitations, folder: None, items: vec![new] })
}

#[tokio::test]
async fn an_appointment_tells_what_follows_from_its_times_and_attendees() {
    let world = World::new();
    let new = meeting(&world, &["jane.doe@example.com"]);
    let answer = world.one(&ken(), create(Some("SendToNone"), new)).await.unwrap();
    let whole = world.get(&ken(), &id_of(&items(answer)[0])).await;
    assert_eq!(value(&whole, Field::DURATION), Some(&text("PT1H30M")));
    assert_eq!(value(&whole, Field::IS_MEETING), Some(&Value::Bool(true)));
    assert_eq!(value(&whole, Field::CALENDAR_ITEM_TYPE), Some(&text("Single")));
    assert_eq!(value(&whole, Field::ORGANIZER), Some(&Value::Mailbox(ken().as_mailbox())));
    assert!(matches!(value(&whole, Field::UID), Some(Value::Text(uid)) if !uid.is_empty()));
    assert!(world.subjects(&jane(), "inbox").await.is_empty(), "nobody is invited");
    let summary = world.find(&ken(), find("calendar")).await.page.remove(0);
    assert_eq!(value(&summary, Field::REQUIRED_ATTENDEES), None);
}

#[tokio::test]
async fn invited_attendees_get_a_request_and_a_tentative_appointment() {
    let world = World::new();
    let new = meeting(&world, &["jane.doe@example.com", "nobody@example.com", "ken.malcolmson@example.com"]);
    world.one(&ken(), create(Some("SendToAllAndSaveCopy"), new)).await.unwrap();
    let request = world.find(&jane(), find("inbox")).await.page.remove(0);
    assert_eq!((request.kind, subject(&request)), (ItemKind::MeetingRequest, "Review".to_owned()));
    let request = world.get(&jane(), &id_of(&request)).await;
    assert_eq!(value(&request, Field::START), Some(&Value::Time(world.now)));
    assert_eq!(value(&request, Field::LOCATION), Some(&text("Room 1")));
    let Some(Value::ItemId(associated)) = value(&request, Field::MEETING_ASSOCIATED_CALENDAR_ITEM_ID) else {
        panic!("{request:?}")
    };
    let pencilled = world.get(&jane(), associated).await;
    assert_eq!(value(&pencilled, Field::LEGACY_FREE_BUSY_STATUS), Some(&text("Tentative")));
    assert_eq!(value(&pencilled, Field::ORGANIZER), Some(&Value::Mailbox(ken().as_mailbox())));
    assert_eq!(world.subjects(&ken(), "calendar").await, ["Review"], "the organizer is not invited");
    assert_eq!(world.subjects(&ken(), "inbox").await, ["Undeliverable: Review"]);
    assert_eq!(world.subjects(&ken(), "sentitems").await, ["Review"]);
}

#[tokio::test]
async fn invitations_without_a_copy_leave_none_among_what_was_sent() {
    let world = World::new();
    let new = meeting(&world, &["john.doe@example.com"]);
    world.one(&ken(), create(Some("SendOnlyToAll"), new)).await.unwrap();
    assert_eq!(world.subjects(&john(), "inbox").await, ["Review"]);
    assert!(world.subjects(&ken(), "sentitems").await.is_empty());
}

#[tokio::test]
async fn appointments_that_make_no_sense_are_refused() {
    let world = World::new();
    let backwards = item(
        ItemKind::CalendarItem,
        vec![
            (Field::START, Value::Time(world.now.plus(Micros::SECOND))),
            (Field::END, Value::Time(world.now)),
        ],
    );
    let cases = [
        (create(None, meeting(&world, &[])), "ErrorSendMeetingInvitationsRequired"),
        (create(Some("SendToSome"), meeting(&world, &[])), "ErrorInvalidArgument"),
        (create(Some("SendToNone"), backwards), "ErrorCalendarEndDateIsEarlierThanStartDate"),
    ];
    for (request, code) in cases {
        assert_eq!(world.refusal(&ken(), request).await, code);
    }
    assert!(world.subjects(&ken(), "calendar").await.is_empty());
}
