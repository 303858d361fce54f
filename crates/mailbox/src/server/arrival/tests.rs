use bytes::Bytes;
use proptest::prelude::*;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Item, Value};
use weir_wire::ews::request::{BaseShape, GetEvents, Request, Shape, Subscribe, SyncFolderItems};
use weir_wire::ews::response::{Answer, Change};

use super::NotDelivered;
use crate::test_world::{World, find, id_of, jane, john, ken, known, subject, text, value};
use crate::{Person, Settings};

const MESSAGE: &[u8] = b"Received: from there by here; Tue, 9 Mar 2010 15:14:00 +0000\r\n\
From: =?utf-8?q?Zo=C3=AB?= <zoe@elsewhere.example>\r\nTo: John Doe <john.doe@example.com>, list@elsewhere.example\r\n\
Cc: Ken <ken.malcolmson@example.com>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\
Date: Tue, 9 Mar 2010 15:13:12 +0000\r\nMessage-ID: <two@elsewhere.example>\r\nIn-Reply-To: <one@example.com>\r\n\
References: <zero@example.com> <one@example.com>\r\nX-Priority: 1 (Highest)\r\nMIME-Version: 1.0\r\n\
Content-Type: multipart/mixed; boundary=b\r\n\r\n\
--b\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n<p>Gr\xfc\xdfe</p>\r\n\
--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n\
Content-Transfer-Encoding: base64\r\n\r\nAAEC\r\n--b--\r\n";

async fn deliver(world: &World, to: &[Person], message: &[u8], name: &str) -> Vec<Result<(), NotDelivered>> {
    world.server.deliver(to, Bytes::copy_from_slice(message), name, world.now).await
}

/// The items in a person's inbox, whole.
async fn inbox(world: &World, who: &Person) -> Vec<Item> {
    let shape = Shape { mime_content: true, base: BaseShape::AllProperties, ..Shape::id_only() };
    let mut items = Vec::new();
    for item in world.find(who, find("inbox")).await.page {
        items.push(world.get_shaped(who, &id_of(&item), shape.clone()).await.unwrap());
    }
    items
}

fn mime(item: &Item) -> &[u8] {
    match value(item, Field::MIME_CONTENT) {
        Some(Value::Bytes(mime)) => mime,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_message_arrives_unread_as_it_came_with_what_it_says_beside_it() {
    let mut world = World::new();
    world.pass(5);
    assert_eq!(deliver(&world, &[john(), jane()], MESSAGE, "1").await, [Ok(()), Ok(())]);
    for who in [john(), jane()] {
        let item = inbox(&world, &who).await.remove(0);
        assert_eq!(mime(&item), MESSAGE);
        assert_eq!(subject(&item), "Grüße");
        for (field, expected) in [
            (Field::IS_READ, Value::Bool(false)),
            (Field::IS_DRAFT, Value::Bool(false)),
            (Field::HAS_ATTACHMENTS, Value::Bool(true)),
            (Field::DATE_TIME_RECEIVED, Value::Time(world.now)),
            (Field::INTERNET_MESSAGE_ID, text("<two@elsewhere.example>")),
            (Field::IN_REPLY_TO, text("<one@example.com>")),
            (Field::REFERENCES, text("<zero@example.com> <one@example.com>")),
            (Field::IMPORTANCE, text("High")),
            (Field::ITEM_CLASS, text("IPM.Note")),
            (Field::DISPLAY_TO, text("John Doe; list@elsewhere.example")),
            (Field::DISPLAY_CC, text("Ken")),
        ] {
            assert_eq!(value(&item, field), Some(&expected), "{field}");
        }
        let Some(Value::Time(sent)) = value(&item, Field::DATE_TIME_SENT) else { panic!("{item:?}") };
        assert_eq!(sent.unix_seconds(), 1_268_147_592);
        let Some(Value::Mailbox(from)) = value(&item, Field::FROM) else { panic!("{item:?}") };
        assert_eq!(
            (from.name.as_deref(), from.address.as_deref()),
            (Some("Zoë"), Some("zoe@elsewhere.example"))
        );
        let Some(Value::Body(body)) = value(&item, Field::BODY) else { panic!("{item:?}") };
        assert!(body.html && body.text.contains("Grüße"), "{body:?}");
        let Some(Value::Xml(attachments)) = value(&item, Field::ATTACHMENTS) else { panic!("{item:?}") };
        assert_eq!(attachments.children[0].child_text("Name"), Some("a.pdf"));
        let Some(Value::Pairs(headers)) = value(&item, Field::INTERNET_MESSAGE_HEADERS) else { panic!() };
        assert_eq!(headers[0].0, "Received");
    }
}

#[tokio::test]
async fn who_watches_an_inbox_hears_of_what_arrives_and_who_synchronises_it_gets_it() {
    let world = World::new();
    let subscribe = Subscribe {
        folders: vec![known("inbox")],
        all_folders: false,
        events: vec!["NewMailEvent".to_owned()],
        watermark: None,
        timeout_minutes: 10,
    };
    let subscribed = world.one(&john(), Request::Subscribe(subscribe)).await.unwrap();
    let Answer::Subscribed { subscription, watermark } = subscribed else { panic!("{subscribed:?}") };
    let sync = |state| {
        let (shape, folder) = (Shape::id_only(), known("inbox"));
        Request::SyncFolderItems(SyncFolderItems { shape, folder, state, max: 10, ignore: Vec::new() })
    };
    let Answer::ItemChanges(before) = world.one(&john(), sync(None)).await.unwrap() else { panic!() };
    deliver(&world, &[john()], MESSAGE, "1").await;
    let events = world.one(&john(), Request::GetEvents(GetEvents { subscription, watermark })).await.unwrap();
    let Answer::Events(events) = events else { panic!("{events:?}") };
    assert_eq!(events.events.iter().map(|event| &*event.kind).collect::<Vec<_>>(), ["NewMailEvent"]);
    let Answer::ItemChanges(after) = world.one(&john(), sync(Some(before.state))).await.unwrap() else {
        panic!()
    };
    assert!(matches!(&after.changes[..], [Change::Create(_)]), "{after:?}");
}

#[tokio::test]
async fn a_delivery_that_is_made_again_changes_nothing_and_another_message_does() {
    let world = World::new();
    let other = [MESSAGE, b"more"].concat();
    let other = String::from_utf8_lossy(&other).replace("<two@", "<three@");
    for (message, name, held) in [
        (MESSAGE, "1", 1),
        (MESSAGE, "1", 1),
        (MESSAGE, "2", 2),
        (other.as_bytes(), "1", 3),
        (b"no identifier".as_slice(), "1", 4),
        (b"no identifier".as_slice(), "1", 4),
    ] {
        assert_eq!(deliver(&world, &[john()], message, name).await, [Ok(())]);
        assert_eq!(world.find(&john(), find("inbox")).await.total, held);
    }
    assert_eq!(deliver(&world, &[john(), john(), ken()], MESSAGE, "3").await, [Ok(()), Ok(()), Ok(())]);
    assert_eq!(world.find(&john(), find("inbox")).await.total, 5, "somebody named twice gets one");
    assert_eq!(world.find(&ken(), find("inbox")).await.total, 1);
}

#[tokio::test]
async fn what_is_no_proper_message_arrives_all_the_same() {
    let world = World::new();
    let nested = (0..300)
        .map(|level| format!("Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n"));
    let nested = nested.collect::<Vec<_>>().concat();
    let malformed: &[&[u8]] = &[
        b"",
        b"\r\n",
        b"no header at all",
        b"\0\x01\x02\xff\xfe",
        b"Subject: \xff\xfe\0\r\nDate: yesterday\r\nFrom: <<>>,,;\r\nTo: @\r\n\r\n\0",
        b"Date: Fri, 99 Foo 99999 99:99:99 +9999\r\nSubject: s\r\n\r\n",
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b",
        b"Content-Type: text/plain; charset=no-such\r\nContent-Transfer-Encoding: base64\r\n\r\n====",
        b"Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\n",
        nested.as_bytes(),
    ];
    for (number, message) in malformed.iter().enumerate() {
        assert_eq!(deliver(&world, &[john()], message, &number.to_string()).await, [Ok(())]);
        let items = inbox(&world, &john()).await;
        assert_eq!(items.len(), number + 1);
        assert!(items.iter().any(|item| mime(item) == *message), "{number}");
    }
}

#[tokio::test]
async fn a_message_larger_than_items_may_be_is_refused_for_good() {
    let world = World::with(Settings { max_item_bytes: 100, ..Settings::default() });
    let outcomes = deliver(&world, &[john(), jane()], &[b'a'; 101], "1").await;
    let refused = NotDelivered::TooLarge { bytes: 101, limit: 100 };
    assert_eq!(outcomes, [Err(refused.clone()), Err(refused.clone())]);
    assert!(!refused.retry());
    assert_eq!(deliver(&world, &[john()], &[b'a'; 100], "1").await, [Ok(())]);
}

#[tokio::test]
async fn a_store_that_fails_or_is_busy_is_asked_again() {
    let world = World::with(Settings { workers: 1, queue: 1, ..Settings::default() });
    let (release, held) = std::sync::mpsc::channel::<()>();
    let (running, runs) = tokio::sync::oneshot::channel();
    let server = world.server.clone();
    let blocked = tokio::spawn(async move {
        let job = move |_: &super::Shared, _: &mut rusqlite::Connection| {
            let _ = running.send(());
            held.recv()
        };
        server.run(job).await
    });
    runs.await.unwrap();
    let queued = world.server.clone();
    let broken = tokio::spawn(async move {
        queued.run(|_, db| db.execute_batch("DROP TABLE delivery; PRAGMA query_only = 1").unwrap()).await
    });
    tokio::task::yield_now().await;
    let outcomes = deliver(&world, &[john(), jane()], MESSAGE, "1").await;
    assert_eq!(outcomes, [Err(NotDelivered::Busy), Err(NotDelivered::Busy)]);
    release.send(()).unwrap();
    blocked.await.unwrap().unwrap().unwrap();
    broken.await.unwrap().unwrap();
    assert_eq!(deliver(&world, &[john()], MESSAGE, "1").await, [Err(NotDelivered::Failed)]);
    assert!(NotDelivered::Busy.retry() && NotDelivered::Failed.retry() && NotDelivered::Full.retry());
}

#[tokio::test]
async fn a_full_disk_keeps_nothing_and_is_asked_again() {
    let world = World::with(Settings { workers: 1, ..Settings::default() });
    deliver(&world, &[john()], MESSAGE, "1").await;
    let bounded = world.server.run(|_, db| {
        let pages: i64 = db.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        db.pragma_update(None, "max_page_count", pages + 20).unwrap();
    });
    bounded.await.unwrap();
    let long = [MESSAGE, &vec![b'x'; 200_000]].concat();
    assert_eq!(deliver(&world, &[john()], &long, "2").await, [Err(NotDelivered::Full)]);
    world.server.run(|_, db| db.pragma_update(None, "max_page_count", 1_000_000).unwrap()).await.unwrap();
    assert_eq!(deliver(&world, &[john()], &long, "2").await, [Ok(())], "what failed is not taken for made");
    assert_eq!(world.find(&john(), find("inbox")).await.total, 2);
}

#[tokio::test]
async fn a_long_message_for_many_goes_in_pieces_and_reaches_all() {
    let world = World::new();
    let many: Vec<Person> =
        (0..70).map(|number| crate::test_world::person("Somebody", &format!("p{number}"))).collect();
    let outcomes = deliver(&world, &many, MESSAGE, "1").await;
    assert!(outcomes.len() == 70 && outcomes.iter().all(Result::is_ok));
    for who in [&many[0], &many[63], &many[64], &many[69]] {
        assert_eq!(world.find(who, find("inbox")).await.total, 1);
    }
    let sizes = [(0, 64), (1, 64), (1 << 20, 16), (16 << 20, 1), (100 << 20, 1)];
    for (bytes, mailboxes) in sizes {
        assert_eq!(super::mailboxes_at_once(bytes), mailboxes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn whatever_bytes_arrive_are_given_back(message in prop::collection::vec(any::<u8>(), 0..300)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let world = World::new();
            prop_assert_eq!(deliver(&world, &[john()], &message, "1").await, [Ok(())]);
            let items = inbox(&world, &john()).await;
            prop_assert_eq!(mime(&items[0]), &message[..]);
            Ok(())
        })?;
    }
}
