use std::io::Cursor;

use weir_units::Component;

use super::{Log, TROUBLES_MAX};
use crate::format::Format;
use crate::source::Lines;

fn log(format: Format, files: &[String]) -> Log {
    Log::new(
        format,
        files.iter().map(|file| Lines::of(Cursor::new(file.clone().into_bytes())).unwrap()).collect(),
    )
}

/// What is left of a line of ours where only times matter: when it was written, how long it took, when it arrived.
fn line(time: &str, taken: u64, tick: u64, user: &str) -> String {
    format!(
        "2026-11-30 {time} - POST /EWS/x Verdict=run;Tick={tick};Saw=held; 80 {user} - - 200 0 0 {taken}\n"
    )
}

fn users(log: &mut Log) -> Vec<String> {
    std::iter::from_fn(|| {
        let record = log.read()?;
        Some(log.names().text(record.owner).to_owned())
    })
    .collect()
}

#[test]
fn calls_come_as_they_arrived_and_not_as_they_ended() {
    let file = [
        line("10:00:01", 200, 1_000_000, "b"),
        line("10:00:09", 9000, 200_000, "a"),
        line("10:00:09", 10, 9_000_000, "c"),
    ];
    assert_eq!(users(&mut log(Format::Mailweir, &[file.concat()])), ["a", "b", "c"]);
}

#[test]
fn files_are_read_as_one_whatever_their_order_and_whether_they_overlap() {
    let old = line("10:00:01", 0, 1_000_000, "a") + &line("10:00:03", 0, 3_000_000, "c");
    let new = line("10:00:05", 0, 5_000_000, "e");
    // Another server's clock began at another time.
    let other = line("10:00:02", 0, 702_000_000, "b") + &line("10:00:04", 0, 704_000_000, "d");
    assert_eq!(users(&mut log(Format::Mailweir, &[new, old, other])), ["a", "b", "c", "d", "e"]);
}

#[test]
fn within_a_second_the_ticks_decide() {
    let file: String = [5, 3, 9, 1].map(|at| line("10:00:01", 0, 1_000_000 + at, &at.to_string())).concat();
    assert_eq!(users(&mut log(Format::Mailweir, &[file])), ["1", "3", "5", "9"]);
}

#[test]
fn what_is_not_understood_is_counted_and_the_first_few_are_named() {
    let mut file = "#Fields: time date\n10:00:01 2026-11-30\n".to_owned();
    file.push_str(&"nonsense\n".repeat(25));
    file.push_str("10:00:02 2026-11-30\n");
    let mut log = log(Format::Iis, &["#Fields: x\n".to_owned(), file]);
    assert_eq!(users(&mut log).len(), 2);
    let reading = log.reading();
    assert_eq!((reading.lines, reading.calls, reading.malformed), (29, 2, 25));
    assert_eq!(reading.troubles.len(), TROUBLES_MAX);
    assert_eq!((reading.troubles[0].file, reading.troubles[0].line), (1, 3));
}

#[test]
fn bytes_that_are_no_text_harm_nobody() {
    let mut file = line("10:00:01", 0, 1, "a").into_bytes();
    file.extend_from_slice(b"\xff\xfe\n");
    file.extend_from_slice(line("10:00:02", 0, 2, "b").as_bytes());
    let mut log = Log::new(Format::Mailweir, vec![Lines::of(Cursor::new(file)).unwrap()]);
    assert_eq!(users(&mut log), ["a", "b"]);
    assert_eq!(log.reading().malformed, 1);
}

#[test]
fn one_person_is_one_owner_whatever_the_case_and_a_client_without_a_name_is_its_address() {
    let file = line("10:00:01", 0, 1, "John")
        + &line("10:00:02", 0, 2, "JOHN")
        + &line("10:00:03", 0, 3, "-").replace("80 - -", "80 - 192.0.2.7");
    let mut log = log(Format::Mailweir, &[file]);
    assert_eq!(users(&mut log), ["john", "john", "192.0.2.7"]);
}

#[test]
fn a_call_that_took_longer_than_anybody_waits_for_it_counts_from_where_the_others_are() {
    let file: String =
        (0..20).map(|minute| line(&format!("10:{minute:02}:00"), 0, minute * 60_000_000, "a")).collect();
    let file = file + &line("10:19:30", 1_170_000, 0, "long");
    let mut log = log(Format::Mailweir, &[file]);
    let mut last = weir_units::WallTime::default();
    while let Some(record) = log.read() {
        assert!(record.arrived >= last);
        assert_eq!(record.component, Some(Component::Ews));
        last = record.arrived;
    }
    assert_eq!(log.reading().late, 1);
}

#[test]
fn a_verdict_that_does_not_follow_from_its_line_is_found() {
    let good = "2026-11-30 10:00:01 - POST /EWS/x Init>>CAS:54000/0/0%;Why=PercentTimeInCAS;Verdict=refuse;Tick=1;\
        Saw=held,MaxConcurrency:0/10,turn:refuse:0:CAS=54000000/54000000@5; 80 john - - 500 0 0 1\n";
    let log_of = |text: &str| {
        let mut log = log(Format::Mailweir, &["# nothing\n".to_owned() + text]);
        assert_eq!(users(&mut log).len(), 1, "{text}");
        log.replay().clone()
    };
    assert_eq!((log_of(good).compared, log_of(good).differing), (1, 0));
    for (from, to) in [
        ("Verdict=refuse", "Verdict=run"),
        ("Verdict=refuse", "Verdict=delay"),
        ("Why=PercentTimeInCAS", "Why=PercentTimeInAD"),
        ("Why=PercentTimeInCAS", "Why=-"),
        ("MaxConcurrency:0/10,turn:refuse:0:CAS=54000000", "MaxConcurrency:0/10,turn:refuse:0:CAS=53999999"),
        ("turn:refuse:0", "turn:delay:0"),
        ("Saw=held", "Saw=observed"),
        ("/54000000@5", "/54000001@5"),
        ("CAS:54000/", "CAS:55000/"),
        (",turn:refuse:0:CAS=54000000/54000000@5", ""),
    ] {
        assert!(good.contains(from), "{from}");
        let replay = log_of(&good.replace(from, to));
        assert_eq!((replay.compared, replay.differing), (1, 1), "{from} to {to}");
        assert_eq!((replay.differences[0].file, replay.differences[0].line), (0, 2));
    }
}
