//! The real thing on the real disk, killed at random moments: what it said to be on disk is there the next time.
//!
//! `MAILWEIR_KILLS` says how often; 20 times otherwise. That the power goes is simulated elsewhere: here the system lives on.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at what is wrong"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::DirEntry;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::SystemTime;

use fastrand::Rng;
use weir_spool::{Folder, Identity, Limits, Store};

const LIMITS: Limits = Limits {
    disk_bytes: 16 << 20,
    segment_bytes: 256 << 10,
    messages: 10_000,
    drafts: 100,
    body_bytes: 1 << 20,
    envelope_bytes: 1_000,
    recipients: 10,
    state_bytes: 1_000,
    damaged_bytes: 1 << 20,
};

/// What the queue has to hold, and what it may.
#[derive(Default)]
struct Known {
    /// Said to be queued.
    queued: BTreeMap<u64, String>,
    /// Said to be done.
    done: BTreeSet<u64>,
    /// Asked to be done.
    finishing: BTreeSet<u64>,
    /// Every text that was ever sent.
    sent: BTreeSet<String>,
}

#[test]
fn whatever_moment_it_is_killed_at_nothing_that_it_said_to_keep_is_lost() {
    let rounds: u64 = env::var("MAILWEIR_KILLS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(20);
    let (program, place) = (program(), tempfile::tempdir().unwrap());
    let mut known = Known::default();
    let mut unsaid = 0;
    for round in 0..rounds {
        live_and_die(&program, place.path(), round, &mut known);
        unsaid += compare(place.path(), &mut known);
    }
    println!(
        "killed {rounds} times; {} messages kept, {} done, none lost; {unsaid} kept that it had no time to say",
        known.queued.len() + known.done.len(),
        known.done.len(),
    );
    assert!(known.done.len() > 5 && known.queued.len() > 5, "it did something before it was killed");
}

/// The example. Whoever tests the whole package or the workspace has built it; for whoever runs this test alone it is built here.
fn program() -> PathBuf {
    let mut folder = env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    let program = folder.join("examples/append");
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = latest(&package.join("src")).max(latest(&package.join("examples")));
    if program.metadata().is_ok_and(|program| program.modified().unwrap() >= sources) {
        return program;
    }
    let mut build = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args([
        "build",
        "--quiet",
        "--locked",
        "--package",
        "weir-spool",
        "--example",
        "append",
        "--target-dir",
    ]);
    build.arg(folder.parent().unwrap()).current_dir(package);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    assert!(build.status().unwrap().success());
    program
}

/// When a file below `folder` was last changed.
fn latest(folder: &Path) -> SystemTime {
    let changed = |entry: DirEntry| {
        let path = entry.path();
        if path.is_dir() { latest(&path) } else { entry.metadata().unwrap().modified().unwrap() }
    };
    folder.read_dir().unwrap().map(|entry| changed(entry.unwrap())).max().unwrap()
}

/// Starts the program, gives it work, and kills it after as many answers as the round's number says at random.
fn live_and_die(program: &Path, folder: &Path, round: u64, known: &mut Known) {
    let mut chance = Rng::with_seed(round);
    let mut child = start(program, folder);
    let mut input = child.stdin.take().unwrap();
    let texts: Vec<String> = (0..400).map(|line| text(&mut chance, round, line)).collect();
    known.sent.extend(texts.iter().cloned());
    // Half of what was there is done in this round.
    let finishing: Vec<u64> = known.queued.keys().copied().filter(|_| chance.bool()).collect();
    known.finishing.extend(&finishing);
    let writer = thread::spawn(move || {
        let mut finishing = finishing.into_iter();
        for text in texts {
            let done = finishing.next().map(|id| format!("done {id}\n")).unwrap_or_default();
            if write!(input, "queue {text}\n{done}").is_err() {
                break;
            }
        }
        // Kept open, so that the program does not end by itself.
        input
    });
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..chance.u32(..300) {
        hear(&answers.next().unwrap().unwrap(), known);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What it had said already counts; half a line does not.
    for answer in
        answers.map_while(Result::ok).filter(|answer| answer.ends_with('.') || answer.starts_with("done "))
    {
        hear(&answer, known);
    }
    drop(writer.join().unwrap());
}

fn start(program: &Path, folder: &Path) -> Child {
    let mut command = Command::new(program);
    command.arg(folder).args([LIMITS.segment_bytes.to_string(), LIMITS.disk_bytes.to_string()]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// A line of up to 70 KB that no other round has, with an end that shows that it is whole.
fn text(chance: &mut Rng, round: u64, line: usize) -> String {
    let length = chance.usize(..70_000) / (1 + line % 20);
    format!("{round}/{line} {}.", "x".repeat(length))
}

fn hear(answer: &str, known: &mut Known) {
    if answer.starts_with("failed the queue is full") {
        return;
    }
    let mut words = answer.splitn(3, ' ');
    match (words.next(), words.next().map(|id| id.parse().unwrap()), words.next()) {
        (Some("queued"), Some(id), Some(text)) => {
            assert!(known.queued.insert(id, text.to_owned()).is_none(), "{id} was given twice");
        }
        (Some("done"), Some(id), None) => {
            known.queued.remove(&id);
            assert!(known.done.insert(id), "{id} was done twice");
        }
        _ => panic!("it said {answer}"),
    }
}

/// Everything that has to be there is, and nothing else; says how many there are of which nobody was told.
fn compare(folder: &Path, known: &mut Known) -> usize {
    let (mut store, recovery) =
        Store::<_, ()>::open(Folder::open(folder).unwrap(), LIMITS, Identity(1)).unwrap();
    assert_eq!(recovery.damaged_places, 0, "{recovery:?}");
    let mut found = BTreeMap::new();
    for id in store.ids_after(None, usize::MAX) {
        let mut stored = store.locate(id).unwrap().read().unwrap();
        let mut text = Vec::new();
        while let Some(piece) = stored.body.next_piece().unwrap() {
            text.extend(piece);
        }
        found.insert(id.number(), String::from_utf8(text).unwrap());
    }
    for (id, text) in &known.queued {
        let is_there = found.get(id) == Some(text);
        assert!(is_there || known.finishing.contains(id) && !found.contains_key(id), "{id} is lost");
    }
    assert!(known.done.iter().all(|id| !found.contains_key(id)), "what is done came back");
    let texts: BTreeSet<&String> = found.values().collect();
    assert!(texts.len() == found.len() && texts.iter().all(|text| known.sent.contains(*text)), "invented");
    let unsaid = found.keys().filter(|id| !known.queued.contains_key(id)).count();
    known.queued = found;
    known.finishing.clear();
    store.commit();
    unsaid
}
