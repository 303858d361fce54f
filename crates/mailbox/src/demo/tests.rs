#![allow(clippy::wildcard_enum_match_arm, reason = "a test wants one answer and shows any other")]

use weir_units::Micros;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::Value;
use weir_wire::ews::request::{FindItem, View};

use super::DemoPeople;
use crate::test_world::{World, find, id_of, jane, john, ken, value};

#[tokio::test]
async fn a_demonstration_begins_with_what_the_documents_use() {
    let world = World::new();
    let people = DemoPeople { john: john(), jane: jane(), ken: ken() };
    for _ in 0..2 {
        world.server.seed_demo(&people, world.now).await.unwrap();
    }
    let drafts = ["Message1", "Message2", "Message3", "Message4", "Message5", "Message6"];
    assert_eq!(world.subjects(&john(), "drafts").await, drafts, "once, however often it is seeded");
    let mails = world.find(&jane(), find("inbox")).await;
    assert_eq!(mails.total, 25);
    assert!(mails.page.iter().all(|mail| value(mail, Field::IS_READ) == Some(&Value::Bool(false))));
    let end = world.now.plus(Micros::MINUTE.times(60 * 24 * 3));
    let view = View::Calendar { max: Some(25), start: world.now, end };
    let appointments = world.find(&ken(), FindItem { view, ..find("calendar") }).await;
    assert_eq!((appointments.total, appointments.last), (3, true));
    for appointment in appointments.page {
        let whole = world.get(&ken(), &id_of(&appointment)).await;
        let Some(Value::Attendees(attendees)) = value(&whole, Field::REQUIRED_ATTENDEES) else {
            panic!("{whole:?}")
        };
        assert_eq!(attendees.len(), 2);
    }
}
