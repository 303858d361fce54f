use weir_wire::ews::field::Field;
use weir_wire::ews::property::Value;
use weir_wire::ews::request::Disposition;
use weir_wire::mapi::call::message::{
    OpenMessage, ReadRecipients, ReloadCachedInformation, SetMessageReadFlag as Set,
};
use weir_wire::mapi::recipient::RecipientRow;
use weir_wire::mapi::reply::message::OpenMessage as Opened;

use super::*;
use crate::test_world::{create, find, id_of, jane, mailboxes, message_to, value, with};

/// The message that Jane sends to John, Ken and somebody unknown; its folder and its identifier.
async fn sent(world: &World, folders: &SpecialFolders) -> (u64, u64) {
    let mail = message_to("Re: Lunch", &["john.doe@example.com", "ken.malcolmson@example.com"]);
    let mail = with(mail, Field::CC_RECIPIENTS, mailboxes(&["nobody@example.org"]));
    world.one(&jane(), create(Disposition::SendOnly, None, vec![mail])).await.unwrap();
    let id = id_of(&world.find(&john(), find("inbox")).await.page[0]);
    (folders.inbox, message_id(&id))
}

fn opened(answer: Result<Success, ErrorCode>) -> Opened {
    match answer.unwrap() {
        Success::OpenMessage(opened) | Success::ReloadCachedInformation(opened) => opened,
        other => panic!("{other:?}"),
    }
}

fn people(rows: impl Iterator<Item = (u8, RecipientRow)>) -> Vec<(u8, String, String)> {
    let text = |text: Option<weir_wire::mapi::text::Text>| text.unwrap().to_str().into_owned();
    rows.map(|(kind, row)| (kind, text(row.display_name), text(row.email_address))).collect()
}

#[tokio::test]
async fn a_message_opens_with_its_subject_in_two_parts_and_its_recipients() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let ids = sent(&world, &folders).await;
    let message = opened(client.open_message(1, ids).await);
    assert_eq!(message.subject_prefix.to_str(), "Re: ");
    assert_eq!(message.normalized_subject.to_str(), "Lunch");
    assert!(!message.has_named_properties);
    assert_eq!(message.recipients.count, 3);
    let listed = people(message.recipients.rows.into_iter().map(|(head, row)| (head.kind, row)));
    let expected = [
        (1, "john.doe@example.com", "john.doe@example.com"),
        (1, "ken.malcolmson@example.com", "ken.malcolmson@example.com"),
        (2, "nobody@example.org", "nobody@example.org"),
    ];
    assert_eq!(listed, expected.map(|(kind, name, address)| (kind, name.to_owned(), address.to_owned())));
    let again = opened(client.one(ReloadCachedInformation { input: 1, reserved: 0 }).await);
    assert_eq!(again.recipients.count, 3);
}

#[tokio::test]
async fn recipients_are_read_from_a_row_on() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let ids = sent(&world, &folders).await;
    let columns = opened(client.open_message(1, ids).await).recipients.columns;
    let read = |row| Call::from(ReadRecipients { input: 1, row, reserved: 0 });
    let Ok(Success::ReadRecipients(found)) = client.with_columns(0, read(1), &columns).await else {
        panic!("recipients");
    };
    assert_eq!(
        found.rows.iter().map(|(row, head, _)| (*row, head.kind)).collect::<Vec<_>>(),
        [(1, 1), (2, 2)]
    );
    assert_eq!(client.with_columns(0, read(3), &columns).await, Err(ErrorCode::NOT_FOUND));
}

#[tokio::test]
async fn a_message_opens_from_its_own_folder_alone() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let (inbox, id) = sent(&world, &folders).await;
    for ids in [(folders.outbox, id), (inbox, id + (1 << 16)), (inbox, inbox), (id, id), (inbox, 0)] {
        assert_eq!(client.open_message(1, ids).await, Err(ErrorCode::NOT_FOUND), "{ids:x?}");
    }
}

#[tokio::test]
async fn a_deleted_message_opens_for_who_asks_for_such() {
    let world = inbox_of(&["gone"]).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.contents(folders.inbox, &MAIL_COLUMNS).await;
    let id = number(&client.rows(1, &MAIL_COLUMNS).await.1[0][0]);
    let delete = call::folder::DeleteMessages {
        input: 99,
        asynchronous: false,
        notify_unread: false,
        messages: vec![id],
    };
    client.one(delete).await.unwrap();
    assert_eq!(client.open_message(1, (folders.inbox, id)).await, Err(ErrorCode::NOT_FOUND));
    let open = OpenMessage {
        input: 0,
        output: 1,
        code_page: OpenMessage::LOGON_CODE_PAGE,
        folder: folders.inbox,
        mode: OpenMessage::SOFT_DELETED,
        message: id,
    };
    assert_eq!(opened(client.one(open).await).normalized_subject.to_str(), "gone");
}

#[tokio::test]
async fn a_message_is_marked_as_read_and_unread_for_ews_too() {
    let world = inbox_of(&["a"]).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.contents(folders.inbox, &MAIL_COLUMNS).await;
    let id = number(&client.rows(1, &MAIL_COLUMNS).await.1[0][0]);
    client.open_message(1, (folders.inbox, id)).await.unwrap();
    let is_read = async || {
        let item = world.find(&john(), find("inbox")).await.page.remove(0);
        value(&item, Field::IS_READ).cloned()
    };
    for (flags, expected) in [
        (Set::RECEIPT_ONLY, false),
        (Set::SUPPRESS_RECEIPT, true),
        (Set::CLEAR_READ_NOTICE, true),
        (Set::CLEAR, false),
        (Set::READ, true),
    ] {
        client.one(Set { response: 1, input: 1, flags, client_data: Vec::new() }).await.unwrap();
        assert_eq!(is_read().await, Some(Value::Bool(expected)), "{flags:#x}");
    }
    assert_eq!(client.property(1, tag::READ).await, PropertyValue::Boolean(true).into());
}

#[tokio::test]
async fn many_recipients_are_listed_as_far_as_there_is_room() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let people: Vec<String> = (0..600).map(|number| format!("person{number:04}@example.org")).collect();
    let people: Vec<&str> = people.iter().map(String::as_str).collect();
    let mail = message_to("To all", &people);
    let id = message_id(&world.save(&john(), Some("inbox"), mail).await);
    let message = opened(client.open_message(1, (folders.inbox, id)).await);
    assert_eq!(message.recipients.count, 600);
    let first = message.recipients.rows.len();
    assert!((10..=255).contains(&first), "{first}");
    let columns = message.recipients.columns;
    let mut row = u32::try_from(first).unwrap();
    while row < 600 {
        let read = ReadRecipients { input: 1, row, reserved: 0 };
        let Ok(Success::ReadRecipients(found)) = client.with_columns(0, read.into(), &columns).await else {
            panic!("recipients");
        };
        assert_eq!(found.rows[0].0, row);
        row += u32::try_from(found.rows.len()).unwrap();
    }
    assert_eq!(row, 600);
}
