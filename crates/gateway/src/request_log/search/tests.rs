//! What is found in files that a log has written, or that somebody else has.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use tempfile::TempDir;
use weir_units::{Owner, WallTime};

use super::{Found, MOST_SLOWEST, MOST_THROTTLED, search};
use crate::request_log::Moment;

/// 2010-03-09 10:14:00 UTC.
const TEN_FOURTEEN: i64 = 1_268_129_640;
const FILE: &str = "requests-20100309.log";

fn at(seconds: i64) -> WallTime {
    WallTime::from_unix_micros((TEN_FOURTEEN + seconds) * 1_000_000)
}

/// A line of `user` that ended at `at`, took `taken` milliseconds and came to `verdict`.
fn line(at: WallTime, user: &str, taken: u64, verdict: &str) -> String {
    let query =
        format!(";RC:1;SoapAction=m:GetItem;Waited=0ms;Why=-;Policy=P;Verdict={verdict};Seq=1;Tick=0;");
    let moment = Moment(at);
    format!("{moment} 127.0.0.1 POST /EWS/Exchange.asmx {query} 443 {user} ::1 Test/1.0 200 0 0 {taken}\n")
}

fn folder(files: &[(&str, String)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn found(folder: &Path, from: i64, to: i64) -> Found {
    search(folder, &Owner::new("john@example.com"), at(from), at(to)).unwrap()
}

#[test]
fn the_requests_of_one_owner_in_a_span_are_found_with_what_became_of_them() {
    let john = |seconds, taken, verdict| line(at(seconds), "john@example.com", taken, verdict);
    let lines = [
        "#Software: Mailweir\n#Fields: date time\n".to_owned(),
        john(-1, 1, "refuse"),
        john(0, 10, "run"),
        line(at(1), "jane@example.com", 9_000, "refuse"),
        john(2, 7_500, "delay"),
        john(3, 1, "refuse"),
        john(4, 20, "would-delay"),
        "#Software: Mailweir, once more\n".to_owned(),
        john(59, 30, "would-refuse"),
        john(60, 40, "-"),
        john(61, 1, "refuse"),
    ];
    let folder = folder(&[(FILE, lines.concat()), ("requests-20100308.log", john(5, 1, "run"))]);
    let found = found(folder.path(), 0, 60);
    assert_eq!((found.requests, found.refused, found.delayed), (6, 1, 1));
    assert_eq!((found.would_refuse, found.would_delay, found.cut_off), (1, 1, false));
    let whole = |line: &String| line.trim_end().to_owned();
    assert_eq!(found.throttled, [4, 5, 6, 8].map(|place| whole(&lines[place])));
    assert_eq!(found.slowest, [4, 9, 8, 6, 2, 5].map(|place| whole(&lines[place])));
}

#[test]
fn a_span_is_found_in_a_long_file_as_if_all_of_it_was_read() {
    let mut text = String::new();
    for second in 0..20_000 {
        if second % 5_000 == 0 {
            text.push_str("#Software: Mailweir\n");
        }
        let user = if second % 3 == 0 { "john@example.com" } else { "jane@example.com" };
        text.push_str(&line(at(second), user, 1, if second % 2 == 0 { "run" } else { "delay" }));
    }
    let folder = folder(&[(FILE, text)]);
    for (from, to) in [(-60, -1), (0, 0), (0, 59), (7_777, 7_900), (19_990, 30_000), (30_000, 40_000)] {
        let inside = |second: &i64| (from..=to).contains(second) && second % 3 == 0;
        let found = found(folder.path(), from, to);
        let requests = u64::try_from((0..20_000).filter(inside).count()).unwrap();
        let delayed = (0..20_000).filter(inside).filter(|second| second % 2 == 1).count();
        assert_eq!(found.requests, requests, "from {from} to {to}");
        assert_eq!(found.throttled.len(), delayed.min(MOST_THROTTLED), "from {from} to {to}");
    }
}

#[test]
fn lines_out_of_order_by_a_moment_are_found() {
    let john = |seconds| line(at(seconds), "john@example.com", 1, "run");
    let text: String = [0, 2, 1, 4, 3, 60, 61, 59, 63, 64].map(john).concat();
    let folder = folder(&[(FILE, text)]);
    assert_eq!(found(folder.path(), 1, 59).requests, 5);
}

#[test]
fn a_span_over_midnight_is_found_in_both_files_and_their_continuations() {
    let midnight = 13 * 3_600 + 46 * 60;
    let john = |seconds| line(at(seconds), "john@example.com", 1, "run");
    let folder = folder(&[
        (FILE, john(midnight - 30)),
        ("requests-20100309-2.log", john(midnight - 20)),
        ("requests-20100310.log", john(midnight - 1) + &john(midnight + 10)),
        ("requests-20100311.log", String::new()),
        ("requests-2010.log", john(midnight)),
    ]);
    assert_eq!(found(folder.path(), midnight - 60, midnight + 60).requests, 4);
    assert_eq!(found(folder.path(), midnight - 60, midnight - 1).requests, 3);
}

#[test]
fn what_is_no_line_of_ours_is_passed_over() {
    let john = line(at(0), "john@example.com", 1, "run");
    let rubbish = [
        "\n\n1\n2010-03-09\n2010-03-09 10:14:00 \n".to_owned(),
        "x".repeat(300_000),
        "\n2010-03-09 10:14:00 a b c d john@example.com\n".to_owned(),
        john.replace("Verdict=run", "Verdict=other"),
        john.clone(),
    ];
    let folder = folder(&[(FILE, rubbish.concat())]);
    fs::write(folder.path().join("requests-20100309-2.log"), [0xff; 1_000]).unwrap();
    let found = found(folder.path(), 0, 0);
    assert_eq!((found.requests, found.throttled.len()), (2, 0));
}

#[test]
fn an_answer_has_a_bounded_number_of_lines() {
    let john = |taken| line(at(0), "john@example.com", taken, "refuse");
    let folder = folder(&[(FILE, (0..1_000).map(john).collect())]);
    let found = found(folder.path(), 0, 0);
    assert_eq!((found.requests, found.refused), (1_000, 1_000));
    assert_eq!((found.throttled.len(), found.slowest.len()), (MOST_THROTTLED, MOST_SLOWEST));
    assert!(found.slowest[0].ends_with(" 999") && found.slowest[9].ends_with(" 990"));
}

#[test]
fn a_log_that_is_not_there_is_an_error() {
    let owner = Owner::new("john@example.com");
    assert!(search(Path::new("/nowhere/at/all"), &owner, at(0), at(1)).is_err());
}

/// The same folder with its plain files compressed.
fn packed(files: &[(&str, String)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let file = fs::File::create(folder.path().join(format!("{name}.gz"))).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap();
    }
    folder
}

#[test]
fn compressed_files_are_searched_like_the_others() {
    let john = |seconds: i64| line(at(seconds), "john@example.com", 10, "refuse");
    let hour = |from: i64| (from..from + 3600).map(john).collect::<String>();
    let files = [
        (FILE, format!("#Fields: date time\n{}", hour(-3600))),
        ("requests-20100309-2.log", hour(0)),
        ("requests-20100309-3.log", hour(3600)),
    ];
    let (plain, packed) = (folder(&files), packed(&files));
    for (from, to) in [(-10, 10), (100, 200), (3590, 3700), (-4000, 8000), (9000, 9100)] {
        let expected = found(plain.path(), from, to);
        assert_eq!(found(packed.path(), from, to), expected, "from {from} to {to}");
    }
    assert_eq!(found(packed.path(), 100, 200).refused, 101);
}

#[test]
fn a_file_that_ends_too_early_is_not_unpacked() {
    let files =
        [(FILE, String::new()), ("requests-20100309-2.log", line(at(0), "john@example.com", 1, "run"))];
    let folder = packed(&files);
    let broken = folder.path().join(format!("{FILE}.gz"));
    fs::write(&broken, "no gzip").unwrap();
    assert_eq!(found(folder.path(), 5, 10).requests, 0, "the next file begins before the span");
    let owner = Owner::new("john@example.com");
    assert!(search(folder.path(), &owner, at(-5), at(10)).is_err(), "and here it does not");
}
