#![allow(clippy::wildcard_enum_match_arm, reason = "a test wants one answer and shows any other")]

use std::time::Duration;

use weir_wire::ews::field::Field;
use weir_wire::ews::property::Value;
use weir_wire::ews::request::{FindItem, Request, Shape, SortKey};
use weir_wire::ews::response::{Answer, Paging};

use super::{OpenError, Settings};
use crate::test_world::{World, create, find, jane, john, message, page, tag};
use crate::{MailboxServer, Session};
use weir_wire::ews::request::Disposition;

#[tokio::test]
async fn reopening_keeps_everything() {
    let mut world = World::new();
    let id = world.save(&john(), None, message("kept", "the body")).await;
    let before = world.get(&john(), &id).await;
    let state = world.find(&john(), find("drafts")).await;
    let dir = std::mem::replace(&mut world.dir, tempfile::tempdir().unwrap());
    drop(std::mem::replace(&mut world.server, World::open(&world.dir, Settings::default())));
    world.server = World::open(&dir, Settings::default());
    assert_eq!(world.get(&john(), &id).await, before);
    assert_eq!(world.find(&john(), find("drafts")).await, state);
}

#[tokio::test]
async fn a_store_of_an_earlier_release_is_brought_up_to_date() {
    let world = World::new();
    world.save(&john(), Some("inbox"), message("kept", "")).await;
    let World { server, dir, now } = world;
    drop(server);
    let db = rusqlite::Connection::open(dir.path().join(MailboxServer::FILE)).unwrap();
    db.execute_batch(
        "DROP TABLE replica; DROP TABLE named_property; DROP TABLE delivery; PRAGMA user_version = 1",
    )
    .unwrap();
    drop(db);
    let server = World::open(&dir, Settings::default());
    let world = World { server, dir, now };
    assert_eq!(world.subjects(&john(), "inbox").await, ["kept"]);
    let db = rusqlite::Connection::open(world.dir.path().join(MailboxServer::FILE)).unwrap();
    let guid: Vec<u8> = db.query_row("SELECT guid FROM replica", [], |row| row.get(0)).unwrap();
    assert_eq!(guid.len(), 16);
}

#[tokio::test]
async fn a_store_of_a_later_release_is_refused() {
    let World { server, dir, .. } = World::new();
    drop(server);
    let path = dir.path().join(MailboxServer::FILE);
    let db = rusqlite::Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    let people = std::sync::Arc::new(Nobody);
    let refused = MailboxServer::open(dir.path(), Settings::default(), people).err().unwrap();
    assert!(matches!(refused, OpenError::TooNew { found: 99, known: 3, .. }), "{refused}");
    assert!(refused.to_string().contains("use a later release"));
}

#[tokio::test]
async fn a_directory_that_is_not_there_is_told_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    let refused =
        MailboxServer::open(&missing, Settings::default(), std::sync::Arc::new(Nobody)).err().unwrap();
    assert!(refused.to_string().contains("missing"), "{refused}");
}

#[cfg(unix)]
#[test]
fn nobody_but_its_owner_reads_the_store() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    for name in ["mailbox.sqlite3", "mailbox.sqlite3-wal"] {
        let mode = std::fs::metadata(world.dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

struct Nobody;

impl crate::AddressBook for Nobody {
    fn find(&self, _asker: &crate::Person, _prefix: &str, _max: usize) -> Vec<crate::Person> {
        Vec::new()
    }

    fn local(&self, _address: &str) -> Option<crate::Person> {
        None
    }
}

#[tokio::test]
async fn many_that_write_at_once_all_succeed() {
    let world = World::new();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..40 {
        let (server, now) = (world.server.clone(), world.now);
        let who = if number % 2 == 0 { john() } else { jane() };
        tasks.spawn(async move {
            let new = message(&format!("{number:02}"), "");
            let request = create(Disposition::SaveOnly, Some("inbox"), vec![new]);
            server.execute(&Session::of(&who, now), &request, 0).await
        });
    }
    while let Some(answer) = tasks.join_next().await {
        answer.unwrap().unwrap();
    }
    for who in [john(), jane()] {
        let uid = tag(0x0e23, "Integer");
        let shape = Shape { additional: vec![uid.clone()], ..Shape::id_only() };
        let order = vec![SortKey { path: uid.clone(), descending: false }];
        let found = world.find(&who, FindItem { shape, order, ..find("inbox") }).await;
        let uids: Vec<_> = found.page.iter().map(|item| item.properties[&uid].clone()).collect();
        assert_eq!(uids, (1..=20).map(Value::Integer).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn twenty_thousand_items_are_paged_through_without_loss() {
    let world = World::new();
    let mails = (0..20_000).map(|number| message(&format!("m{number}"), "")).collect();
    world.server.deliver_many(&john(), "inbox", mails, world.now).await.unwrap();
    let shape = Shape::id_only();
    let first =
        world.find(&john(), FindItem { shape: shape.clone(), view: page(1000, 0), ..find("inbox") }).await;
    assert_eq!(
        (first.page.len(), first.total, first.paging, first.last),
        (1000, 20_000, Paging::Indexed(1000), false)
    );
    let (mut seen, mut offset) = (std::collections::BTreeSet::new(), 0);
    loop {
        let view = page(1000, offset);
        let found = world.find(&john(), FindItem { shape: shape.clone(), view, ..find("inbox") }).await;
        seen.extend(found.page.iter().map(|item| crate::test_world::id_of(item).id));
        offset += 1000;
        if found.last {
            break;
        }
    }
    assert_eq!((seen.len(), offset), (20_000, 20_000));
}

fn search(word: &str) -> Request {
    Request::FindItem(FindItem { query: Some(word.to_owned()), ..find("inbox") })
}

#[tokio::test]
async fn a_search_beyond_its_time_limit_ends_with_a_timeout() {
    let world = World::new();
    let mails = (0..50).map(|number| message(&format!("word {number}"), "")).collect();
    world.server.deliver_many(&john(), "inbox", mails, world.now).await.unwrap();
    let session = |limit| Session { search_limit: limit, ..Session::of(&john(), world.now) };
    let expired = world.server.execute(&session(Some(Duration::ZERO)), &search("word"), 0).await;
    assert_eq!(expired.unwrap_err().code, "ErrorTimeoutExpired");
    for limit in [None, Some(Duration::from_mins(1))] {
        let Answer::FoundItems(found) =
            world.server.execute(&session(limit), &search("word"), 0).await.unwrap()
        else {
            panic!()
        };
        assert_eq!(found.total, 50);
    }
    let plain =
        world.server.execute(&session(Some(Duration::ZERO)), &Request::FindItem(find("inbox")), 0).await;
    assert!(plain.is_ok(), "the limit is for searches alone");
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_thread_is_not_searching() {
    let world = World::with(Settings { workers: 1, ..Settings::default() });
    world.server.deliver_many(&john(), "inbox", vec![message("word", "")], world.now).await.unwrap();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let (finish, finished) = std::sync::mpsc::channel::<()>();
    // While a blocking task runs, the paused clock moves only when it is told to.
    let still = tokio::task::spawn_blocking(move || finished.recv());
    let server = world.server.clone();
    let blocked = tokio::spawn(async move { server.run(move |_, _| held.recv()).await });
    tokio::task::yield_now().await;
    let session = Session { search_limit: Some(Duration::from_mins(1)), ..Session::of(&john(), world.now) };
    let server = world.server.clone();
    let searching = tokio::spawn(async move { server.execute(&session, &search("word"), 0).await });
    tokio::task::yield_now().await;
    tokio::time::advance(Duration::from_hours(1)).await;
    release.send(()).unwrap();
    assert!(searching.await.unwrap().is_ok());
    blocked.await.unwrap().unwrap().unwrap();
    finish.send(()).unwrap();
    still.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_full_queue_is_told_at_once() {
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
    let waits = tokio::spawn(async move { queued.run(|_, _| ()).await });
    tokio::task::yield_now().await;
    assert_eq!(world.server.queue(), (1, 1));
    let refused =
        world.server.execute(&Session::of(&john(), world.now), &Request::FindItem(find("inbox")), 0).await;
    assert_eq!(refused.unwrap_err().code, "ErrorMailboxStoreUnavailable");
    release.send(()).unwrap();
    assert_eq!(waits.await.unwrap(), Ok(()));
    blocked.await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_step_that_panics_costs_its_answer_and_nothing_else() {
    let world = World::with(Settings { workers: 1, ..Settings::default() });
    let broken = world.server.run(|_, _| -> () { panic!("a fault of ours") }).await;
    assert_eq!(broken.unwrap_err().code, "ErrorInternalServerError");
    assert_eq!(world.find(&john(), find("inbox")).await.total, 0);
}

#[tokio::test]
async fn an_interrupted_search_is_told_as_a_timeout() {
    let world = World::new();
    let session = Session::of(&john(), world.now);
    world.find(&john(), find("inbox")).await;
    let interrupted = world.server.run(move |shared, db| {
        db.progress_handler(1, Some(|| true)).unwrap();
        let answer = super::visit::carry_out(shared, db, &session, search("word"));
        db.progress_handler(0, None::<fn() -> bool>).unwrap();
        answer
    });
    assert_eq!(interrupted.await.unwrap().unwrap_err().code, "ErrorTimeoutExpired");
}

#[tokio::test]
async fn a_step_that_panics_leaves_its_time_limit_to_nobody() {
    let world = World::with(Settings { workers: 1, ..Settings::default() });
    let broken = world.server.run(|_, db| -> () {
        db.progress_handler(1, Some(|| true)).unwrap();
        panic!("a fault of ours")
    });
    assert!(broken.await.is_err());
    assert_eq!(world.find(&john(), find("inbox")).await.total, 0);
}

#[tokio::test]
async fn a_step_that_does_not_exist_is_an_error() {
    let world = World::new();
    let session = Session::of(&john(), world.now);
    let answer = world.server.execute(&session, &Request::FindItem(find("inbox")), 1).await;
    assert_eq!(answer.unwrap_err().code, "ErrorInvalidRequest");
}

#[tokio::test]
async fn a_caller_that_goes_away_cancels_nothing_half_way() {
    let world = World::with(Settings { workers: 1, ..Settings::default() });
    let session = Session::of(&john(), world.now);
    let request = create(Disposition::SaveOnly, None, vec![message("a", "")]);
    let mut step = Box::pin(world.server.execute(&session, &request, 0));
    assert!(poll_once(&mut step).await, "it is queued");
    drop(step);
    assert_eq!(world.subjects(&john(), "drafts").await, ["a"], "the only thread has done it before this");
}

#[tokio::test]
async fn whoever_counts_steps_hears_of_each_end_also_where_its_caller_has_gone() {
    let world = World::with(Settings { workers: 1, ..Settings::default() });
    let session = Session::of(&john(), world.now);
    let (tell, told) = std::sync::mpsc::channel();
    let step = |request: &Request, number| {
        let tell = tell.clone();
        world.server.step(&session, request, number, move |name: &'static str, succeeded| {
            tell.send((name, succeeded)).unwrap();
        })
    };
    let (begin, answer) = step(&create(Disposition::SaveOnly, None, vec![message("a", "")]), 0);
    drop(answer);
    begin("left alone");
    let (begin, answer) = step(&Request::FindItem(find("inbox")), 0);
    begin("well");
    assert!(answer.await.is_ok());
    let (begin, answer) = step(&Request::FindItem(find("nowhere")), 0);
    begin("failed");
    assert!(answer.await.is_err());
    let (begin, _never) = step(&Request::FindItem(find("inbox")), 0);
    drop(begin);
    drop(tell);
    assert_eq!(told.iter().collect::<Vec<_>>(), [("left alone", true), ("well", true), ("failed", false)]);
}

/// Polls a future once; true where it has been polled, whatever it said.
async fn poll_once<F: Future + Unpin>(future: &mut F) -> bool {
    std::future::poll_fn(|context| {
        let _ = std::pin::Pin::new(&mut *future).poll(context);
        std::task::Poll::Ready(true)
    })
    .await
}

#[tokio::test]
async fn a_delivery_of_many_is_all_or_nothing() {
    let world = World::new();
    let bad = crate::test_world::with(message("bad", ""), Field::IMPORTANCE, Value::Text("Huge".into()));
    let refused =
        world.server.deliver_many(&john(), "inbox", vec![message("good", ""), bad], world.now).await;
    assert_eq!(refused.unwrap_err().code, "ErrorInvalidValueForProperty");
    assert_eq!(world.find(&john(), find("inbox")).await.total, 0);
    let nowhere = world.server.deliver_many(&john(), "nowhere", Vec::new(), world.now).await;
    assert_eq!(nowhere.unwrap_err().code, "ErrorFolderNotFound");
}
