use std::path::Path;
use std::sync::Arc;

use weir_clock::Clock;
use weir_transport::connectivity::{Description, Direction, Line, RotationSettings, Source};
use weir_units::{Micros, WallTime};

use super::ConnectivityLog;
use super::files::Files;
use super::queue::{Batch, LINES_MAX, Queue};
use super::writer::Writer;

const DAY: Micros = Micros::MINUTE.times(60 * 24);

/// Noon of 2011-02-01.
fn noon() -> WallTime {
    WallTime::from_unix_micros(1_296_561_600_000_000)
}

fn line(clock: weir_transport::connectivity::Clock, session: u64) -> Line<'static> {
    let description = Description::Wanted("DnsConnectorDelivery");
    let direction = Direction::Connect;
    Line { at: clock.wall, session, source: Source::Smtp, destination: "pool.test", direction, description }
}

fn batch(lines: &[(WallTime, &str)], dropped: u64) -> Batch {
    Batch { lines: lines.iter().map(|(at, line)| (*at, (*line).to_owned())).collect(), dropped }
}

/// Names and contents of the files, without the five lines of the head.
fn files_of(directory: &Path) -> Vec<(String, String)> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = std::fs::read_dir(directory).unwrap().map(name).collect();
    names.sort();
    let content = |name: String| {
        let text = std::fs::read_to_string(directory.join(&name)).unwrap();
        assert!(text.starts_with("#Software: Mailweir\r\n#Version: "), "{text}");
        (name, text.split_inclusive('\n').skip(5).collect::<String>())
    };
    names.into_iter().map(content).collect()
}

#[test]
fn what_was_written_is_in_the_file_when_the_log_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("log/connectivity");
    let on = Some((directory.clone(), RotationSettings::default()));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let clock = runtime.block_on(async { Clock::pretended(noon()) });
    let _guard = runtime.enter();
    let log = ConnectivityLog::open(on, clock).unwrap();
    let session = log.session();
    log.write(|clock| line(clock, session));
    assert_ne!(log.session(), session);
    log.close();
    log.write(|clock| line(clock, session));
    let expected =
        format!("2011-02-01T12:00:00.000Z,{session:016X},SMTP,pool.test,+,DnsConnectorDelivery\r\n");
    assert_eq!(files_of(&directory), [("CONNECTLOG20110201-1.log".to_owned(), expected)]);
    assert_eq!(log.dropped(), 1);
}

#[test]
fn a_log_that_is_off_puts_no_line_together() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let clock = runtime.block_on(async { Clock::start() });
    let log = ConnectivityLog::open(None, clock).unwrap();
    log.write(|_| panic!("nobody reads this line"));
    assert_eq!(log.dropped(), 0);
}

#[test]
fn another_file_begins_with_a_start_a_day_and_a_full_file() {
    let folder = tempfile::tempdir().unwrap();
    let settings = RotationSettings { max_file_size: 210, ..RotationSettings::default() };
    let tomorrow = noon().plus(DAY);
    for _ in 0..2 {
        let mut files = Files::open(folder.path().to_owned(), settings, noon()).unwrap();
        files.write("one\r\n", noon()).unwrap();
        files.flush().unwrap();
    }
    let mut files = Files::open(folder.path().to_owned(), settings, noon()).unwrap();
    files.write(&format!("{}\r\n", "long".repeat(30)), noon()).unwrap();
    files.write("two\r\n", noon()).unwrap();
    files.write("three\r\n", tomorrow).unwrap();
    files.flush().unwrap();
    let found = files_of(folder.path());
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let expected = ["0201-1", "0201-2", "0201-3", "0201-4", "0201-5", "0202-1"];
    assert_eq!(names, expected.map(|part| format!("CONNECTLOG2011{part}.log")));
    assert_eq!((&*found[0].1, &*found[4].1, &*found[5].1), ("one\r\n", "two\r\n", "three\r\n"));
}

#[test]
fn old_files_go_and_those_of_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["CONNECTLOG20100101-1.log", "CONNECTLOG20100101-2.log", "notes.txt"] {
        std::fs::write(folder.path().join(name), [b'x'; 600]).unwrap();
    }
    let settings = RotationSettings { max_directory_size: 1_000, ..RotationSettings::default() };
    let _files = Files::open(folder.path().to_owned(), settings, noon()).unwrap();
    let mut left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["CONNECTLOG20100101-2.log", "CONNECTLOG20110201-1.log", "notes.txt"]);
}

#[test]
fn lines_that_do_not_fit_are_counted_and_a_line_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let queue = Arc::new(Queue::default());
    for _ in 0..LINES_MAX + 3 {
        queue.push(noon(), "line\r\n".to_owned());
    }
    let files = Files::open(folder.path().to_owned(), RotationSettings::default(), noon()).unwrap();
    let mut writer = Writer::new(Arc::clone(&queue), files);
    assert!(writer.put(&queue.take().unwrap()));
    queue.push(noon(), "later\r\n".to_owned());
    assert!(writer.put(&queue.take().unwrap()));
    let text = &files_of(folder.path())[0].1;
    let tail = "line\r\n#Missing: 3 lines that the disk did not take\r\nlater\r\n";
    assert!(text.ends_with(tail), "{}", text.len());
    assert_eq!(queue.dropped(), 3);
}

#[test]
fn a_disk_that_fails_costs_lines_and_the_log_goes_on_in_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("log");
    let queue = Arc::new(Queue::default());
    let files = Files::open(directory.clone(), RotationSettings::default(), noon()).unwrap();
    let mut writer = Writer::new(Arc::clone(&queue), files);
    std::fs::remove_dir_all(&directory).unwrap();
    std::fs::write(&directory, "in the way").unwrap();
    // The file that was open when the directory went takes one more batch, which nobody will read.
    assert!(writer.put(&batch(&[(noon(), "lost\r\n")], 0)));
    assert!(!writer.put(&batch(&[(noon(), "two\r\n"), (noon(), "three\r\n")], 1)));
    std::fs::remove_file(&directory).unwrap();
    assert!(writer.put(&batch(&[(noon(), "four\r\n")], 0)));
    let expected = "#Missing: 3 lines that the disk did not take\r\nfour\r\n".to_owned();
    assert_eq!(files_of(&directory), [("CONNECTLOG20110201-2.log".to_owned(), expected)]);
    assert_eq!(queue.dropped(), 2);
}
