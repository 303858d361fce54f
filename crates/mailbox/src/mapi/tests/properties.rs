use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, ItemKind, PropertyPath, Value};
use weir_wire::ews::request::Shape;
use weir_wire::mapi::call::property::{
    DeleteProperties, GetNamesFromPropertyIds, GetPropertiesAll, GetPropertiesList, GetPropertiesSpecific,
    GetPropertyIdsFromNames, IdFromLongTermId, LongTermIdFromId,
};
use weir_wire::mapi::property::PropertyType;
use weir_wire::mapi::property::name::{Name, PropertyName};

use super::*;
use crate::test_world::{item, jane, message, text as ews_text, with};

const APPOINTMENT: [u8; 16] = [0x02, 0x20, 0x06, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];
const OWN_SET: [u8; 16] = [5; 16];

/// A client that has the message `item` of a folder open at place 1.
async fn open<'w>(
    world: &'w World,
    folder: &str,
    item: weir_wire::ews::property::Item,
) -> (Client<'w>, weir_wire::ews::property::ItemId) {
    let id = world.save(&john(), Some(folder), item).await;
    let (mut client, folders) = Client::logged_on(world, &john()).await;
    let key = message_id(&id);
    for folder in [folders.inbox, calendar(&mut client, &folders).await] {
        if client.open_message(1, (folder, key)).await.is_ok() {
            return (client, id);
        }
    }
    panic!("it is in none of the folders that tests use");
}

async fn calendar(client: &mut Client<'_>, folders: &SpecialFolders) -> u64 {
    client.open_folder(99, folders.inbox).await.unwrap();
    let Cell::Value(PropertyValue::Binary(entry)) = client.property(99, tag::IPM_APPOINTMENT_ENTRY_ID).await
    else {
        panic!("the inbox knows where the calendar is");
    };
    let mut long_term_id = [0; 24];
    long_term_id.copy_from_slice(&entry[22..46]);
    match client.one(IdFromLongTermId { input: 0, long_term_id }).await {
        Ok(Success::IdFromLongTermId(short)) => short.id,
        other => panic!("{other:?}"),
    }
}

async fn ids(client: &mut Client<'_>, names: Vec<PropertyName>, make: bool) -> Vec<u16> {
    let flags = if make { GetPropertyIdsFromNames::CREATE } else { 0 };
    match client.one(GetPropertyIdsFromNames { input: 0, flags, names }).await.unwrap() {
        Success::GetPropertyIdsFromNames(found) => found.ids,
        other => panic!("{other:?}"),
    }
}

fn named(namespace: [u8; 16], number: u32) -> PropertyName {
    PropertyName { namespace, name: Name::Number(number) }
}

#[tokio::test]
async fn what_ews_shows_of_a_message_mapi_shows_too() {
    let world = World::new();
    let mail = with(message("Hello", "How are you?"), Field::IMPORTANCE, ews_text("High"));
    let mail = with(mail, Field::FROM, Value::Mailbox(jane().as_mailbox()));
    let (mut client, _) = open(&world, "inbox", mail).await;
    let tags = [
        tag::SUBJECT,
        tag::BODY,
        tag::IMPORTANCE,
        tag::SENDER_NAME,
        tag::SENT_REPRESENTING_SMTP_ADDRESS,
        tag::MESSAGE_CLASS,
        tag::OBJECT_TYPE,
        tag::NATIVE_BODY,
    ];
    let cells = client.properties(1, &tags).await;
    let texts: Vec<_> = [0, 1, 3, 4, 5].map(|place| text(&cells[place])).into();
    assert_eq!(texts, ["Hello", "How are you?", "Jane Doe", "jane.doe@example.com", "IPM.Note"]);
    assert_eq!(cells[2], PropertyValue::Integer32(2).into());
    assert_eq!(cells[6], PropertyValue::Integer32(5).into());
    assert_eq!(cells[7], PropertyValue::Integer32(1).into(), "plain text");
}

#[tokio::test]
async fn html_is_bytes_and_text_for_who_asks_for_text() {
    let world = World::new();
    let html = weir_wire::ews::property::Body { html: true, text: "<p>Grüße</p>".to_owned() };
    let (mut client, _) = open(&world, "inbox", with(message("a", ""), Field::BODY, Value::Body(html))).await;
    let cells = client.properties(1, &[tag::HTML, tag::BODY_HTML, tag::BODY, tag::INTERNET_CODEPAGE]).await;
    assert_eq!(cells[0], PropertyValue::Binary("<p>Grüße</p>".into()).into());
    assert_eq!(text(&cells[1]), "<p>Grüße</p>");
    assert_eq!(text(&cells[2]).trim(), "Grüße");
    assert_eq!(cells[3], PropertyValue::Integer32(65_001).into());
    let plain = World::new();
    let (mut client, _) = open(&plain, "inbox", message("a", "plain")).await;
    assert_eq!(client.property(1, tag::HTML).await, Cell::Error(ErrorCode::NOT_FOUND));
}

#[tokio::test]
async fn a_type_that_is_not_stated_is_told_and_another_is_not_there() {
    let world = World::new();
    let (mut client, _) = open(&world, "inbox", message("Grüße", "")).await;
    let any = tag::SUBJECT.with_kind(PropertyType::UNSPECIFIED);
    assert_eq!(text(&client.property(1, any).await), "Grüße");
    let narrow = tag::SUBJECT.with_kind(PropertyType::STRING8);
    assert_eq!(client.property(1, narrow).await, PropertyValue::String8(b"Gr\xfc\xdfe".into()).into());
    let get = GetPropertiesSpecific { input: 1, size_limit: 0, want_unicode: 0, tags: vec![any] };
    let Ok(Success::GetPropertiesSpecific(found)) = client.one(get).await else { panic!("properties") };
    assert_eq!(found.cells, [PropertyValue::String8(b"Gr\xfc\xdfe".into()).into()]);
    let wrong = tag::SUBJECT.with_kind(PropertyType::INTEGER32);
    assert_eq!(client.property(1, wrong).await, Cell::Error(ErrorCode::NOT_FOUND));
    let size = client.properties(1, &[tag::MESSAGE_SIZE, tag::MESSAGE_SIZE_EXTENDED]).await;
    let [Cell::Value(PropertyValue::Integer32(short)), Cell::Value(PropertyValue::Integer64(long))] =
        size[..]
    else {
        panic!("{size:?}");
    };
    assert_eq!(i64::from(short), long);
}

#[tokio::test]
async fn a_value_too_long_for_the_limit_or_the_answer_is_an_error() {
    let world = World::new();
    let (mut client, _) = open(&world, "inbox", message("short", &"x".repeat(100_000))).await;
    let get = |size_limit| GetPropertiesSpecific {
        input: 1,
        size_limit,
        want_unicode: 1,
        tags: vec![tag::SUBJECT, tag::BODY, tag::MESSAGE_CLASS],
    };
    let too_long = Cell::Error(ErrorCode::NOT_ENOUGH_MEMORY);
    let Ok(Success::GetPropertiesSpecific(found)) = client.one(get(0)).await else { panic!("properties") };
    assert_eq!((text(&found.cells[0]).as_str(), &found.cells[1]), ("short", &too_long));
    assert_eq!(text(&found.cells[2]), "IPM.Note");
    // "short" has twelve bytes, "IPM.Note" eighteen.
    let Ok(Success::GetPropertiesSpecific(found)) = client.one(get(12)).await else { panic!("properties") };
    assert_eq!((text(&found.cells[0]).as_str(), &found.cells[2]), ("short", &too_long));
    let Ok(Success::GetPropertiesAll(all)) =
        client.one(GetPropertiesAll { input: 1, size_limit: 0, want_unicode: 1 }).await
    else {
        panic!("all");
    };
    let body = all.values.iter().find(|value| value.tag.id() == tag::BODY.id()).unwrap();
    assert_eq!(body.value, PropertyValue::ErrorCode(ErrorCode::NOT_ENOUGH_MEMORY.0));
    assert!(all.values.contains(&unicode(tag::SUBJECT, "short")));
}

#[tokio::test]
async fn a_list_names_what_all_gives() {
    let world = World::new();
    let (mut client, _) = open(&world, "inbox", message("Hello", "there")).await;
    let Ok(Success::GetPropertiesList(list)) = client.one(GetPropertiesList { input: 1 }).await else {
        panic!("a list");
    };
    let Ok(Success::GetPropertiesAll(all)) =
        client.one(GetPropertiesAll { input: 1, size_limit: 0, want_unicode: 1 }).await
    else {
        panic!("all");
    };
    let named: Vec<_> = all.values.iter().map(|value| value.tag.id()).collect();
    assert_eq!(named, list.tags.iter().map(|tag| tag.id()).collect::<Vec<_>>());
    assert!(all.values.contains(&unicode(tag::BODY, "there")));
    assert!(!list.tags.iter().any(|tag| tag.id() == tag::HTML.id()), "it has none");
    let mut unique = named.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), named.len());
}

#[tokio::test]
async fn names_get_numbers_that_last_and_only_where_that_is_asked_for() {
    let world = World::new();
    let (mut client, _) = Client::logged_on(&world, &john()).await;
    let asked = vec![
        named(OWN_SET, 7),
        PropertyName { namespace: OWN_SET, name: Name::Text("Colour".to_owned()) },
        PropertyName { namespace: OWN_SET, name: Name::None },
    ];
    assert_eq!(ids(&mut client, asked.clone(), false).await, [0, 0, 0]);
    let made = ids(&mut client, asked.clone(), true).await;
    assert_eq!(made, [0x8000, 0x8001, 0]);
    let (mut other, _) = Client::logged_on(&world, &john()).await;
    assert_eq!(ids(&mut other, asked.clone(), false).await, made, "for every session");
    let (mut hers, _) = Client::logged_on(&world, &jane()).await;
    assert_eq!(ids(&mut hers, asked[1..2].to_vec(), true).await, [0x8000], "for every mailbox anew");
    let Ok(Success::GetNamesFromPropertyIds(found)) =
        client.one(GetNamesFromPropertyIds { input: 0, ids: vec![0x8001, 0x8000, 0x9000, 0x0037] }).await
    else {
        panic!("names");
    };
    assert_eq!(found.names[..2], [asked[1].clone(), asked[0].clone()]);
    assert_eq!(found.names[2].name, Name::None);
    assert_eq!(found.names[3].name, Name::Number(0x37), "numbers of their own");
    assert_eq!(ids(&mut client, vec![found.names[3].clone()], true).await, [0x37]);
}

#[tokio::test]
async fn a_named_property_is_the_same_for_ews() {
    let world = World::new();
    let path = PropertyPath::Extended(ExtendedProperty {
        name: ExtendedName::Named {
            set: "05050505-0505-0505-0505-050505050505".to_owned(),
            name: "Colour".to_owned(),
        },
        kind: "String".to_owned(),
    });
    let mut mail = message("a", "");
    mail.properties.insert(path.clone(), ews_text("green"));
    let (mut client, id) = open(&world, "inbox", mail).await;
    let Ok(Success::GetPropertiesList(list)) = client.one(GetPropertiesList { input: 1 }).await else {
        panic!("a list");
    };
    let colour = *list.tags.iter().find(|tag| tag.is_named()).expect("what EWS named has a number");
    assert_eq!(text(&client.property(1, colour).await), "green");
    assert_eq!(client.set(1, vec![unicode(colour, "blue")]).await, []);
    assert_eq!(text(&client.property(1, colour).await), "blue", "not saved, but set");
    client.save(1).await.unwrap();
    let shape = Shape { additional: vec![path.clone()], ..Shape::id_only() };
    let shown = world.get_shaped(&john(), &id, shape).await.unwrap();
    assert_eq!(shown.properties.get(&path), Some(&ews_text("blue")));
    client.one(DeleteProperties { input: 1, tags: vec![colour] }).await.unwrap();
    client.save(1).await.unwrap();
    assert_eq!(client.property(1, colour).await, Cell::Error(ErrorCode::NOT_FOUND));
}

#[tokio::test]
async fn an_appointments_times_are_named_properties_in_mapi() {
    let world = World::new();
    let start = crate::test_world::NOW;
    let meeting = item(
        ItemKind::CalendarItem,
        vec![
            (Field::SUBJECT, ews_text("Review")),
            (Field::START, Value::Time(start)),
            (Field::LOCATION, ews_text("Room 1")),
        ],
    );
    let (mut client, _) = open(&world, "calendar", meeting).await;
    let made = ids(&mut client, vec![named(APPOINTMENT, 0x820D), named(APPOINTMENT, 0x8208)], true).await;
    let tags = [
        PropertyTag::new(made[0], PropertyType::TIME),
        PropertyTag::new(made[1], PropertyType::UNICODE),
        PropertyTag::new(0x0060, PropertyType::TIME),
    ];
    let cells = client.properties(1, &tags).await;
    let time = PropertyValue::Time(crate::mapi::property::value::to_filetime(start));
    assert_eq!(cells[0], time.clone().into());
    assert_eq!(text(&cells[1]), "Room 1");
    assert_eq!(cells[2], time.into());
}

#[tokio::test]
async fn categories_and_addresses_of_contacts_are_named_properties_in_mapi() {
    const PUBLIC_STRINGS: [u8; 16] = [0x29, 0x03, 0x02, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];
    const ADDRESS: [u8; 16] = [0x04, 0x20, 0x06, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];
    let world = World::new();
    let mut contact = item(
        ItemKind::Contact,
        vec![
            (Field::CONTACT_GIVEN_NAME, ews_text("Jane")),
            (Field::CATEGORIES, Value::Texts(vec!["Red".to_owned(), "Blue".to_owned()])),
        ],
    );
    let address = PropertyPath::indexed("contacts:EmailAddress", "EmailAddress1");
    contact.properties.insert(address.clone(), ews_text("jane.doe@example.com"));
    let (mut client, id) = open(&world, "inbox", contact).await;
    let Ok(Success::GetPropertiesList(list)) = client.one(GetPropertiesList { input: 1 }).await else {
        panic!("a list");
    };
    let keywords = PropertyName { namespace: PUBLIC_STRINGS, name: Name::Text("Keywords".to_owned()) };
    let made = ids(&mut client, vec![keywords, named(ADDRESS, 0x8083)], false).await;
    let tags = [
        PropertyTag::new(made[0], PropertyType::MULTIPLE_UNICODE),
        PropertyTag::new(made[1], PropertyType::UNICODE),
        PropertyTag::new(0x3A06, PropertyType::UNICODE),
    ];
    assert!(tags.iter().all(|tag| list.tags.contains(tag)), "{tags:?} {list:?}");
    let cells = client.properties(1, &tags).await;
    let both = PropertyValue::MultipleUnicode(vec!["Red".to_owned(), "Blue".to_owned()]);
    assert_eq!(cells[0], both.into());
    assert_eq!([text(&cells[1]).as_str(), text(&cells[2]).as_str()], ["jane.doe@example.com", "Jane"]);
    assert_eq!(client.set(1, vec![unicode(tags[1], "jane@example.com")]).await, []);
    client.save(1).await.unwrap();
    assert_eq!(world.get(&john(), &id).await.properties.get(&address), Some(&ews_text("jane@example.com")));
}

#[tokio::test]
async fn identifiers_have_a_long_form_and_come_back() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let Ok(Success::LongTermIdFromId(long)) =
        client.one(LongTermIdFromId { input: 0, id: folders.inbox }).await
    else {
        panic!("a long form");
    };
    let Ok(Success::IdFromLongTermId(short)) =
        client.one(IdFromLongTermId { input: 0, long_term_id: long.long_term_id }).await
    else {
        panic!("a short form");
    };
    assert_eq!(short.id, folders.inbox);
    let none = client.one(IdFromLongTermId { input: 0, long_term_id: [0; 24] }).await;
    assert_eq!(none, Err(ErrorCode::NOT_FOUND));
    assert_eq!(client.one(LongTermIdFromId { input: 0, id: 7 }).await, Err(ErrorCode::NOT_FOUND));
}
