use std::time::Duration;

use weir_units::WallTime;
use weir_wire::ews::property::FolderId;
use weir_wire::ews::response::EventSubject;

use super::*;

const BOX: MailboxKey = MailboxKey(1);
const ALL: u16 = 0x7E;

fn news(kind: NewsKind, mailbox: MailboxKey, folder: i64, key: i64) -> News {
    let parent = FolderId { id: String::new(), change_key: None };
    let (key, folder) = (ItemKey(key), FolderKey(folder));
    News {
        mailbox,
        folders: vec![folder],
        kind,
        subject: EventSubject {
            at: WallTime::from_unix_micros(0),
            item: None,
            folder: None,
            parent,
            old: None,
        },
        about: About::Item { key, folder, class: "IPM.Note".to_owned(), flags: 0, old: None },
    }
}

fn subscription(kinds: u16, scope: Scope) -> Subscription {
    Subscription { logon: 0, mailbox: BOX, kinds, scope }
}

#[test]
fn a_subscription_hears_of_its_mailbox_its_scope_and_its_kinds_alone() {
    let scopes = [Scope::Store, Scope::Folder(FolderKey(5)), Scope::Message(ItemKey(6))];
    let heard = |scope, kinds, piece: &News| {
        let room = Mailroom::new(10);
        room.subscribe(3, subscription(kinds, scope));
        room.hear(piece);
        room.first().is_some()
    };
    let here = news(NewsKind::Created, BOX, 5, 6);
    assert_eq!(scopes.map(|scope| heard(scope, ALL, &here)), [true, true, true]);
    let elsewhere = news(NewsKind::Created, BOX, 50, 60);
    assert_eq!(scopes.map(|scope| heard(scope, ALL, &elsewhere)), [true, false, false]);
    let anothers = news(NewsKind::Created, MailboxKey(2), 5, 6);
    assert_eq!(scopes.map(|scope| heard(scope, ALL, &anothers)), [false; 3]);
    assert_eq!(scopes.map(|scope| heard(scope, 0x0008, &here)), [false; 3], "deletions only");
}

#[test]
fn a_line_that_is_full_loses_its_oldest() {
    let room = Mailroom::new(3);
    room.subscribe(3, subscription(ALL, Scope::Store));
    for key in 0..10 {
        room.hear(&news(NewsKind::Created, BOX, 5, key));
    }
    let mut keys = Vec::new();
    while let Some(event) = room.first() {
        room.take();
        if let About::Item { key, .. } = event.about {
            keys.push(key.0);
        }
    }
    assert_eq!(keys, [7, 8, 9]);
}

#[test]
fn what_waits_for_a_subscription_goes_with_it() {
    let room = Mailroom::new(3);
    room.subscribe(3, subscription(ALL, Scope::Store));
    room.subscribe(4, subscription(ALL, Scope::Store));
    room.hear(&news(NewsKind::Created, BOX, 5, 6));
    assert_eq!(room.unsubscribe(3), None, "another is about the mailbox");
    assert_eq!(room.first().unwrap().handle, 4);
    assert_eq!(room.unsubscribe(4), Some(BOX));
    assert!(room.first().is_none());
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_is_woken_by_an_event_and_not_before() {
    let room = Mailroom::new(3);
    room.subscribe(3, subscription(ALL, Scope::Store));
    let waiting = tokio::time::timeout(Duration::from_mins(1), room.event());
    assert!(waiting.await.is_err(), "nothing happened");
    let (woken, ()) = tokio::join!(tokio::time::timeout(Duration::from_mins(1), room.event()), async {
        tokio::task::yield_now().await;
        room.hear(&news(NewsKind::Created, BOX, 5, 6));
    });
    assert!(woken.is_ok());
    tokio::time::timeout(Duration::from_mins(1), room.event()).await.expect("it waits already");
}
