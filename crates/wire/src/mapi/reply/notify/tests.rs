use proptest::prelude::*;

use super::super::super::property::tag;
use super::super::super::property::tests::any_tag;
use super::super::super::tests::bytes;
use super::super::super::text::tests::any_width;
use super::*;

fn any_object() -> impl Strategy<Value = Object> {
    (any::<u64>(), prop::option::of(any::<u64>())).prop_map(|(folder, message)| Object { folder, message })
}

fn any_added() -> impl Strategy<Value = AddedRow> {
    let row = |message: bool| {
        (any::<u64>(), any::<u64>(), any::<u32>()).prop_map(move |(folder, id, instance)| TableRow {
            folder,
            message: message.then_some(MessageRow { message: id, instance }),
        })
    };
    let data = prop::collection::vec(any::<u8>(), 0..5);
    (any::<bool>(), data).prop_flat_map(move |(message, data)| {
        (row(message), row(message)).prop_map(move |(row, after)| AddedRow { row, after, data: data.clone() })
    })
}

fn any_journey() -> impl Strategy<Value = Journey> {
    (any_object(), any::<u64>(), any::<u64>(), any::<u64>())
        .prop_map(|(object, parent, old_folder, old)| Journey { object, parent, old_folder, old })
}

fn any_event() -> impl Strategy<Value = Event> {
    let tags = || prop::collection::vec(any_tag(), 0..3);
    prop_oneof![
        (any_object(), any::<u32>(), any_width()).prop_map(|(object, flags, class)| Event::NewMail {
            object,
            flags,
            class
        }),
        (any_object(), any::<u64>(), tags()).prop_map(|(object, parent, tags)| Event::Created {
            object,
            parent,
            tags
        }),
        (any_object(), any::<u64>()).prop_map(|(object, parent)| Event::Deleted { object, parent }),
        (any_object(), tags()).prop_map(|(object, tags)| Event::Modified { object, tags }),
        any_journey().prop_map(Event::Moved),
        any_journey().prop_map(Event::Copied),
        any::<u64>().prop_map(|folder| Event::SearchComplete { folder }),
        any_added().prop_map(|added| Event::Table(TableEvent::Added(added))),
        any_added().prop_map(|added| Event::Table(TableEvent::Modified(added))),
        any_added().prop_map(|added| Event::Table(TableEvent::Deleted(added.row))),
        (6u16..).prop_map(|kind| Event::Table(TableEvent::Other(kind))),
    ]
}

/// Takes away what is not sent.
fn as_sent(mut notify: Notify) -> Notify {
    let in_search = notify.in_search;
    let forget = |object: Object, parent: &mut u64| {
        if object.message.is_some() != in_search {
            *parent = 0;
        }
    };
    match &mut notify.event {
        Event::Created { object, parent, .. } | Event::Deleted { object, parent } => forget(*object, parent),
        Event::Moved(journey) | Event::Copied(journey) => forget(journey.object, &mut journey.parent),
        Event::NewMail { .. } | Event::Modified { .. } | Event::SearchComplete { .. } | Event::Table(_) => {}
    }
    notify
}

pub(in super::super::super) fn any_notify() -> impl Strategy<Value = Notify> {
    let count = || prop::option::of(any::<u32>());
    (any::<u32>(), any::<u8>(), any_event(), any::<bool>(), count(), count()).prop_map(
        |(handle, logon, event, in_search, total, unread)| {
            as_sent(Notify { handle, logon, event, in_search, total, unread })
        },
    )
}

fn check(event: Event, total: Option<u32>, fields: &str) {
    let notify = Notify { handle: 5, logon: 1, event, in_search: false, total, unread: None };
    let mut out = Vec::new();
    Plain::write(&notify, &mut out);
    assert_eq!(out, bytes(&format!("05000000 01 {fields}")), "{notify:?}");
    assert_eq!(Plain::read(&mut Reader::new(&out), "it"), Ok(notify));
}

#[test]
fn each_event_has_the_fields_that_the_documents_give_it() {
    let message = Object { folder: 0x0D, message: Some(0xEE) };
    let folder = Object { folder: 0x0D, message: None };
    let (id, message_id, parent) = ("0D00000000000000", "EE00000000000000", "0900000000000000");
    let class = Text::Narrow(b"IPM.Note".into());
    check(
        Event::NewMail { object: message, flags: 2, class },
        None,
        &format!("0280 {id} {message_id} 02000000 00 49504D2E4E6F746500"),
    );
    check(
        Event::Created { object: message, parent: 0, tags: vec![] },
        None,
        &format!("0480 {id} {message_id} 0000"),
    );
    check(
        Event::Created { object: folder, parent: 9, tags: vec![tag::DISPLAY_NAME] },
        None,
        &format!("0400 {id} {parent} 0100 1F000130"),
    );
    check(Event::Deleted { object: message, parent: 0 }, None, &format!("0880 {id} {message_id}"));
    check(
        Event::Modified { object: folder, tags: vec![tag::CONTENT_COUNT] },
        Some(14),
        &format!("1010 {id} 0100 03000236 0E000000"),
    );
    let journey = Journey { object: message, parent: 0, old_folder: 9, old: 0x0D };
    check(Event::Moved(journey), None, &format!("2080 {id} {message_id} {parent} {id}"));
    check(Event::SearchComplete { folder: 9 }, None, &format!("8000 {parent}"));
    check(Event::Table(TableEvent::CHANGED), None, "0001 0100");
    let row = TableRow { folder: 0x0D, message: Some(MessageRow { message: 0xEE, instance: 1 }) };
    let first = TableRow { folder: 0, message: Some(MessageRow::default()) };
    check(
        Event::Table(TableEvent::Added(AddedRow { row, after: first, data: vec![7] })),
        None,
        &format!("0081 0300 {id} {message_id} 01000000 {} 0100 07", "00".repeat(20)),
    );
}

#[test]
fn events_that_are_none_are_errors() {
    for kind in ["0000", "0600", "0004"] {
        let read: Result<Notify, _> =
            Plain::read(&mut Reader::new(&bytes(&format!("05000000 01 {kind}"))), "it");
        assert_eq!(read, Err(Malformed::Wrong("the kind of an event")));
    }
}

#[test]
fn both_marks_for_no_tags_are_read() {
    let modified = |count: &str| {
        let list = bytes(&format!("05000000 01 1000 0D00000000000000 {count}"));
        let read: Notify = Plain::read(&mut Reader::new(&list), "it").unwrap();
        read.event
    };
    assert_eq!(modified("FFFF"), modified("0000"));
}
