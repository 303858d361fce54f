use weir_wire::ews::field::Field;
use weir_wire::ews::property::Value;
use weir_wire::mapi::call::folder::{DeleteMessages, HardDeleteMessages, MoveCopyMessages, SetReadFlags};
use weir_wire::mapi::call::message::SetMessageReadFlag;

use super::*;
use crate::test_world::{find, jane, message, value};

/// A client with the inbox at place 1 and the drafts at place 2, and the identifiers of the messages there.
async fn between_folders(world: &World) -> (Client<'_>, SpecialFolders, Vec<u64>) {
    let (mut client, folders) = Client::logged_on(world, &john()).await;
    let ids = client.ids(folders.inbox).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    client.open_folder(2, folders.outbox).await.unwrap();
    (client, folders, ids)
}

/// Whether not all was done.
async fn partial(client: &mut Client<'_>, call: impl Into<Call>) -> bool {
    match client.one(call).await.unwrap() {
        Success::DeleteMessages(done)
        | Success::HardDeleteMessages(done)
        | Success::MoveCopyMessages(done)
        | Success::SetReadFlags(done) => done.partial,
        other => panic!("{other:?}"),
    }
}

fn delete(messages: Vec<u64>) -> DeleteMessages {
    DeleteMessages { input: 1, asynchronous: false, notify_unread: false, messages }
}

fn hard_delete(messages: Vec<u64>) -> HardDeleteMessages {
    HardDeleteMessages { input: 1, asynchronous: false, notify_unread: false, messages }
}

fn transfer(destination: u8, messages: Vec<u64>, copy: bool) -> MoveCopyMessages {
    MoveCopyMessages { input: 1, destination, messages, asynchronous: false, copy }
}

#[tokio::test]
async fn messages_are_deleted_and_what_is_not_there_is_told() {
    let world = inbox_of(&["a", "b", "c"]).await;
    let (mut client, folders, ids) = between_folders(&world).await;
    assert!(!partial(&mut client, delete(vec![ids[0]])).await);
    assert!(partial(&mut client, hard_delete(vec![ids[1], ids[1], folders.inbox, 0])).await);
    assert_eq!(world.subjects(&john(), "inbox").await, ["a"]);
    let open = call::folder::GetContentsTable { input: 1, output: 100, flags: 0x20 };
    let Ok(Success::GetContentsTable(deleted)) = client.one(open).await else { panic!("a table") };
    assert_eq!(deleted.rows, 1, "one can be recovered");
    assert!(!partial(&mut client, delete(vec![ids[0]])).await, "deleted again it is gone for good");
    assert!(partial(&mut client, delete(vec![ids[0]])).await);
}

#[tokio::test]
async fn messages_are_moved_and_copied_within_a_mailbox() {
    let world = inbox_of(&["a", "b", "c"]).await;
    let (mut client, folders, ids) = between_folders(&world).await;
    assert!(!partial(&mut client, transfer(2, vec![ids[0]], true)).await);
    assert!(!partial(&mut client, transfer(2, vec![ids[1]], false)).await);
    assert!(partial(&mut client, transfer(2, vec![ids[1]], false)).await, "it is gone from there");
    assert_eq!(world.subjects(&john(), "inbox").await, ["a", "c"]);
    assert_eq!(world.subjects(&john(), "outbox").await, ["b", "c"]);
    let elsewhere = client.ids(folders.outbox).await[0];
    assert!(partial(&mut client, transfer(2, vec![elsewhere], false)).await, "a message of another folder");
}

#[tokio::test]
async fn messages_go_from_mailbox_to_mailbox_of_one_session() {
    let world = inbox_of(&["a", "b"]).await;
    let mut client = Client::connected(&world, &john(), true);
    let own = client.logon(0, 0, "").await.unwrap();
    let hers = client.logon(1, 50, &jane().legacy_dn).await.unwrap();
    let ids = client.ids(own.folders.inbox).await;
    client.open_folder(1, own.folders.inbox).await.unwrap();
    let open = call::folder::OpenFolder { input: 50, output: 2, folder: hers.folders.inbox, mode: 0 };
    client.one_of(1, open.into()).await.unwrap();
    assert!(!partial(&mut client, transfer(2, vec![ids[0]], true)).await);
    assert!(!partial(&mut client, transfer(2, vec![ids[1]], false)).await);
    assert_eq!(world.subjects(&john(), "inbox").await, ["b"]);
    assert_eq!(world.subjects(&jane(), "inbox").await, ["a", "b"]);
}

#[tokio::test]
async fn messages_are_marked_as_read_some_or_all() {
    let world = inbox_of(&["a", "b", "c"]).await;
    let (mut client, _, ids) = between_folders(&world).await;
    let read = async || {
        let page = world.find(&john(), find("inbox")).await.page;
        page.iter().filter(|item| value(item, Field::IS_READ) == Some(&Value::Bool(true))).count()
    };
    let set = |flags, messages| SetReadFlags { input: 1, asynchronous: false, flags, messages };
    assert!(!partial(&mut client, set(SetMessageReadFlag::SUPPRESS_RECEIPT, vec![ids[0]])).await);
    assert_eq!(read().await, 1);
    assert!(partial(&mut client, set(SetMessageReadFlag::READ, vec![ids[1], 7])).await);
    assert_eq!(read().await, 2);
    assert!(!partial(&mut client, set(SetMessageReadFlag::RECEIPT_ONLY, Vec::new())).await);
    assert_eq!(read().await, 2);
    assert!(!partial(&mut client, set(SetMessageReadFlag::READ, Vec::new())).await);
    assert_eq!(read().await, 3);
    assert!(!partial(&mut client, set(SetMessageReadFlag::CLEAR, Vec::new())).await);
    assert_eq!(read().await, 0);
}

#[tokio::test]
async fn a_target_that_is_gone_changes_nothing() {
    let world = inbox_of(&["a"]).await;
    let (mut client, folders, ids) = between_folders(&world).await;
    let names =
        call::folder::FolderNames { open_existing: false, display_name: "Work".into(), comment: "".into() };
    let create = call::folder::CreateFolder { input: 1, output: 3, kind: 1, names };
    let Ok(Success::CreateFolder(work)) = client.one(create).await else { panic!("a folder") };
    let remove = call::folder::DeleteFolder { input: 1, flags: 0x15, folder: work.folder };
    client.one(remove).await.unwrap();
    assert_eq!(client.one(transfer(3, ids.clone(), false)).await, Err(ErrorCode::NOT_FOUND));
    assert_eq!(client.ids(folders.inbox).await, ids);
    world.save(&john(), Some("inbox"), message("b", "")).await;
    assert_eq!(client.ids(folders.inbox).await.len(), 2);
}
