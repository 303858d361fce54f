use super::*;
use crate::test_world::{jane, ken};

#[tokio::test]
async fn a_connect_tells_name_prefix_and_how_to_try_again() {
    let world = World::new();
    let body = connect_body(&john().legacy_dn);
    let request = ConnectRequest::read(&body).unwrap();
    let (_, body) =
        world.server.mapi_connect(&john(), false, &request).unwrap_or_else(|_| panic!("a session"));
    let Ok(Answer::Done(connected)) = Answer::<Connected<'_>>::read(&body) else { panic!("a session") };
    assert_eq!(connected.error_code, 0);
    assert_eq!((connected.polls_max, connected.retry_count, connected.retry_delay), (60_000, 60, 1000));
    assert_eq!(connected.dn_prefix, b"/o=example.com/ou=Site");
    assert_eq!(
        connected.display_name,
        "John Doe".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_connect_in_anothers_name_needs_the_right_to_open_his_mailbox() {
    let world = World::new();
    let dn = jane().legacy_dn;
    assert_eq!(connect(&world, &john(), false, &dn).err(), Some(ErrorCode::LOGIN_PERM));
    assert!(connect(&world, &john(), true, &dn).is_ok());
    assert!(connect(&world, &john(), false, "JOHN.DOE@example.com").is_ok(), "any of one's own names");
    let nobody = "/o=example.com/ou=Site/cn=Recipients/cn=nobody";
    assert_eq!(connect(&world, &john(), false, nobody).err(), Some(ErrorCode::LOGIN_PERM), "told nothing");
    assert_eq!(connect(&world, &john(), true, nobody).err(), Some(ErrorCode::UNKNOWN_USER));
    assert_eq!(connect(&world, &john(), true, "").err(), Some(ErrorCode::UNKNOWN_USER));
}

#[tokio::test]
async fn a_logon_gives_thirteen_folders_that_open() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let ids = [
        folders.root,
        folders.deferred_actions,
        folders.spooler_queue,
        folders.ipm_subtree,
        folders.inbox,
        folders.outbox,
        folders.sent_items,
        folders.deleted_items,
        folders.common_views,
        folders.schedule,
        folders.finder,
        folders.views,
        folders.shortcuts,
    ];
    let names = [
        "Root",
        "Deferred Action",
        "Spooler Queue",
        "Top of Information Store",
        "Inbox",
        "Outbox",
        "Sent Items",
        "Deleted Items",
        "Common Views",
        "Schedule",
        "Finder",
        "Views",
        "Shortcuts",
    ];
    for (id, name) in ids.into_iter().zip(names) {
        client.open_folder(1, id).await.unwrap();
        let cells = client.properties(1, &[tag::DISPLAY_NAME, tag::FOLDER_ID]).await;
        assert_eq!((text(&cells[0]).as_str(), number(&cells[1])), (name, id));
    }
}

#[tokio::test]
async fn a_logon_tells_whose_mailbox_when_and_what_one_may() {
    let world = World::new();
    let mut client = Client::connected(&world, &john(), false);
    let store = client.logon(0, 0, &john().legacy_dn).await.unwrap();
    assert_eq!(store.response_flags, 0x07, "an owner, who may send");
    assert_eq!((store.replica_id, store.store_state), (1, 0));
    assert_ne!(store.mailbox, store.replica);
    // 2010-03-09T15:15:12Z, a Tuesday.
    let time = store.time;
    assert_eq!((time.year, time.month, time.day, time.day_of_week), (2010, 3, 9, 2));
    assert_eq!((time.hour, time.minutes, time.seconds), (15, 15, 12));
    let again = client.logon(1, 1, "").await.unwrap();
    assert_eq!(
        (again.mailbox, again.folders),
        (store.mailbox, store.folders),
        "without a name it is one's own"
    );
}

#[tokio::test]
async fn identifiers_are_the_same_for_every_session_and_after_a_restart() {
    let world = World::new();
    let (_, first) = Client::logged_on(&world, &john()).await;
    let (_, second) = Client::logged_on(&world, &john()).await;
    assert_eq!(first, second);
    let World { server, dir, now } = world;
    drop(server);
    let world = World { server: World::open(&dir, Settings::default()), dir, now };
    let (_, third) = Client::logged_on(&world, &john()).await;
    assert_eq!(first, third);
}

#[tokio::test]
async fn a_stranger_may_open_nothing_but_his_own() {
    let world = World::new();
    let (_, johns) = Client::logged_on(&world, &john()).await;
    let (mut client, _) = Client::logged_on(&world, &jane()).await;
    assert_eq!(client.logon(1, 5, &john().legacy_dn).await, Err(ErrorCode::LOGIN_PERM));
    assert_eq!(client.handles[5], NO_HANDLE);
    assert_eq!(client.open_folder(1, johns.inbox).await, Err(ErrorCode::NOT_FOUND), "a guess");
    let mail = crate::test_world::message("a secret", "");
    let id = message_id(&world.save(&john(), Some("inbox"), mail).await);
    assert_eq!(client.open_message(1, (johns.inbox, id)).await, Err(ErrorCode::NOT_FOUND));
}

#[tokio::test]
async fn who_may_open_others_has_two_mailboxes_in_one_session() {
    let world = World::new();
    world.save(&jane(), Some("inbox"), crate::test_world::message("hers", "")).await;
    world.save(&ken(), Some("inbox"), crate::test_world::message("his", "")).await;
    let mut client = Client::connected(&world, &john(), true);
    let hers = client.logon(0, 0, &jane().legacy_dn).await.unwrap();
    let his = client.logon(1, 50, &ken().legacy_dn).await.unwrap();
    assert_ne!(hers.mailbox, his.mailbox);
    assert_eq!(hers.replica, his.replica, "identifiers of one store");
    assert_eq!(client.texts(hers.folders.inbox, tag::SUBJECT).await, ["hers"]);
    let open = call::folder::OpenFolder { input: 50, output: 51, folder: his.folders.inbox, mode: 0 };
    client.one_of(1, open.into()).await.unwrap();
    let open = call::folder::OpenFolder { input: 50, output: 52, folder: hers.folders.inbox, mode: 0 };
    assert_eq!(client.one_of(1, open.into()).await, Err(ErrorCode::NOT_FOUND), "not in that mailbox");
}

#[tokio::test]
async fn a_second_logon_of_a_number_ends_the_first() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    let other = client.handles[1];
    client.logon(0, 0, "").await.unwrap();
    assert_eq!(client.handles[1], other);
    let get = call::property::GetPropertiesList { input: 1 };
    assert_eq!(client.one(get).await, Err(ErrorCode::NULL_OBJECT));
}

#[tokio::test]
async fn releasing_a_logon_releases_what_was_opened_under_it() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    client.contents(folders.inbox, &MAIL_COLUMNS).await;
    client.logon(1, 50, "").await.unwrap();
    assert_eq!(client.session.inner.state().objects.len(), 5);
    client.release(0).await;
    assert_eq!(client.session.inner.state().objects.len(), 1);
    client.release(50).await;
    assert_eq!(client.session.inner.state().objects.len(), 0);
    assert!(client.session.inner.state().logons.is_empty());
    client.release(50).await;
}

#[tokio::test]
async fn public_folders_are_not_here() {
    let world = World::new();
    let mut client = Client::connected(&world, &john(), false);
    let logon = call::logon::Logon { output: 0, flags: 0, open_flags: 0, store_state: 0, essdn: Vec::new() };
    assert_eq!(client.one(logon).await, Err(ErrorCode::LOGON_FAILED));
}

#[tokio::test]
async fn a_mailbox_says_whose_it_is_and_where_its_folders_are() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let tags = [tag::MAILBOX_OWNER_NAME, tag::OBJECT_TYPE, tag::SUBJECT];
    let cells = client.properties(0, &tags).await;
    assert_eq!(text(&cells[0]), "John Doe");
    assert_eq!(cells[1], PropertyValue::Integer32(1).into());
    assert_eq!(cells[2], Cell::Error(ErrorCode::NOT_FOUND));
    client.open_folder(1, folders.inbox).await.unwrap();
    let [inbox, of_mailbox] =
        [client.property(1, tag::ENTRY_ID).await, client.property(0, PropertyTag(0x35E1_0102)).await];
    assert_eq!(inbox, of_mailbox);
}

#[tokio::test]
async fn folders_that_only_mapi_knows_give_way_to_a_name_that_is_taken() {
    let world = World::new();
    let folder = weir_wire::ews::property::Folder {
        kind: weir_wire::ews::property::FolderKind::Folder,
        properties: [(
            weir_wire::ews::field::Field::FOLDER_DISPLAY_NAME.into(),
            crate::test_world::text("views"),
        )]
        .into(),
    };
    let create = weir_wire::ews::request::CreateFolder {
        parent: crate::test_world::known("root"),
        folders: vec![folder],
    };
    world.one(&john(), weir_wire::ews::request::Request::CreateFolder(create)).await.unwrap();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, folders.views).await.unwrap();
    assert_eq!(text(&client.property(1, tag::DISPLAY_NAME).await), "Views1");
}

#[tokio::test]
async fn a_session_that_is_ended_or_dropped_gives_everything_back() {
    let world = World::new();
    let (mut client, _) = Client::logged_on(&world, &john()).await;
    let register = call::notification::RegisterNotification {
        input: 0,
        output: 1,
        kinds: 0x7E,
        scope: call::notification::Scope::WholeStore,
    };
    client.one(register.clone()).await.unwrap();
    let listeners = || world.server.shared().hub.listeners.count();
    assert_eq!(listeners(), 1);
    world.server.mapi_disconnect(&client.session);
    assert_eq!((listeners(), client.session.inner.state().objects.len()), (0, 0));
    let (mut other, _) = Client::logged_on(&world, &john()).await;
    other.one(register).await.unwrap();
    assert_eq!(listeners(), 1);
    drop(other);
    assert_eq!(listeners(), 0);
}
