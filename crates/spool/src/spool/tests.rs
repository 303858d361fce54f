use std::time::Duration;

use super::*;
use crate::disk::Simulated;

fn at(micros: i64) -> WallTime {
    WallTime::from_unix_micros(micros)
}

fn waiting(micros: i64) -> Vec<State> {
    vec![State { due: Some(at(micros)), bytes: Vec::new() }]
}

fn done() -> Vec<Change> {
    vec![Change { recipient: 0, state: State { due: None, bytes: Vec::new() } }]
}

fn start(disk: &Simulated, limits: Limits) -> Spool<crate::disk::SimulatedFile> {
    let (store, _) = Store::open(disk.clone(), limits, Identity(7)).unwrap();
    Spool::start(store).unwrap()
}

#[tokio::test]
async fn a_long_body_comes_back_as_it_was_from_a_real_disk() {
    let place = tempfile::tempdir().unwrap();
    let body: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    let (spool, _) = Spool::open(place.path(), Limits::default(), Identity(7)).unwrap();
    let mut draft = spool.draft();
    for part in body.chunks(7_777) {
        draft.write(part).await.unwrap();
    }
    let id = draft.queue(b"john".to_vec(), waiting(5)).await.unwrap();
    assert!(spool.usage().bytes > 1_200_000);
    drop(spool);
    let (spool, recovery) = Spool::open(place.path(), Limits::default(), Identity(8)).unwrap();
    assert_eq!((recovery.messages, spool.next_due().await.unwrap()), (1, Some(at(5))));
    let mut stored = spool.locate(id).await.unwrap().read().unwrap();
    let mut read = Vec::new();
    while let Some(piece) = stored.body.next_piece().unwrap() {
        read.extend(piece);
    }
    assert!(read == body);
    spool.update(id, done()).await.unwrap();
    assert!(spool.locate(id).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_share_the_disk_and_each_has_its_own_answer() {
    let disk = Simulated::new(1);
    let spool = Arc::new(start(&disk, Limits::default()));
    let before = disk.operations();
    let mut tasks = Vec::new();
    for number in 0..200_u32 {
        let spool = Arc::clone(&spool);
        tasks.push(tokio::spawn(async move {
            let mut draft = spool.draft();
            draft.write(&number.to_le_bytes()).await.unwrap();
            let id = draft.queue(number.to_le_bytes().to_vec(), waiting(0)).await.unwrap();
            let stored = spool.locate(id).await.unwrap().read().unwrap();
            assert_eq!(stored.envelope, number.to_le_bytes());
            id
        }));
    }
    let mut ids = Vec::new();
    for task in tasks {
        ids.push(task.await.unwrap());
    }
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), spool.ids_after(None, 999).await.unwrap()), (200, ids));
    assert_eq!(spool.take_due(999, at(0)).await.unwrap().len(), 200);
    assert!(disk.operations() > before);
}

#[tokio::test]
async fn a_draft_that_is_dropped_leaves_nothing_behind() {
    let spool = start(&Simulated::new(1), Limits::default());
    let mut draft = spool.draft();
    draft.write(&vec![7; 100_000]).await.unwrap();
    drop(draft);
    // The next answer says that the thread has heard of it.
    spool.draft().queue(Vec::new(), waiting(0)).await.unwrap();
    let usage = spool.usage();
    assert_eq!((usage.messages, usage.drafts), (1, 0));
    assert!(usage.bytes < 1_000, "{usage:?}");
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused_while_it_comes() {
    let limits = Limits { body_bytes: 100_000, ..Limits::default() };
    let spool = start(&Simulated::new(1), limits);
    let mut draft = spool.draft();
    let mut refused = None;
    for _ in 0..1_000 {
        // Answered, so that the thread has seen what was written.
        spool.next_due().await.unwrap();
        if let Err(error) = draft.write(&[7; 10_000]).await {
            refused = Some(error);
            break;
        }
    }
    assert!(matches!(refused, Some(SpoolError::TooLarge { limit: 100_000, .. })), "{refused:?}");
    assert!(matches!(draft.queue(Vec::new(), waiting(0)).await, Err(SpoolError::TooLarge { .. })));
    assert_eq!(spool.usage().messages, 0);
}

#[tokio::test]
async fn a_write_that_is_broken_off_spoils_the_draft_and_nothing_else() {
    let spool = start(&Simulated::new(1), Limits::default());
    let mut draft = spool.draft();
    let all = spool.commands.room(QUEUE_BYTES).await.unwrap();
    let body = vec![7; 100_000];
    let write = draft.write(&body);
    assert!(tokio::time::timeout(Duration::ZERO, write).await.is_err(), "there is no room to wait in");
    drop(all);
    assert!(matches!(draft.write(b"more").await, Err(SpoolError::Incomplete)));
    assert!(matches!(draft.queue(Vec::new(), waiting(0)).await, Err(SpoolError::Incomplete)));
    spool.draft().queue(Vec::new(), waiting(0)).await.unwrap();
}

#[tokio::test]
async fn a_spool_that_is_dropped_has_kept_what_was_asked_and_drafts_hear_that_it_is_closed() {
    let disk = Simulated::new(1);
    let spool = start(&disk, Limits::default());
    let mut draft = spool.draft();
    draft.write(&vec![7; 100_000]).await.unwrap();
    let late = spool.draft();
    let id = spool.draft().queue(Vec::new(), waiting(0)).await.unwrap();
    drop(spool);
    assert!(matches!(late.queue(Vec::new(), waiting(0)).await, Err(SpoolError::Closed)));
    drop(draft);
    assert_eq!(start(&disk, Limits::default()).ids_after(None, 9).await.unwrap(), [id]);
}

#[tokio::test]
async fn whoever_does_not_wait_for_what_is_due_leaves_it_due() {
    let spool = start(&Simulated::new(1), Limits::default());
    let id = spool.draft().queue(Vec::new(), waiting(0)).await.unwrap();
    let (answer, answered) = oneshot::channel();
    drop(answered);
    spool.commands.send(0, Command::Ask(Question::TakeDue(9, at(0), answer))).await.unwrap();
    let due = spool.take_due(9, at(0)).await.unwrap();
    assert_eq!(due, [Due { id, recipients: vec![0] }]);
    spool.remind(id, vec![0], at(3)).await.unwrap();
    assert_eq!(spool.next_due().await.unwrap(), Some(at(3)));
}

#[tokio::test]
async fn one_that_is_closed_lets_another_have_its_folder_with_all_that_was_queued() {
    let place = tempfile::tempdir().unwrap();
    let (spool, _) = Spool::open(place.path(), Limits::default(), Identity(7)).unwrap();
    let mut draft = spool.draft();
    draft.write(b"hello").await.unwrap();
    let id = draft.queue(b"envelope".to_vec(), waiting(0)).await.unwrap();
    spool.close().await;
    let (next, recovery) = Spool::open(place.path(), Limits::default(), Identity(8)).unwrap();
    assert_eq!((recovery.messages, next.identity()), (1, Identity(7)));
    assert!(matches!(spool.update(id, done()).await, Err(SpoolError::Closed)));
    next.update(id, done()).await.unwrap();
    spool.close().await;
}
