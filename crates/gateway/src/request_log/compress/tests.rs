use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use flate2::read::GzDecoder;
use tempfile::TempDir;

use super::{Desk, Form, Packer, Work, files};
use crate::request_log::day::FileName;

fn name(text: &str) -> FileName {
    FileName::parse(text).unwrap()
}

fn work(directory: &Path) -> Work {
    Work { directory: directory.to_owned(), desk: Arc::<Desk>::default() }
}

/// A folder with these files, whose text is their name.
fn folder(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        fs::write(folder.path().join(name), name.as_bytes()).unwrap();
    }
    folder
}

#[track_caller]
fn has(folder: &TempDir, expected: &[&str]) {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, expected);
}

fn unpacked(folder: &TempDir, name: &str) -> String {
    let mut text = String::new();
    GzDecoder::new(File::open(folder.path().join(name)).unwrap()).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn files_before_the_current_one_are_packed_and_no_others() {
    let folder = folder(&[
        "requests-20100307.log",
        "requests-20100309.log",
        "requests-20100309-2.log",
        "requests-20100310.log",
        "events.jsonl",
    ]);
    let packer = Packer::start(folder.path()).unwrap();
    packer.closed_before(name("requests-20100309-2.log"));
    packer.wait();
    has(
        &folder,
        &[
            "events.jsonl",
            "requests-20100307.log.gz",
            "requests-20100309-2.log",
            "requests-20100309.log.gz",
            "requests-20100310.log",
        ],
    );
    assert_eq!(unpacked(&folder, "requests-20100307.log.gz"), "requests-20100307.log");
    packer.closed_before(name("requests-20100311.log"));
    packer.wait();
    assert_eq!(unpacked(&folder, "requests-20100309-2.log.gz"), "requests-20100309-2.log");
}

#[test]
fn a_packed_file_keeps_the_time_and_the_permissions_of_its_lines() {
    let folder = folder(&["requests-20100307.log"]);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_268_000_000);
    let plain = File::options().write(true).open(folder.path().join("requests-20100307.log")).unwrap();
    plain.set_modified(long_ago).unwrap();
    let mut only_us = plain.metadata().unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut only_us, 0o600);
    plain.set_permissions(only_us.clone()).unwrap();
    work(folder.path()).pack(name("requests-20100307.log")).unwrap();
    let about = fs::metadata(folder.path().join("requests-20100307.log.gz")).unwrap();
    assert_eq!(
        (about.modified().unwrap(), about.permissions()),
        (long_ago, {
            std::os::unix::fs::PermissionsExt::set_mode(&mut only_us, 0o100_600);
            only_us
        })
    );
}

#[test]
fn what_a_crash_left_half_packed_is_packed_again() {
    let half = folder(&["requests-20100307.log", "requests-20100307.log.gz.part"]);
    let both = folder(&["requests-20100307.log", "requests-20100307.log.gz"]);
    for folder in [half, both] {
        work(folder.path()).pack_before(name("requests-20100308.log"));
        has(&folder, &["requests-20100307.log.gz"]);
        assert_eq!(unpacked(&folder, "requests-20100307.log.gz"), "requests-20100307.log");
    }
}

#[test]
fn a_file_that_somebody_still_writes_is_left_alone() {
    let folder = folder(&["requests-20100307.log"]);
    let writer = File::open(folder.path().join("requests-20100307.log")).unwrap();
    writer.lock_shared().unwrap();
    work(folder.path()).pack_before(name("requests-20100308.log"));
    has(&folder, &["requests-20100307.log"]);
    drop(writer);
    work(folder.path()).pack_before(name("requests-20100308.log"));
    has(&folder, &["requests-20100307.log.gz"]);
}

#[test]
fn a_log_that_is_closed_leaves_the_plain_file_and_nothing_half_done() {
    let folder = folder(&["requests-20100307.log"]);
    let work = work(folder.path());
    work.desk.change(|orders| orders.stop = true);
    work.pack(name("requests-20100307.log")).unwrap();
    has(&folder, &["requests-20100307.log"]);
    drop(Packer::start(folder.path()).unwrap());
}

#[test]
fn a_file_that_cannot_be_packed_stays_and_the_next_one_is_packed() {
    let folder = folder(&["requests-20100307.log", "requests-20100308.log"]);
    fs::create_dir(folder.path().join("requests-20100307.log.gz.part")).unwrap();
    work(folder.path()).pack_before(name("requests-20100309.log"));
    has(&folder, &["requests-20100307.log", "requests-20100307.log.gz.part", "requests-20100308.log.gz"]);
}

#[test]
fn files_are_known_in_every_form_and_others_are_not_ours() {
    let folder = folder(&[
        "requests-20100307.log",
        "requests-20100307-2.log.gz",
        "requests-20100307-3.log.gz.part",
        "requests-20100307.log.bz2",
        "CONNECTLOG20100307-1.log",
    ]);
    let mut found = files(folder.path()).unwrap();
    found.sort_by_key(|(name, _)| *name);
    assert_eq!(
        found,
        [
            (name("requests-20100307.log"), Form::Plain),
            (name("requests-20100307-2.log"), Form::Packed),
            (name("requests-20100307-3.log"), Form::Unfinished),
        ]
    );
}
