//! Threads, and what is spread over them.

use std::collections::BTreeMap;
use std::thread::{self, ThreadId};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Workers;

#[tokio::test]
async fn connections_are_spread_evenly_and_stay_on_their_threads() {
    let workers = Workers::start(3).unwrap();
    let mut connections = JoinSet::new();
    let (began, mut beginnings) = mpsc::unbounded_channel();
    let (go_on, gone_on) = watch::channel(false);
    for _ in 0..9 {
        let (began, mut gone_on) = (began.clone(), gone_on.clone());
        workers.spawn(&mut connections, |load| async move {
            let _load = load;
            let first = thread::current().id();
            began.send(first).unwrap();
            let _ = gone_on.wait_for(|on| *on).await;
            let nested = tokio::spawn(async { thread::current().id() }).await.unwrap();
            assert_eq!((first, first), (nested, thread::current().id()));
        });
    }
    let mut each: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..9 {
        let thread: ThreadId = beginnings.recv().await.unwrap();
        *each.entry(format!("{thread:?}")).or_default() += 1;
    }
    assert_eq!(each.into_values().collect::<Vec<_>>(), [3, 3, 3]);
    go_on.send_replace(true);
    while let Some(ended) = connections.join_next().await {
        ended.unwrap();
    }
}

#[tokio::test]
async fn who_drops_the_workers_cuts_off_what_runs_there() {
    let workers = Workers::start(1).unwrap();
    let mut connections = JoinSet::new();
    workers.spawn(&mut connections, |_load| std::future::pending());
    drop(workers);
    assert!(connections.join_next().await.unwrap().unwrap_err().is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_hangs_does_not_answer() {
    let workers = Workers::start(2).unwrap();
    let threads = workers.threads();
    threads.answer().await;
    let mut connections = JoinSet::new();
    let (go_on, gone_on) = std::sync::mpsc::channel::<()>();
    workers.spawn(&mut connections, |_load| async move {
        let _ = gone_on.recv();
    });
    assert!(timeout(Duration::from_mins(1), threads.answer()).await.is_err());
    drop(go_on);
    threads.answer().await;
    drop(workers);
    threads.answer().await;
}
