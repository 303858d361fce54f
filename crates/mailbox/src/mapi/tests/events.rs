use std::time::Duration;

use weir_wire::mapi::call::notification::{RegisterNotification, Scope};
use weir_wire::mapi::reply::notify::{Event, Journey, Object};

use super::*;
use crate::test_world::{jane, message};

const ALL: u16 = RegisterNotification::NEW_MAIL
    | RegisterNotification::CREATED
    | RegisterNotification::DELETED
    | RegisterNotification::MODIFIED
    | RegisterNotification::MOVED
    | RegisterNotification::COPIED;

async fn register(
    client: &mut Client<'_>,
    output: u8,
    kinds: u16,
    scope: Scope,
) -> Result<Success, ErrorCode> {
    client.one(RegisterNotification { input: 0, output, kinds, scope }).await
}

/// What an empty request is told.
async fn told(client: &mut Client<'_>) -> Vec<Event> {
    assert!(client.send(&[], &[]).await.is_empty());
    std::mem::take(&mut client.told).into_iter().map(|notify| notify.event).collect()
}

#[tokio::test]
async fn what_happens_is_told_with_the_next_answer_even_an_empty_one() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    register(&mut client, 1, ALL, Scope::WholeStore).await.unwrap();
    assert_eq!(told(&mut client).await, []);
    world.server.deliver_many(&john(), "inbox", vec![message("a", "")], world.now).await.unwrap();
    assert!(client.send(&[], &[]).await.is_empty());
    let told_of = std::mem::take(&mut client.told);
    let [created, arrived] = &told_of[..] else { panic!("{:?}", client.told) };
    assert_eq!((created.handle, created.logon), (client.handles[1], 0));
    let Event::Created { object, .. } = &created.event else { panic!("{created:?}") };
    assert_eq!(object.folder, folders.inbox);
    let Event::NewMail { object: arrived, flags, class } = &arrived.event else { panic!("{arrived:?}") };
    assert_eq!((arrived, *flags, class.to_str().as_ref()), (object, 0, "IPM.Note"), "unread");
    assert_eq!(client.ids(folders.inbox).await, [object.message.unwrap()]);
    assert_eq!(told(&mut client).await, [], "told once");
}

#[tokio::test]
async fn each_change_is_told_as_what_it_is() {
    let world = inbox_of(&["a"]).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let id = client.ids(folders.inbox).await[0];
    client.open_folder(1, folders.inbox).await.unwrap();
    client.open_folder(2, folders.outbox).await.unwrap();
    register(&mut client, 3, ALL, Scope::WholeStore).await.unwrap();
    let transfer = |input, destination, id, copy| call::folder::MoveCopyMessages {
        input,
        destination,
        messages: vec![id],
        asynchronous: false,
        copy,
    };
    let read = call::folder::SetReadFlags { input: 1, asynchronous: false, flags: 0, messages: vec![id] };
    client.one(read).await.unwrap();
    client.one(transfer(1, 2, id, true)).await.unwrap();
    client.one(transfer(1, 2, id, false)).await.unwrap();
    let [Event::Modified { object, .. }, Event::Copied(copied), Event::Moved(moved)] =
        &client.told.iter().map(|notify| notify.event.clone()).collect::<Vec<_>>()[..]
    else {
        panic!("{:?}", client.told);
    };
    assert_eq!(*object, Object { folder: folders.inbox, message: Some(id) });
    for journey in [copied, moved] {
        let Journey { object, old_folder, old, .. } = *journey;
        assert_eq!((object.folder, old_folder, old), (folders.outbox, folders.inbox, id));
    }
    client.told.clear();
    let gone = moved.object.message.unwrap();
    let delete = call::folder::HardDeleteMessages {
        input: 2,
        asynchronous: false,
        notify_unread: false,
        messages: vec![gone],
    };
    client.one(delete).await.unwrap();
    let names =
        call::folder::FolderNames { open_existing: false, display_name: "Work".into(), comment: "".into() };
    client.one(call::folder::CreateFolder { input: 1, output: 4, kind: 1, names }).await.unwrap();
    let [deleted, created] = &client.told[..] else { panic!("{:?}", client.told) };
    let expected = Object { folder: folders.outbox, message: Some(gone) };
    assert!(matches!(deleted.event, Event::Deleted { object, .. } if object == expected));
    assert!(matches!(
        created.event,
        Event::Created { object: Object { message: None, .. }, parent, .. } if parent == folders.inbox
    ));
}

#[tokio::test]
async fn a_subscription_to_a_folder_or_a_message_hears_of_that_alone() {
    let world = inbox_of(&["a", "b"]).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let ids = client.ids(folders.inbox).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    let of_message = Scope::Object { folder: folders.inbox, message: ids[0] };
    register(&mut client, 3, ALL, Scope::Object { folder: folders.outbox, message: 0 }).await.unwrap();
    register(&mut client, 4, ALL, of_message).await.unwrap();
    let bad = Scope::Object { folder: folders.inbox, message: folders.inbox };
    assert_eq!(register(&mut client, 5, ALL, bad).await, Err(ErrorCode::NOT_FOUND));
    let read =
        |id| call::folder::SetReadFlags { input: 1, asynchronous: false, flags: 0, messages: vec![id] };
    client.one(read(ids[1])).await.unwrap();
    client.one(read(ids[0])).await.unwrap();
    world.save(&john(), Some("outbox"), message("c", "")).await;
    client.send(&[], &[]).await;
    let heard: Vec<_> = client.told.iter().map(|notify| notify.handle).collect();
    assert_eq!(heard, [client.handles[4], client.handles[3]]);
}

#[tokio::test]
async fn a_subscription_ends_with_its_handle_and_with_its_logon() {
    let world = World::new();
    let (mut client, _) = Client::logged_on(&world, &john()).await;
    register(&mut client, 1, ALL, Scope::WholeStore).await.unwrap();
    register(&mut client, 2, ALL, Scope::WholeStore).await.unwrap();
    client.release(1).await;
    world.save(&john(), Some("inbox"), message("a", "")).await;
    assert_eq!(told(&mut client).await.len(), 1);
    client.release(0).await;
    world.save(&john(), Some("inbox"), message("b", "")).await;
    assert_eq!(told(&mut client).await, []);
}

#[tokio::test]
async fn two_mailboxes_of_one_session_are_told_apart_by_their_logons() {
    let world = World::new();
    let mut client = Client::connected(&world, &john(), true);
    client.logon(0, 0, "").await.unwrap();
    client.logon(7, 50, &jane().legacy_dn).await.unwrap();
    register(&mut client, 1, ALL, Scope::WholeStore).await.unwrap();
    let register = RegisterNotification { input: 50, output: 51, kinds: ALL, scope: Scope::WholeStore };
    client.one_of(7, register.into()).await.unwrap();
    world.save(&jane(), Some("inbox"), message("hers", "")).await;
    world.save(&john(), Some("inbox"), message("his", "")).await;
    client.send(&[], &[]).await;
    assert_eq!(client.told.iter().map(|notify| notify.logon).collect::<Vec<_>>(), [7, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_waits_is_woken_by_what_happens_in_its_mailbox() {
    let world = World::new();
    let (mut client, _) = Client::logged_on(&world, &john()).await;
    register(&mut client, 1, ALL, Scope::WholeStore).await.unwrap();
    let waits = async |server: &MailboxServer, session: &MapiSession| {
        tokio::time::timeout(Duration::from_mins(5), server.mapi_event(session)).await.is_ok()
    };
    world.save(&jane(), Some("inbox"), message("hers", "")).await;
    assert!(!waits(&world.server, &client.session).await);
    world.save(&john(), Some("inbox"), message("his", "")).await;
    assert!(waits(&world.server, &client.session).await);
    assert!(waits(&world.server, &client.session).await, "until it is told");
    assert_eq!(told(&mut client).await.len(), 1);
    assert!(!waits(&world.server, &client.session).await);
}
