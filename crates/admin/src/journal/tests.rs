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
    let mut journal = Journal::open(path.clone(), Some(10)).unwrap();
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
    let mut journal = Journal::open(path.clone(), Some(4)).unwrap();
    journal.append(&"much too long").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "\"much too long\"\n");
}

#[test]
fn a_line_cut_short_by_a_crash_spoils_only_itself() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    fs::write(&path, "\"whole\"\n\"hal").unwrap();
    let mut journal = Journal::open(path.clone(), None).unwrap();
    journal.append(&"next").unwrap();
    journal.sync().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "\"whole\"\n\"hal\n\"next\"\n");
}
