use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Mailbox, Value};
use weir_wire::mapi::call::message::{
    ChangedRecipient, ChangedRecipients, CreateMessage, ModifyRecipients, SaveChangesMessage, SubmitMessage,
};
use weir_wire::mapi::call::property::DeleteProperties;
use weir_wire::mapi::property::PropertyType;
use weir_wire::mapi::recipient::{Address, RecipientRow};
use weir_wire::mapi::text::Text;

use super::*;
use crate::outbound::NotSent;
use crate::test_world::{find, jane, message, value};

/// What EWS shows of the only message in a folder.
async fn only(world: &World, who: &Person, folder: &str) -> weir_wire::ews::property::Item {
    let found = world.find(who, find(folder)).await.page;
    let [item] = &found[..] else { panic!("{found:?}") };
    let Some(Value::ItemId(id)) = value(item, Field::ITEM_ID) else { panic!("{item:?}") };
    world.get(who, id).await
}

fn smtp(name: &str, address: &str) -> RecipientRow {
    RecipientRow {
        address: Address::SMTP,
        email_address: Some(address.into()),
        display_name: Some(name.into()),
        ..RecipientRow::default()
    }
}

fn recipients(rows: Vec<(u32, u8, Option<RecipientRow>)>) -> ModifyRecipients {
    let rows = rows.into_iter().map(|(row, kind, recipient)| ChangedRecipient { row, kind, recipient });
    ModifyRecipients { input: 1, recipients: ChangedRecipients { columns: Vec::new(), rows: rows.collect() } }
}

fn names(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::Mailboxes(people)) => {
            people.iter().filter_map(|Mailbox { name, .. }| name.as_deref()).collect()
        }
        None => Vec::new(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_message_is_nowhere_before_it_is_saved_and_then_where_ews_sees_it() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.create(1, folders.outbox).await;
    let values = vec![
        unicode(tag::SUBJECT, "Lunch"),
        unicode(tag::BODY, "At noon?"),
        TaggedValue::new(tag::IMPORTANCE, PropertyValue::Integer32(2)),
        TaggedValue::new(tag::SENSITIVITY, PropertyValue::Integer32(1)),
    ];
    assert_eq!(client.set(1, values).await, []);
    assert_eq!(text(&client.property(1, tag::SUBJECT).await), "Lunch");
    assert!(world.subjects(&john(), "outbox").await.is_empty());
    let id = client.save(1).await.unwrap();
    assert_eq!(number(&client.property(1, tag::MID).await), id);
    let item = only(&world, &john(), "outbox").await;
    assert_eq!(value(&item, Field::SUBJECT), Some(&crate::test_world::text("Lunch")));
    assert_eq!(value(&item, Field::IMPORTANCE), Some(&crate::test_world::text("High")));
    assert_eq!(value(&item, Field::IS_DRAFT), Some(&Value::Bool(true)));
    assert!(value(&item, Field::INTERNET_MESSAGE_ID).is_some());
    assert!(matches!(value(&item, Field::BODY), Some(Value::Body(body)) if body.text == "At noon?"));
}

#[tokio::test]
async fn a_message_of_another_class_is_an_item_of_that_kind() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.create(1, folders.inbox).await;
    let given = PropertyTag::new(0x3A06, PropertyType::UNICODE);
    let values = vec![
        unicode(tag::MESSAGE_CLASS, "IPM.Contact"),
        unicode(given, "Jane"),
        unicode(tag::DISPLAY_NAME, "Jane D."),
    ];
    assert_eq!(client.set(1, values).await, []);
    client.save(1).await.unwrap();
    let item = only(&world, &john(), "inbox").await;
    assert_eq!(item.kind, weir_wire::ews::property::ItemKind::Contact);
    assert_eq!(value(&item, Field::CONTACT_GIVEN_NAME), Some(&crate::test_world::text("Jane")));
    assert_eq!(value(&item, Field::CONTACT_DISPLAY_NAME), Some(&crate::test_world::text("Jane D.")));
}

#[tokio::test]
async fn what_is_changed_of_a_stored_message_ews_sees_once_it_is_saved() {
    let world = World::new();
    let id = world.save(&john(), Some("inbox"), message("old", "text")).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_message(1, (folders.inbox, message_id(&id))).await.unwrap();
    client.set(1, vec![unicode(tag::SUBJECT, "new")]).await;
    assert_eq!(world.subjects(&john(), "inbox").await, ["old"]);
    assert_eq!(client.save(1).await, Ok(message_id(&id)), "the same message");
    assert_eq!(world.subjects(&john(), "inbox").await, ["new"]);
    client.one(DeleteProperties { input: 1, tags: vec![tag::SUBJECT, tag::BODY] }).await.unwrap();
    client.save(1).await.unwrap();
    assert_eq!(client.property(1, tag::SUBJECT).await, Cell::Error(ErrorCode::NOT_FOUND));
    assert_eq!(text(&client.property(1, tag::BODY).await), "");
}

#[tokio::test]
async fn who_saves_over_anothers_change_must_say_so() {
    let world = World::new();
    let id = world.save(&john(), Some("inbox"), message("old", "")).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let ids = (folders.inbox, message_id(&id));
    for (place, subject) in [(1, "first"), (2, "second")] {
        client.open_message(place, ids).await.unwrap();
        client.set(place, vec![unicode(tag::SUBJECT, subject)]).await;
    }
    client.save(1).await.unwrap();
    assert_eq!(client.save(2).await, Err(ErrorCode::OBJECT_CHANGED));
    assert_eq!(text(&client.property(2, tag::SUBJECT).await), "second", "it is still there");
    let force = SaveChangesMessage { response: 2, input: 2, flags: SaveChangesMessage::FORCE_SAVE };
    client.one(force).await.unwrap();
    assert_eq!(world.subjects(&john(), "inbox").await, ["second"]);
    client.open_folder(3, folders.inbox).await.unwrap();
    let delete = call::folder::HardDeleteMessages {
        input: 3,
        asynchronous: false,
        notify_unread: false,
        messages: vec![ids.1],
    };
    client.set(1, vec![unicode(tag::SUBJECT, "third")]).await;
    client.one(delete).await.unwrap();
    assert_eq!(client.save(1).await, Err(ErrorCode::OBJECT_DELETED));
}

#[tokio::test]
async fn what_cannot_be_set_is_told_one_by_one() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.create(1, folders.inbox).await;
    let unknown = PropertyTag::new(0x9000, PropertyType::UNICODE);
    let values = vec![
        TaggedValue::new(tag::MID, PropertyValue::Integer64(7)),
        unicode(tag::SUBJECT, "set"),
        unicode(unknown, "a"),
        TaggedValue::new(tag::SUBJECT.with_kind(PropertyType::INTEGER32), PropertyValue::Integer32(7)),
        TaggedValue::new(PropertyTag::new(0x6700, PropertyType::CURRENCY), PropertyValue::Currency(7)),
        TaggedValue::new(tag::MESSAGE_SIZE, PropertyValue::Integer32(7)),
    ];
    let problems = [
        (0, ErrorCode::COMPUTED_VALUE),
        (2, ErrorCode::NOT_FOUND),
        (3, ErrorCode::UNEXPECTED_TYPE),
        (4, ErrorCode::TYPE_NOT_SUPPORTED),
        (5, ErrorCode::COMPUTED_VALUE),
    ];
    assert_eq!(client.set(1, values).await, problems);
    client.save(1).await.unwrap();
    assert_eq!(world.subjects(&john(), "inbox").await, ["set"]);
}

#[tokio::test]
async fn html_stands_where_a_client_sends_both_forms() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.create(1, folders.inbox).await;
    let html = TaggedValue::new(tag::HTML, PropertyValue::Binary(b"<b>both</b>".into()));
    client.set(1, vec![html, unicode(tag::BODY, "both")]).await;
    client.save(1).await.unwrap();
    assert!(matches!(
        value(&only(&world, &john(), "inbox").await, Field::BODY),
        Some(Value::Body(body)) if body.html && body.text == "<b>both</b>"
    ));
}

#[tokio::test]
async fn recipients_are_put_into_rows_and_taken_from_them() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.create(1, folders.inbox).await;
    let directory = |prefix_used, name: &str| RecipientRow {
        address: Address::Directory { prefix_used, display_type: 0, name: name.into() },
        ..RecipientRow::default()
    };
    let rows = vec![
        (0, 1, Some(smtp("Somebody", "somebody@example.org"))),
        (1, 1, Some(directory(0, &jane().legacy_dn))),
        // What all names of the organisation begin with is left out.
        (5, 2, Some(directory(22, "/cn=Recipients/cn=ken.malcolmson"))),
        (7, 3, Some(smtp("Unseen", "unseen@example.org"))),
    ];
    client.one(recipients(rows)).await.unwrap();
    assert_eq!(text(&client.property(1, tag::DISPLAY_TO).await), "Somebody; Jane Doe");
    client
        .one(recipients(vec![(0, 1, None), (1, 1, Some(smtp("Jane", "jane.doe@example.com")))]))
        .await
        .unwrap();
    client.save(1).await.unwrap();
    let item = only(&world, &john(), "inbox").await;
    assert_eq!(names(value(&item, Field::TO_RECIPIENTS)), ["Jane Doe"]);
    assert_eq!(names(value(&item, Field::CC_RECIPIENTS)), ["Ken Malcolmson"]);
    assert_eq!(names(value(&item, Field::BCC_RECIPIENTS)), ["Unseen"]);
}

#[tokio::test]
async fn the_columns_of_recipients_say_addresses_too() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.create(1, folders.inbox).await;
    let row = RecipientRow {
        display_name: Some(Text::Narrow(b"Gr\xfc\xdfe".into())),
        cells: vec![PropertyValue::Unicode("greetings@example.org".to_owned()).into()],
        ..RecipientRow::default()
    };
    let changed = ChangedRecipients {
        columns: vec![tag::SMTP_ADDRESS],
        rows: vec![ChangedRecipient { row: 0, kind: 1, recipient: Some(row) }],
    };
    client.one(ModifyRecipients { input: 1, recipients: changed }).await.unwrap();
    client.save(1).await.unwrap();
    let item = only(&world, &john(), "inbox").await;
    let Some(Value::Mailboxes(people)) = value(&item, Field::TO_RECIPIENTS) else { panic!("{item:?}") };
    assert_eq!(people[0].name.as_deref(), Some("Grüße"));
    assert_eq!(people[0].address.as_deref(), Some("greetings@example.org"));
}

#[tokio::test]
async fn a_message_that_is_submitted_arrives_and_is_kept_among_what_was_sent() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.create(1, folders.outbox).await;
    client.set(1, vec![unicode(tag::SUBJECT, "Lunch")]).await;
    assert_eq!(client.one(SubmitMessage { input: 1, flags: 0 }).await, Err(ErrorCode::NO_RECIPIENTS));
    client.one(recipients(vec![(0, 1, Some(smtp("Jane", "jane.doe@example.com")))])).await.unwrap();
    client.save(1).await.unwrap();
    client.one(SubmitMessage { input: 1, flags: 0 }).await.unwrap();
    assert_eq!(world.subjects(&jane(), "inbox").await, ["Lunch"]);
    assert_eq!(world.subjects(&john(), "sentitems").await, ["Lunch"]);
    assert!(world.subjects(&john(), "outbox").await.is_empty());
    let item = only(&world, &jane(), "inbox").await;
    assert!(
        matches!(value(&item, Field::FROM), Some(Value::Mailbox(from)) if from.name.as_deref() == Some("John Doe"))
    );
}

#[tokio::test]
async fn a_message_for_people_elsewhere_goes_out_or_stays_where_it_is() {
    let (world, sent) = World::with_a_way_out();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.create(1, folders.outbox).await;
    client.set(1, vec![unicode(tag::SUBJECT, "Lunch")]).await;
    client.one(recipients(vec![(0, 1, Some(smtp("Zoe", "zoe@elsewhere.example")))])).await.unwrap();
    client.save(1).await.unwrap();
    for (why, code) in
        [(NotSent::TooMany, ErrorCode::SERVER_BUSY), (NotSent::Unavailable, ErrorCode::OUT_OF_RESOURCES)]
    {
        sent.refuse(Some(why));
        assert_eq!(client.one(SubmitMessage { input: 1, flags: 0 }).await, Err(code));
        assert_eq!(world.subjects(&john(), "outbox").await, ["Lunch"]);
    }
    sent.refuse(None);
    client.one(SubmitMessage { input: 1, flags: 0 }).await.unwrap();
    assert_eq!(sent.only().0, ["zoe@elsewhere.example"]);
    assert_eq!(world.subjects(&john(), "sentitems").await, ["Lunch"]);
    assert!(world.subjects(&john(), "inbox").await.is_empty());
}

#[tokio::test]
async fn a_message_may_ask_to_be_kept_nowhere() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.create(1, folders.outbox).await;
    let delete = TaggedValue::new(tag::DELETE_AFTER_SUBMIT, PropertyValue::Boolean(true));
    client.set(1, vec![unicode(tag::SUBJECT, "Lunch"), delete]).await;
    client.one(recipients(vec![(0, 1, Some(smtp("Jane", "jane.doe@example.com")))])).await.unwrap();
    client.one(SubmitMessage { input: 1, flags: 0 }).await.unwrap();
    assert_eq!(world.subjects(&jane(), "inbox").await, ["Lunch"]);
    for folder in ["outbox", "sentitems"] {
        assert!(world.subjects(&john(), folder).await.is_empty(), "{folder}");
    }
    assert_eq!(client.save(1).await, Err(ErrorCode::OBJECT_DELETED));
}

#[tokio::test]
async fn a_message_is_made_in_a_folder_that_is_there() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let create = |folder| CreateMessage { input: 0, output: 1, code_page: 0, folder, associated: false };
    assert_eq!(client.one(create(folders.inbox + (1 << 30))).await, Err(ErrorCode::NOT_FOUND));
    assert_eq!(client.one(create(0)).await, Err(ErrorCode::NOT_FOUND));
}
