//! Puts lines from standard input into a spool, and says on standard output what is on disk.
//!
//! `cargo run -p weir-spool --example append -- FOLDER [SEGMENT_BYTES DISK_BYTES]`
//!
//! | line in | line out, once it is on disk |
//! |---|---|
//! | `queue TEXT` | `queued ID TEXT` |
//! | `done ID` | `done ID` |
//! | either | `failed REASON` |
//!
//! Many lines are under way at once, and their answers come in any order.

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use weir_spool::{Change, Identity, Limits, MessageId, Spool, State};
use weir_units::WallTime;

/// Lines that are under way at once.
const AT_ONCE: usize = 32;

/// What a program says when it cannot go on.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: append FOLDER [SEGMENT_BYTES DISK_BYTES]")?;
    let mut limits = Limits::default();
    if let (Some(segment), Some(disk)) = (arguments.next(), arguments.next()) {
        (limits.segment_bytes, limits.disk_bytes) = (segment.parse()?, disk.parse()?);
    }
    // A program that is not an example draws it at random.
    let (spool, recovery) = Spool::open(Path::new(&folder), limits, Identity(0xe8a1))?;
    eprintln!("{recovery:?}");
    let runtime = Builder::new_multi_thread().worker_threads(2).build()?;
    let (spool, places) = (Arc::new(spool), Arc::new(Semaphore::new(AT_ONCE)));
    for line in io::stdin().lock().lines() {
        let (line, spool) = (line?, Arc::clone(&spool));
        let place = runtime.block_on(Arc::clone(&places).acquire_owned())?;
        runtime.spawn(async move {
            match carry_out(&spool, &line).await {
                Ok(answer) => say(&answer),
                Err(error) => say(&format!("failed {error}")),
            }
            drop(place);
        });
    }
    let all = u32::try_from(AT_ONCE)?;
    drop(runtime.block_on(places.acquire_many(all))?);
    Ok(())
}

async fn carry_out(spool: &Spool, line: &str) -> Result<String, Failure> {
    if let Some(text) = line.strip_prefix("queue ") {
        let mut draft = spool.draft();
        draft.write(text.as_bytes()).await?;
        let due = State { due: Some(WallTime::from_unix_micros(0)), bytes: Vec::new() };
        let id = draft.queue(Vec::new(), vec![due]).await?;
        return Ok(format!("queued {id} {text}"));
    }
    let id = line.strip_prefix("done ").ok_or("a line begins with queue or done")?;
    let done = Change { recipient: 0, state: State { due: None, bytes: Vec::new() } };
    spool.update(MessageId::new(id.parse()?), vec![done]).await?;
    Ok(format!("done {id}"))
}

/// One call for the whole line: it is out, or it is not.
fn say(answer: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
        eprintln!("nobody reads the answers");
    }
}
