use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{LINE_MAX, Line, Lines};

fn lines(bytes: impl Into<Vec<u8>>) -> Vec<String> {
    let mut lines = Lines::of(std::io::Cursor::new(bytes.into())).unwrap();
    let mut read = Vec::new();
    while let Some(line) = lines.read().unwrap() {
        read.push(match line {
            Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
            Line::TooLong => "too long".to_owned(),
        });
    }
    assert_eq!(lines.number(), u64::try_from(read.len()).unwrap());
    read
}

fn zipped(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn lines_end_as_they_do_on_either_system_and_the_last_may_have_no_end() {
    assert_eq!(lines("a\nb\r\n\nc"), ["a", "b", "", "c"]);
    assert_eq!(lines(""), [""; 0]);
}

#[test]
fn a_gzipped_file_of_several_members_is_read_whole() {
    assert_eq!(lines([zipped("a\nb\n"), zipped("c\n")].concat()), ["a", "b", "c"]);
}

#[test]
fn a_line_that_is_too_long_is_skipped_and_the_next_is_read() {
    let (longest, longer) = ("x".repeat(LINE_MAX), "y".repeat(5 * LINE_MAX));
    assert_eq!(
        lines(format!("a\n{longest}\n{longer}\nb\n{longer}")),
        ["a", &longest, "too long", "b", "too long"]
    );
}

#[test]
fn a_broken_compression_is_an_error_behind_what_could_be_read() {
    let mut bytes = zipped(&"a line\n".repeat(100_000));
    bytes.truncate(bytes.len() / 2);
    let mut lines = Lines::of(std::io::Cursor::new(bytes)).unwrap();
    let failed = loop {
        match lines.read() {
            Ok(Some(_)) => {}
            Ok(None) => break false,
            Err(_) => break true,
        }
    };
    assert!(failed && lines.number() > 0);
}
