//! What it costs to keep a message, on the disk that has the target directory.
//!
//! `cargo bench -p weir-spool`
//!
//! Messages of 1 KiB come from one and from 32 who each wait until theirs is on disk; beside them the same bytes are
//! appended to a file and synced one by one, which is what the disk can do. Then 100,000 messages are read again, as after
//! a crash, and what they take in memory is printed.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark measures real time, and stops at the first thing that is not as it should be"
)]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use weir_spool::{Change, Folder, Identity, Limits, MessageId, Spool, State, Store};
use weir_units::WallTime;

const BODY: [u8; 1 << 10] = [7; 1 << 10];
const MESSAGES: u32 = 100_000;

fn place() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn open(path: &Path) -> Spool {
    Spool::open(path, Limits::default(), Identity(1)).unwrap().0
}

fn recipients() -> Vec<State> {
    vec![State { due: Some(WallTime::from_unix_micros(0)), bytes: b"jane@example.com".to_vec() }]
}

async fn queue(spool: &Spool) -> MessageId {
    let mut draft = spool.draft();
    draft.write(&BODY).await.unwrap();
    draft.queue(b"john@example.com".to_vec(), recipients()).await.unwrap()
}

async fn queue_and_finish(spool: &Spool) {
    let id = queue(spool).await;
    let done = Change { recipient: 0, state: State { due: None, bytes: b"250".to_vec() } };
    spool.update(id, vec![done]).await.unwrap();
}

/// The time in which `messages` messages are through, from `callers` at once.
fn timed<F>(
    runtime: &Runtime,
    callers: u64,
    messages: u64,
    spool: &Arc<Spool>,
    one: fn(Arc<Spool>) -> F,
) -> Duration
where
    F: Future<Output = ()> + Send + 'static,
{
    let start = Instant::now();
    let caller = |number| {
        let (spool, own) = (Arc::clone(spool), messages / callers + u64::from(number < messages % callers));
        runtime.spawn(async move {
            for _ in 0..own {
                one(Arc::clone(&spool)).await;
            }
        })
    };
    let tasks: Vec<_> = (0..callers).map(caller).collect();
    runtime.block_on(async {
        for task in tasks {
            task.await.unwrap();
        }
    });
    start.elapsed()
}

fn keep(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let mut group = criterion.benchmark_group("kept messages of 1 KiB");
    group.throughput(Throughput::Elements(1)).sample_size(10).measurement_time(Duration::from_secs(8));
    group.bench_function("a file that is synced for each", |bencher| {
        let place = place();
        let mut file = File::create(place.path().join("file")).unwrap();
        bencher.iter(|| file.write_all(&BODY).and_then(|()| file.sync_data()).unwrap());
    });
    for callers in [1, 32, 256] {
        let place = place();
        let spool = Arc::new(open(place.path()));
        group.bench_function(format!("from {callers}"), |bencher| {
            bencher.iter_custom(|messages| {
                timed(&runtime, callers, messages, &spool, |spool| async move {
                    queue_and_finish(&spool).await;
                }) / 2
            });
        });
    }
    group.finish();
}

/// A folder with a hundred thousand messages.
fn filled() -> (TempDir, PathBuf) {
    let place = place();
    let path = place.path().join("spool");
    let (mut store, _) = Store::open(Folder::open(&path).unwrap(), Limits::default(), Identity(1)).unwrap();
    for number in 0..MESSAGES {
        store.queue(0, &BODY, b"john@example.com", &recipients(), number);
        if number % 1_000 == 0 {
            store.commit();
        }
    }
    store.commit();
    assert!(store.take_results().iter().all(|(_, result)| result.is_ok()));
    (place, path)
}

fn recover(criterion: &mut Criterion) {
    let (_place, path) = filled();
    let open =
        || Store::<_, u32>::open(Folder::open(&path).unwrap(), Limits::default(), Identity(1)).unwrap();
    let mut kept = None;
    let measured = allocation_counter::measure(|| kept = Some(open()));
    let bytes = measured.bytes_current / i64::from(MESSAGES);
    println!("{MESSAGES} messages with one recipient take {bytes} bytes of memory each");
    drop(kept);
    let mut group = criterion.benchmark_group("read again");
    group.sample_size(10).bench_function("100,000 messages", |bencher| bencher.iter(|| drop(open())));
    group.finish();
}

criterion_group!(benches, keep, recover);
criterion_main!(benches);
