use proptest::prelude::*;
use weir_units::{Micros, WallTime};
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Body, Item, ItemKind, Value};
use weir_wire::ews::request::{
    BasePoint, BaseShape, Comparison, ContainmentMode, DeleteItem, DeleteType, FindItem, Operand, Request,
    Restriction, Shape, SortKey, Traversal, View,
};
use weir_wire::ews::response::{Answer, Found, Paging};

use crate::Settings;
use crate::test_world::{
    World, find, id_of, item, jane, john, ken, known, message, message_to, page, subject, tag, text, value,
    with,
};

fn subjects(found: &Found<Item>) -> Vec<String> {
    found.page.iter().map(subject).collect()
}

async fn six_drafts() -> World {
    let world = World::new();
    for number in 1..=6 {
        world.save(&john(), None, message(&format!("Message{number}"), "body")).await;
    }
    world
}

fn by_subject() -> Vec<SortKey> {
    vec![SortKey { path: Field::SUBJECT.into(), descending: false }]
}

#[tokio::test]
async fn six_drafts_one_by_one_are_all_six_each_once() {
    let world = six_drafts().await;
    let (mut seen, mut offset) = (Vec::new(), 0);
    loop {
        let found = world.find(&john(), FindItem { view: page(1, offset), ..find("drafts") }).await;
        assert_eq!((found.page.len(), found.total), (1, 6));
        assert_eq!(found.paging, Paging::Indexed(offset + 1));
        seen.extend(subjects(&found));
        if found.last {
            break;
        }
        offset += 1;
    }
    seen.sort();
    assert_eq!(seen, ["Message1", "Message2", "Message3", "Message4", "Message5", "Message6"]);
}

#[tokio::test]
async fn a_page_beyond_the_end_is_empty_and_the_last_with_the_same_total() {
    let world = six_drafts().await;
    for offset in [6, 7, u32::MAX] {
        let found = world.find(&john(), FindItem { view: page(10, offset), ..find("drafts") }).await;
        assert_eq!((found.page.len(), found.total, found.last), (0, 6, true));
        assert_eq!(found.paging, Paging::Indexed(offset));
    }
}

#[tokio::test]
async fn a_find_without_a_view_gives_everything_and_the_total_as_offset() {
    let world = six_drafts().await;
    let found = world.find(&john(), find("drafts")).await;
    assert_eq!((found.page.len(), found.total, found.paging, found.last), (6, 6, Paging::Indexed(6), true));
    let found = world.find(&john(), find("outbox")).await;
    assert_eq!((found.page.len(), found.total, found.paging, found.last), (0, 0, Paging::Indexed(0), true));
}

#[tokio::test]
async fn a_find_without_a_view_over_more_than_the_servers_bound_is_refused_and_never_cut() {
    let world = World::with(Settings { max_page: 2, ..Settings::default() });
    for number in 0..2 {
        world.save(&john(), None, message(&number.to_string(), "")).await;
    }
    assert_eq!(world.find(&john(), find("drafts")).await.page.len(), 2, "exactly the bound passes");
    world.save(&john(), None, message("one more", "")).await;
    assert_eq!(
        world.refusal(&john(), Request::FindItem(find("drafts"))).await,
        "ErrorExceededFindCountLimit"
    );
    let paged = world.find(&john(), FindItem { view: page(100, 0), ..find("drafts") }).await;
    assert_eq!((paged.page.len(), paged.paging, paged.last), (2, Paging::Indexed(2), false));
}

#[tokio::test]
async fn several_folders_are_answered_one_by_one_and_an_empty_one_is_complete() {
    let world = six_drafts().await;
    let find =
        FindItem { parents: vec![known("inbox"), known("nowhere"), known("drafts")], ..find("drafts") };
    let answers = world.ask(&john(), Request::FindItem(find)).await;
    let totals: Vec<_> = answers
        .iter()
        .map(|answer| match answer {
            Ok(Answer::FoundItems(found)) => Ok((found.total, found.last)),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.code),
        })
        .collect();
    assert_eq!(totals, [Ok((0, true)), Err("ErrorFolderNotFound"), Ok((6, true))]);
}

#[tokio::test]
async fn a_find_never_returns_bodies_or_attendees_whatever_is_asked_for() {
    let world = World::new();
    world.save(&john(), Some("inbox"), message_to("a", &["jane.doe@example.com"])).await;
    let hidden = [
        Field::BODY,
        Field::MIME_CONTENT,
        Field::ATTACHMENTS,
        Field::TO_RECIPIENTS,
        Field::INTERNET_MESSAGE_HEADERS,
        Field::TEXT_BODY,
        Field::UNIQUE_BODY,
        Field::REQUIRED_ATTENDEES,
    ];
    let additional = hidden.iter().map(|field| (*field).into()).collect();
    let shape = Shape { base: BaseShape::AllProperties, additional, mime_content: true, body: None };
    let found = world.find(&john(), FindItem { shape, ..find("inbox") }).await;
    for field in hidden {
        assert_eq!(value(&found.page[0], field), None, "{field}");
    }
    assert_eq!(value(&found.page[0], Field::DISPLAY_TO), Some(&text("jane.doe@example.com")));
    let whole = world.get(&john(), &id_of(&found.page[0])).await;
    assert!(value(&whole, Field::BODY).is_some() && value(&whole, Field::TO_RECIPIENTS).is_some());
}

#[tokio::test]
async fn an_identifier_alone_is_all_that_id_only_shows() {
    let world = six_drafts().await;
    let found = world.find(&john(), FindItem { shape: Shape::id_only(), ..find("drafts") }).await;
    assert!(found.page.iter().all(|item| item.properties.len() == 1));
    let uid = tag(0x0e23, "Integer");
    let shape = Shape { additional: vec![uid.clone(), Field::SUBJECT.into()], ..Shape::id_only() };
    let order = vec![SortKey { path: uid.clone(), descending: false }];
    let found = world.find(&john(), FindItem { shape, order, ..find("drafts") }).await;
    let uids: Vec<_> = found.page.iter().map(|item| item.properties[&uid].clone()).collect();
    assert_eq!(uids, (1..=6).map(Value::Integer).collect::<Vec<_>>(), "numbers ascend within the folder");
}

#[tokio::test]
async fn the_newest_come_first_where_no_order_is_asked_for() {
    let mut world = World::new();
    for name in ["old", "middle", "new"] {
        world.server.deliver_many(&john(), "inbox", vec![message(name, "")], world.now).await.unwrap();
        world.pass(1);
    }
    let found = world.find(&john(), find("inbox")).await;
    assert_eq!(subjects(&found), ["new", "middle", "old"]);
}

#[tokio::test]
async fn items_sort_by_what_is_asked_for_without_regard_to_case() {
    let world = World::new();
    for (name, importance) in [("b", "High"), ("Ä", "Low"), ("A", "High"), ("ä", "Normal")] {
        let new = with(message(name, ""), Field::IMPORTANCE, text(importance));
        world.save(&john(), None, with(new, Field::CATEGORIES, Value::Texts(vec![name.into()]))).await;
    }
    let key = |field: Field, descending| SortKey { path: field.into(), descending };
    let sorted = async |order| subjects(&world.find(&john(), FindItem { order, ..find("drafts") }).await);
    assert_eq!(sorted(vec![key(Field::SUBJECT, false)]).await, ["A", "b", "Ä", "ä"]);
    assert_eq!(sorted(vec![key(Field::SUBJECT, true)]).await, ["ä", "Ä", "b", "A"]);
    let by_importance = vec![key(Field::IMPORTANCE, true), key(Field::SUBJECT, false)];
    assert_eq!(sorted(by_importance).await, ["A", "b", "ä", "Ä"]);
}

#[tokio::test]
async fn what_was_deleted_softly_is_found_as_such_alone() {
    let world = six_drafts().await;
    let all = world.find(&john(), FindItem { order: by_subject(), ..find("drafts") }).await;
    let items = vec![id_of(&all.page[0]), id_of(&all.page[1])];
    let delete = Request::DeleteItem(DeleteItem { how: DeleteType::SoftDelete, items });
    assert!(world.ask(&john(), delete).await.iter().all(Result::is_ok));
    assert_eq!(world.find(&john(), find("drafts")).await.total, 4);
    let traversal = Traversal::SoftDeleted;
    let gone = world.find(&john(), FindItem { traversal, order: by_subject(), ..find("drafts") }).await;
    assert_eq!(subjects(&gone), ["Message1", "Message2"]);
    let associated = FindItem { traversal: Traversal::Associated, ..find("drafts") };
    assert_eq!(world.find(&john(), associated).await.total, 0);
    let deep = FindItem { traversal: Traversal::Deep, ..find("drafts") };
    assert_eq!(world.refusal(&john(), Request::FindItem(deep)).await, "ErrorInvalidOperation");
}

#[tokio::test]
async fn the_documents_messages_are_found_by_what_their_subjects_contain() {
    let world = World::new();
    let mails =
        (1..=5).map(|number| message(&format!("Message #{number}"), "body")).chain([message("Other", "")]);
    world.server.deliver_many(&john(), "inbox", mails.collect(), world.now).await.unwrap();
    let restriction = Restriction::Contains {
        path: Field::SUBJECT.into(),
        mode: ContainmentMode::Substring,
        ignore_case: true,
        value: "message #".into(),
    };
    let view = page(25, 0);
    let found = world.find(&john(), FindItem { view, restriction: Some(restriction), ..find("inbox") }).await;
    assert_eq!((found.page.len(), found.total, found.paging, found.last), (5, 5, Paging::Indexed(5), true));
}

#[tokio::test]
async fn a_restriction_reaches_the_body_and_the_recipients() {
    let world = World::new();
    world.save(&john(), None, message_to("a", &["jane.doe@example.com"])).await;
    world.save(&john(), None, message("b", "Goodbye.")).await;
    for (field, value, expected) in
        [(Field::BODY, "hello", "a"), (Field::BODY, "GOOD", "b"), (Field::TO_RECIPIENTS, "jane.doe@", "a")]
    {
        let value = value.to_owned();
        let mode = ContainmentMode::Substring;
        let restriction = Some(Restriction::Contains { path: field.into(), mode, ignore_case: true, value });
        assert_eq!(
            subjects(&world.find(&john(), FindItem { restriction, ..find("drafts") }).await),
            [expected]
        );
    }
}

#[tokio::test]
async fn a_value_that_looks_like_sql_is_a_value() {
    let world = World::new();
    let nasty = "x'; DROP TABLE item; --";
    world.save(&john(), None, message(nasty, nasty)).await;
    world.save(&john(), None, message("other", "")).await;
    let equal = Restriction::Compare {
        path: Field::SUBJECT.into(),
        how: Comparison::Equal,
        with: Operand::Constant(nasty.into()),
    };
    let contains = Restriction::Contains {
        path: tag(0x3001, "String' OR '1'='1"),
        mode: ContainmentMode::Substring,
        ignore_case: false,
        value: nasty.into(),
    };
    for (restriction, total) in [(equal, 1), (contains, 0)] {
        let found = world.find(&john(), FindItem { restriction: Some(restriction), ..find("drafts") }).await;
        assert_eq!(found.total, total);
    }
    let order = vec![SortKey { path: tag(0x3001, "' DESC; --"), descending: false }];
    assert_eq!(world.find(&john(), FindItem { order, ..find("drafts") }).await.total, 2);
    for query in [nasty, "\"; DROP", "subject:\"x'; DROP\"", "a\" OR subject:\"", "* ^ - + {x}: NEAR(a b)"] {
        world.find(&john(), FindItem { query: Some(query.into()), ..find("drafts") }).await;
    }
}

#[tokio::test]
async fn a_view_that_means_nothing_is_refused() {
    let world = World::new();
    let hour = |hours: u64| world.now.plus(Micros::MINUTE.times(60 * hours));
    let calendar = |start, end| View::Calendar { max: None, start, end };
    let cases = [
        (page(0, 0), "ErrorInvalidPagingMaxRows"),
        (
            View::Fractional { max: None, numerator: 1, denominator: 0 },
            "ErrorInvalidFractionalPagingParameters",
        ),
        (
            View::Fractional { max: None, numerator: 3, denominator: 2 },
            "ErrorInvalidFractionalPagingParameters",
        ),
        (calendar(hour(1), hour(0)), "ErrorCalendarEndDateIsEarlierThanStartDate"),
        (calendar(hour(0), hour(24 * 366 * 2 + 1)), "ErrorCalendarViewRangeTooBig"),
    ];
    for (view, code) in cases {
        assert_eq!(
            world.refusal(&john(), Request::FindItem(FindItem { view, ..find("calendar") })).await,
            code
        );
    }
}

#[tokio::test]
async fn a_calendar_view_shows_what_touches_the_span_in_the_order_of_beginning() {
    let world = World::new();
    let at = |hour: i64| WallTime::from_unix_micros(world.now.unix_micros() + hour * 3_600_000_000);
    for (name, start, end) in [
        ("before", -3, -1),
        ("until the start", -1, 0),
        ("into it", -1, 1),
        ("no length", 0, 0),
        ("within", 2, 3),
        ("over it", -5, 9),
        ("to the end", 4, 5),
        ("at the end", 5, 6),
        ("no length at the end", 5, 5),
    ] {
        let fields = vec![
            (Field::SUBJECT, text(name)),
            (Field::START, Value::Time(at(start))),
            (Field::END, Value::Time(at(end))),
        ];
        world.save(&ken(), None, item(ItemKind::CalendarItem, fields)).await;
    }
    let view = |max| View::Calendar { max, start: at(0), end: at(5) };
    let all = world.find(&ken(), FindItem { view: view(None), ..find("calendar") }).await;
    assert_eq!(subjects(&all), ["over it", "into it", "no length", "within", "to the end"]);
    assert_eq!((all.total, all.paging, all.last), (5, Paging::None, true));
    let first = world.find(&ken(), FindItem { view: view(Some(2)), ..find("calendar") }).await;
    assert_eq!(subjects(&first), ["over it", "into it"]);
    assert_eq!((first.total, first.last), (5, false));
}

#[tokio::test]
async fn a_contacts_view_shows_a_range_of_names() {
    let world = World::new();
    for name in ["Dora", "anna", "Bert", "Carl"] {
        world
            .save(&john(), None, item(ItemKind::Contact, vec![(Field::CONTACT_DISPLAY_NAME, text(name))]))
            .await;
    }
    let view = View::Contacts { max: None, first: Some("B".into()), last: Some("carl".into()) };
    let found = world.find(&john(), FindItem { view, ..find("contacts") }).await;
    let names: Vec<_> =
        found.page.iter().map(|item| value(item, Field::CONTACT_DISPLAY_NAME).cloned()).collect();
    assert_eq!(names, [Some(text("Bert")), Some(text("Carl"))]);
    assert_eq!(found.paging, Paging::None);
}

#[tokio::test]
async fn a_query_finds_words_phrases_and_parts_of_messages() {
    let world = World::new();
    let html = Value::Body(Body { html: true, text: "<p>The <b>quick</b> brown fox</p>".into() });
    let mails = vec![
        with(message("Invoice April", ""), Field::BODY, html),
        message("Lunch", "Invoices are due, said the slow fox"),
        with(message("Umlaute", "Grüße aus Köln"), Field::FROM, Value::Mailbox(ken().as_mailbox())),
    ];
    world.server.deliver_many(&jane(), "inbox", mails.clone(), world.now).await.unwrap();
    world.server.deliver_many(&john(), "inbox", mails, world.now).await.unwrap();
    let cases: &[(&str, &[&str])] = &[
        ("fox", &["Invoice April", "Lunch"]),
        ("FOX quick", &["Invoice April"]),
        ("invoice", &["Invoice April", "Lunch"]),
        ("subject:invoice", &["Invoice April"]),
        ("body:invoice", &["Lunch"]),
        ("\"quick brown\"", &["Invoice April"]),
        ("\"brown quick\"", &[]),
        ("quick OR slow", &["Invoice April", "Lunch"]),
        ("fox AND NOT subject:invoice", &["Lunch"]),
        ("NOT fox", &["Umlaute"]),
        ("fox (quick OR köln)", &["Invoice April"]),
        ("from:malcolmson", &["Umlaute"]),
        ("from:\"ken malcolmson\"", &["Umlaute"]),
        ("grusse", &[]),
        ("koln", &["Umlaute"]),
        ("isread:no fox", &["Invoice April", "Lunch"]),
        ("hasattachment:yes", &[]),
        ("", &["Invoice April", "Lunch", "Umlaute"]),
    ];
    for (query, expected) in cases {
        let find = FindItem { query: Some((*query).into()), order: by_subject(), ..find("inbox") };
        assert_eq!(subjects(&world.find(&jane(), find).await), *expected, "{query}");
    }
    for query in ["(fox", "fox)", "AND", "fox OR", "NOT"] {
        let find = FindItem { query: Some(query.into()), ..find("inbox") };
        assert_eq!(world.refusal(&jane(), Request::FindItem(find)).await, "ErrorInvalidArgument", "{query}");
    }
}

#[tokio::test]
async fn a_changed_or_deleted_message_is_found_by_its_words_no_longer() {
    let world = World::new();
    let id = world.save(&john(), None, message("zebra", "")).await;
    let query = |word: &str| FindItem { query: Some(word.into()), ..find("drafts") };
    assert_eq!(world.find(&john(), query("zebra")).await.total, 1);
    let change = weir_wire::ews::request::ItemChange {
        item: id,
        updates: vec![weir_wire::ews::request::Update::Set(Field::SUBJECT.into(), text("giraffe"))],
    };
    let update = weir_wire::ews::request::UpdateItem {
        disposition: None,
        conflict: weir_wire::ews::request::ConflictResolution::AlwaysOverwrite,
        changes: vec![change],
    };
    world.one(&john(), Request::UpdateItem(update)).await.unwrap();
    assert_eq!(world.find(&john(), query("zebra")).await.total, 0);
    let found = world.find(&john(), query("giraffe")).await;
    let delete = DeleteItem { how: DeleteType::HardDelete, items: vec![id_of(&found.page[0])] };
    world.one(&john(), Request::DeleteItem(delete)).await.unwrap();
    assert_eq!(world.find(&john(), query("giraffe")).await.total, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_any_size_give_every_item_once(count in 0_u32..40, size in 1_u32..12, end in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let world = World::new();
            let mails = (0..count).map(|number| message(&format!("{number:03}"), "")).collect();
            world.server.deliver_many(&john(), "inbox", mails, world.now).await.unwrap();
            let base = if end { BasePoint::End } else { BasePoint::Beginning };
            let (mut seen, mut offset) = (Vec::new(), 0);
            loop {
                let view = View::Indexed { max: Some(size), offset, base };
                let found = world.find(&john(), FindItem { view, order: by_subject(), ..find("inbox") }).await;
                assert_eq!(found.total, count);
                let next = subjects(&found);
                if end { seen.splice(0..0, next); } else { seen.extend(next); }
                let Paging::Indexed(next) = found.paging else { panic!() };
                if found.last { break; }
                assert!(next > offset);
                offset = next;
            }
            assert_eq!(seen, (0..count).map(|number| format!("{number:03}")).collect::<Vec<_>>());
        });
    }
}
