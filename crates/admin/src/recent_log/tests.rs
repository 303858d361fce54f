use weir_whatif::source::Line;

use super::*;

const HEAD: &str = "#Software: x\n#Fields: a b\n";

/// What is read of files of these contents, written one after the other, within `most` bytes.
fn read(files: &[(&str, &str)], most: u64) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (age, (name, text)) in files.iter().rev().enumerate() {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let written =
            SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 - u64::try_from(age).unwrap());
        File::options().write(true).open(&path).unwrap().set_modified(written).unwrap();
    }
    recent(folder.path(), most).unwrap().into_iter().map(whole).collect()
}

fn whole(mut lines: Lines) -> String {
    let mut text = String::new();
    while let Some(Line::Whole(line)) = lines.read().unwrap() {
        text += std::str::from_utf8(line).unwrap();
        text.push('|');
    }
    text
}

#[test]
fn a_short_log_is_read_whole_and_the_newest_file_first() {
    let first = format!("{HEAD}1 1\n");
    let second = format!("{HEAD}2 2\n");
    let files = [
        ("requests-20261129.log", first.as_str()),
        ("requests-20261130.log", second.as_str()),
        ("requests-20261128.log.gz", "packed"),
        ("events.jsonl", "{}"),
    ];
    assert_eq!(read(&files, 1000), ["#Software: x|#Fields: a b|2 2|", "#Software: x|#Fields: a b|1 1|"]);
    assert_eq!(read(&files, u64::try_from(second.len()).unwrap()), ["#Software: x|#Fields: a b|2 2|"]);
}

#[test]
fn of_a_long_file_the_end_is_read_behind_its_head_from_a_lines_beginning_on() {
    let text = format!("{HEAD}1 1\n2 2\n3 3\n4 4\n");
    for (most, rest) in [(4, ""), (5, "4 4|"), (8, "4 4|"), (9, "3 3|4 4|")] {
        let wanted = format!("#Software: x|#Fields: a b|{rest}");
        assert_eq!(read(&[("requests-20261130.log", &text)], most), [wanted], "{most} bytes");
    }
}

#[test]
fn a_log_that_is_not_there_is_empty() {
    assert_eq!(read(&[], 1000), Vec::<String>::new());
}
