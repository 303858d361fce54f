use super::*;

#[test]
fn a_time_is_written_in_utc_to_the_microsecond() {
    assert_eq!(timestamp(WallTime::from_unix_micros(1_268_147_712_000_042)), "2010-03-09T15:15:12.000042Z");
    assert_eq!(timestamp(WallTime::from_unix_micros(0)), "1970-01-01T00:00:00.000000Z");
    assert_eq!(timestamp(WallTime::from_unix_micros(i64::MAX)), i64::MAX.to_string());
}

#[test]
fn a_full_file_becomes_the_older_generation() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log/events.jsonl");
    let mut journal = Journal::open(path.clone(), 10, Keep::One).unwrap();
    for word in ["one", "two", "three"] {
        journal.append(&word).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "\"three\"\n");
    let before = fs::read_to_string(directory.path().join("log/events.1.jsonl")).unwrap();
    assert_eq!(before, "\"two\"\n", "one older generation is kept, no more");
}

#[test]
fn a_line_longer_than_the_file_is_still_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.jsonl");
    let mut journal = Journal::open(path.clone(), 4, Keep::One).unwrap();
    journal.append(&"much too long").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "\"much too long\"\n");
}

#[test]
fn a_line_cut_short_by_a_crash_spoils_only_itself() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    fs::write(&path, "\"whole\"\n\"hal").unwrap();
    let mut journal = Journal::open(path.clone(), 1000, Keep::All).unwrap();
    journal.append(&"next").unwrap();
    journal.sync().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "\"whole\"\n\"hal\n\"next\"\n");
}

#[test]
fn where_nothing_may_be_lost_each_full_file_gets_the_next_number() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    // Names that only look alike are nobody's generation.
    for other in ["audit.x.jsonl", "audit.007.jsonl", "audit.9.jsonl.gz", "audits.9.jsonl"] {
        fs::write(directory.path().join(other), "\"not ours\"\n").unwrap();
    }
    for round in 0..3 {
        let mut journal = Journal::open(path.clone(), 12, Keep::All).unwrap();
        for line in 0..4 {
            journal.append(&format!("{round}{line}")).unwrap();
        }
    }
    let text: Vec<String> = generations::newest_first(&path)
        .unwrap()
        .iter()
        .rev()
        .map(|generation| fs::read_to_string(generation).unwrap())
        .collect();
    assert_eq!(text.len(), 6, "two lines of five bytes fit");
    let words: Vec<String> = (0..12).map(|at| format!("\"{}{}\"\n", at / 4, at % 4)).collect();
    assert_eq!(text.concat(), words.concat(), "in order, and none is lost");
}

#[test]
fn of_two_writers_at_the_same_time_neither_loses_a_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    let mut leaving = Journal::open(path.clone(), 8, Keep::All).unwrap();
    let mut coming = Journal::open(path.clone(), 8, Keep::All).unwrap();
    for round in 0..5 {
        leaving.append(&format!("l{round}")).unwrap();
        coming.append(&format!("c{round}")).unwrap();
    }
    let text: String = generations::newest_first(&path)
        .unwrap()
        .iter()
        .map(|generation| fs::read_to_string(generation).unwrap())
        .collect();
    assert_eq!(text.lines().count(), 10, "{text}");
}

#[cfg(unix)]
#[test]
fn a_full_file_that_cannot_be_set_aside_grows_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log/events.jsonl");
    let mut journal = Journal::open(path.clone(), 4, Keep::One).unwrap();
    // A folder that is not empty stands where the older generation belongs.
    fs::create_dir_all(directory.path().join("log/events.1.jsonl/full")).unwrap();
    for word in ["one", "two"] {
        journal.append(&word).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "\"one\"\n\"two\"\n");
}
