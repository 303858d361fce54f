use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use weir_throttle::{Evidence, Manner};
use weir_units::{Component, Micros, Tick, WallTime};

use super::{LogSettings, RequestLog};
use crate::request_log::{CallFields, Counted, FIELDS, Line, OwnFields, RequestId, Verdict};

const DAY: u64 = 86_400_000_000;

static RUNS: Evidence = Evidence::new(Manner::Held);

/// 2010-03-09 23:59:00.
const LATE: WallTime = WallTime::from_unix_micros(1_268_179_140_000_000);

fn line(user: &str, at: WallTime) -> Line<'_, &'static str> {
    Line {
        at,
        server: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 8080,
        method: "POST",
        path: "/EWS/Exchange.asmx",
        user: Some(user),
        client: IpAddr::V4(Ipv4Addr::new(203, 0, 113, 77)),
        user_agent: None,
        status: 200,
        taken: Micros::ZERO,
        call: CallFields {
            id: RequestId::from_bytes([7; 16]),
            init: Some("Conn:0"),
            end: Some("Conn:1"),
            operation: None,
            rpc: Counted::default(),
            ldap: Counted::default(),
            elapsed: Micros::ZERO,
        },
        own: OwnFields {
            waited: Micros::ZERO,
            queued: Micros::ZERO,
            why: None,
            policy: None,
            verdict: Verdict::Run,
            sequence: 0,
            tick: Tick::START,
            component: Some(Component::Ews),
            cost: [0, 17_093_250, 0, 15_020].map(Micros::new),
            found: None,
            evidence: &RUNS,
        },
    }
}

/// Closed files stay as they are.
fn plain() -> LogSettings {
    LogSettings { compress: false, ..LogSettings::default() }
}

fn days(count: u64) -> Micros {
    Micros::new(DAY * count)
}

/// The names of the files in the log's directory.
fn names(directory: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(directory).unwrap().map(name).collect();
    names.sort();
    names
}

/// Who did the requests that are logged in one file, in its order.
fn users(directory: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(directory.join(name)).unwrap();
    assert!(text.ends_with('\n'));
    let column = |line: &str| line.split(' ').nth(7).unwrap().to_owned();
    text.lines().filter(|line| !line.starts_with('#') && !line.starts_with("half")).map(column).collect()
}

#[test]
fn what_was_written_is_in_the_file_of_its_day_after_closing() {
    let directory = TempDir::new().unwrap();
    let log = RequestLog::open(&directory.path().join("log"), LogSettings::default(), LATE).unwrap();
    for user in ["john", "jane"] {
        log.write(line(user, LATE));
    }
    log.close();
    log.write(line("late", LATE));
    let text = fs::read_to_string(directory.path().join("log/requests-20100309.log")).unwrap();
    let head = format!(
        "#Software: Mailweir {}\n#Version: 1.0\n#Date: 2010-03-09 23:59:00\n#Fields: {FIELDS}\n",
        env!("CARGO_PKG_VERSION")
    );
    assert!(text.starts_with(&head), "{text}");
    assert_eq!(
        text.lines().skip(4).map(|line| line.split(' ').nth(7).unwrap()).collect::<Vec<_>>(),
        ["john", "jane"]
    );
    assert!(text.contains(" 203.0.113.77 "));
    assert_eq!(log.dropped(), 1, "the one after closing");
}

#[test]
fn a_line_is_in_the_file_without_closing() {
    let directory = TempDir::new().unwrap();
    let log = RequestLog::open(directory.path(), LogSettings::default(), LATE).unwrap();
    log.write(line("john", LATE));
    let path = directory.path().join("requests-20100309.log");
    while !fs::read_to_string(&path).unwrap().contains(" john ") {
        std::thread::yield_now();
    }
}

#[test]
fn clients_can_be_logged_without_the_part_that_tells_neighbours_apart() {
    let directory = TempDir::new().unwrap();
    let settings = LogSettings { anonymise_addresses: true, ..LogSettings::default() };
    let log = RequestLog::open(directory.path(), settings, LATE).unwrap();
    log.write(line("john", LATE));
    let other_logs = log.logged(IpAddr::V4(Ipv4Addr::new(203, 0, 113, 77)));
    assert_eq!(other_logs, IpAddr::V4(Ipv4Addr::new(203, 0, 113, 0)));
    log.close();
    let text = fs::read_to_string(directory.path().join("requests-20100309.log")).unwrap();
    assert!(text.contains(" 203.0.113.0 ") && !text.contains("203.0.113.77"));
}

#[test]
fn each_day_has_its_file_and_a_late_line_goes_with_the_others() {
    let directory = TempDir::new().unwrap();
    let log = RequestLog::open(directory.path(), plain(), LATE).unwrap();
    let next = LATE.plus(Micros::MINUTE);
    for (user, at) in [("a", LATE), ("b", next), ("late", LATE), ("c", next)] {
        log.write(line(user, at));
    }
    log.close();
    assert_eq!(users(directory.path(), "requests-20100309.log"), ["a"]);
    assert_eq!(users(directory.path(), "requests-20100310.log"), ["b", "late", "c"]);
}

#[test]
fn a_corrected_clock_goes_back_to_the_right_file() {
    let directory = TempDir::new().unwrap();
    let log = RequestLog::open(directory.path(), plain(), LATE).unwrap();
    for (user, at) in [("a", LATE), ("wrong", LATE.plus(days(20))), ("b", LATE)] {
        log.write(line(user, at));
    }
    log.close();
    assert_eq!(users(directory.path(), "requests-20100309.log"), ["a", "b"]);
    assert_eq!(users(directory.path(), "requests-20100329.log"), ["wrong"]);
}

#[test]
fn files_are_kept_as_long_as_their_last_line_is_young_enough() {
    let directory = TempDir::new().unwrap();
    for name in ["requests-20100305.log", "requests-20100306.log", "requests-20100306-2.log", "other.log"] {
        fs::write(directory.path().join(name), "").unwrap();
    }
    let keep = Duration::from_hours(3 * 24);
    let log = RequestLog::open(directory.path(), LogSettings { keep, ..plain() }, LATE).unwrap();
    let kept = ["other.log", "requests-20100306-2.log", "requests-20100306.log", "requests-20100309.log"];
    assert_eq!(names(directory.path()), kept);
    log.write(line("next day", LATE.plus(days(1))));
    log.close();
    assert_eq!(names(directory.path()), ["other.log", "requests-20100309.log", "requests-20100310.log"]);
}

#[test]
fn a_file_that_is_long_enough_is_followed_by_another() {
    let directory = TempDir::new().unwrap();
    let settings = LogSettings { file_bytes: 1, ..plain() };
    for user in ["a", "b", "c"] {
        let log = RequestLog::open(directory.path(), settings, LATE).unwrap();
        log.write(line(user, LATE));
        log.close();
    }
    assert_eq!(
        names(directory.path()),
        [
            "requests-20100309-2.log",
            "requests-20100309-3.log",
            "requests-20100309-4.log",
            "requests-20100309.log"
        ]
    );
    assert_eq!(users(directory.path(), "requests-20100309-4.log"), ["c"]);
}

#[test]
fn compressed_files_are_kept_as_long_as_the_others() {
    let directory = TempDir::new().unwrap();
    for name in ["requests-20100305.log.gz", "requests-20100305-2.log.gz.part", "requests-20100306.log.gz"] {
        fs::write(directory.path().join(name), "").unwrap();
    }
    let keep = Duration::from_hours(3 * 24);
    drop(RequestLog::open(directory.path(), LogSettings { keep, ..plain() }, LATE).unwrap());
    assert_eq!(names(directory.path()), ["requests-20100306.log.gz", "requests-20100309.log"]);
}

#[test]
fn a_day_whose_file_is_compressed_goes_on_in_another() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("requests-20100309.log.gz"), "packed").unwrap();
    for settings in [LogSettings::default(), plain()] {
        let log = RequestLog::open(directory.path(), settings, LATE).unwrap();
        log.write(line("john", LATE));
    }
    assert_eq!(names(directory.path()), ["requests-20100309-2.log", "requests-20100309.log.gz"]);
    assert_eq!(users(directory.path(), "requests-20100309-2.log"), ["john", "john"]);
}

#[test]
fn a_clock_that_goes_back_never_opens_a_file_that_may_be_being_compressed() {
    let directory = TempDir::new().unwrap();
    let log = RequestLog::open(directory.path(), LogSettings::default(), LATE).unwrap();
    for (user, at) in [("a", LATE), ("wrong", LATE.plus(days(20))), ("b", LATE)] {
        log.write(line(user, at));
    }
    log.close();
    assert_eq!(users(directory.path(), "requests-20100309-2.log"), ["b"]);
}

#[test]
fn a_file_that_is_being_compressed_by_another_server_is_not_gone_on_with() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("requests-20100309.log");
    fs::write(&path, "").unwrap();
    let packing = fs::File::open(&path).unwrap();
    packing.try_lock().unwrap();
    let log = RequestLog::open(directory.path(), LogSettings::default(), LATE).unwrap();
    log.write(line("john", LATE));
    log.close();
    assert_eq!(users(directory.path(), "requests-20100309-2.log"), ["john"]);
}

#[test]
fn a_restart_goes_on_in_the_same_file_on_a_line_of_its_own() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("requests-20100309.log"), "half a li").unwrap();
    let log = RequestLog::open(directory.path(), LogSettings::default(), LATE).unwrap();
    log.write(line("john", LATE));
    log.close();
    assert_eq!(users(directory.path(), "requests-20100309.log"), ["john"]);
    let text = fs::read_to_string(directory.path().join("requests-20100309.log")).unwrap();
    assert!(text.starts_with("half a li\n#Software"), "{text}");
}

#[test]
fn a_file_that_was_moved_away_is_begun_again() {
    let directory = TempDir::new().unwrap();
    let log = RequestLog::open(directory.path(), LogSettings::default(), LATE).unwrap();
    fs::rename(directory.path().join("requests-20100309.log"), directory.path().join("moved.txt")).unwrap();
    log.write(line("john", LATE));
    log.close();
    assert_eq!(users(directory.path(), "requests-20100309.log"), ["john"]);
}

#[test]
fn a_directory_that_cannot_be_made_is_an_error_that_says_so() {
    let directory = TempDir::new().unwrap();
    let in_the_way = directory.path().join("log");
    fs::write(&in_the_way, "").unwrap();
    let error = RequestLog::open(&in_the_way, LogSettings::default(), LATE).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("cannot write the request log in {}", in_the_way.display())),
        "{error}"
    );
}

#[test]
fn a_full_queue_drops_and_counts_and_never_waits() {
    let directory = TempDir::new().unwrap();
    let settings = LogSettings { queue: 0, ..LogSettings::default() };
    let log = RequestLog::open(directory.path(), settings, LATE).unwrap();
    for _ in 0..1000 {
        log.write(line("john", LATE));
    }
    assert_eq!(log.dropped(), 1000);
}

#[test]
fn a_disk_that_fails_to_the_end_costs_lines_and_nothing_else() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("log");
    let log = RequestLog::open(&path, LogSettings::default(), LATE).unwrap();
    fs::remove_dir_all(&path).unwrap();
    log.write(line("john", LATE));
    log.write(line("jane", LATE));
    log.close();
    assert_eq!(log.dropped(), 2);
}

#[test]
fn a_disk_that_works_again_gets_every_line() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("log");
    let log = RequestLog::open(&path, LogSettings::default(), LATE).unwrap();
    fs::remove_dir_all(&path).unwrap();
    log.write(line("john", LATE));
    fs::create_dir(&path).unwrap();
    log.write(line("jane", LATE));
    log.close();
    assert_eq!(users(&path, "requests-20100309.log"), ["john", "jane"]);
    assert_eq!(log.dropped(), 0);
}

#[test]
fn lines_of_many_threads_stay_whole() {
    let directory = TempDir::new().unwrap();
    let log = RequestLog::open(directory.path(), LogSettings::default(), LATE).unwrap();
    std::thread::scope(|scope| {
        for user in ["a", "b", "c", "d"] {
            scope.spawn(|| (0..200).for_each(|_| log.write(line(user, LATE))));
        }
    });
    log.close();
    let users = users(directory.path(), "requests-20100309.log");
    assert_eq!(users.len(), 800);
    assert!(users.iter().all(|user| user.len() == 1));
}
