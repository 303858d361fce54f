use super::*;

#[test]
fn a_name_is_read_as_it_is_written_and_later_files_are_greater() {
    let names = [
        "CONNECTLOG20101231-9.log",
        "CONNECTLOG20110201-1.log",
        "CONNECTLOG20110201-2.log",
        "CONNECTLOG20110201-10.log",
    ];
    let read = names.map(|name| name.parse::<FileName>().unwrap());
    assert_eq!(read.map(|name| name.to_string()), names);
    assert!(read.is_sorted());
}

#[test]
fn other_files_are_left_alone() {
    for name in [
        "",
        "CONNECTLOG20110201-1.log.gz",
        "CONNECTLOG20110201.log",
        "CONNECTLOG20111301-1.log",
        "CONNECTLOG20110201-0.log",
        "CONNECTLOG20110201-+1.log",
        "CONNECTLOG2011021-1.log",
        "CONNECTLOG20110201-.log",
        "CONNECTLOG20110201-99999999999.log",
        "requests-20110201.log",
    ] {
        assert_eq!(name.parse::<FileName>(), Err(NotALogFile), "{name}");
    }
}

#[test]
fn a_day_begins_at_midnight_utc() {
    let first = |micros| FileName::first_of(WallTime::from_unix_micros(micros)).to_string();
    assert_eq!(first(1_296_604_799_999_999), "CONNECTLOG20110201-1.log");
    assert_eq!(first(1_296_604_800_000_000), "CONNECTLOG20110202-1.log");
}
