use proptest::prelude::*;

use super::*;

fn name(text: &str) -> FileName {
    text.parse().unwrap()
}

/// Noon of that day of February 2011.
fn noon(day: i64) -> WallTime {
    WallTime::from_unix_micros((1_296_561_600 + (day - 1) * 86_400) * 1_000_000)
}

#[test]
fn another_file_begins_on_another_day_and_when_one_is_full() {
    let settings = RotationSettings { max_file_size: 100, ..RotationSettings::default() };
    let check = |current: Option<(&str, u64)>, last: Option<&str>, length, day, expected: &str| {
        let current = current.map(|(text, size)| Current { name: name(text), size });
        let found = next_file(current, last.map(name), length, &settings, noon(day));
        assert_eq!(found.to_string(), expected);
    };
    check(None, None, 10, 1, "CONNECTLOG20110201-1.log");
    check(None, Some("CONNECTLOG20110131-7.log"), 10, 1, "CONNECTLOG20110201-1.log");
    check(None, Some("CONNECTLOG20110201-7.log"), 10, 1, "CONNECTLOG20110201-8.log");
    check(Some(("CONNECTLOG20110201-1.log", 90)), None, 10, 1, "CONNECTLOG20110201-1.log");
    check(Some(("CONNECTLOG20110201-1.log", 91)), None, 10, 1, "CONNECTLOG20110201-2.log");
    check(Some(("CONNECTLOG20110201-9.log", 0)), None, 1000, 1, "CONNECTLOG20110201-9.log");
    check(Some(("CONNECTLOG20110201-9.log", 1)), None, 1, 2, "CONNECTLOG20110202-1.log");
    check(Some(("CONNECTLOG20110202-9.log", 1)), None, 1, 1, "CONNECTLOG20110202-9.log");
}

#[test]
fn old_files_go_and_the_oldest_until_the_rest_is_small_enough() {
    let file = |text: &str, size, day| LogFile { name: name(text), size, written: noon(day) };
    let files = [
        file("CONNECTLOG20110203-1.log", 40, 3),
        file("CONNECTLOG20110202-10.log", 40, 2),
        file("CONNECTLOG20110202-9.log", 40, 2),
        file("CONNECTLOG20110101-1.log", 1, -30),
    ];
    let check = |max_directory_size, current: Option<&str>, expected: &[&str]| {
        let settings = RotationSettings { max_directory_size, ..RotationSettings::default() };
        let found = surplus(&files, current.map(name), &settings, noon(3));
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    };
    check(1000, None, &["CONNECTLOG20110101-1.log"]);
    check(120, None, &["CONNECTLOG20110101-1.log"]);
    check(119, None, &["CONNECTLOG20110101-1.log", "CONNECTLOG20110202-9.log"]);
    check(
        0,
        Some("CONNECTLOG20110203-1.log"),
        &["CONNECTLOG20110101-1.log", "CONNECTLOG20110202-9.log", "CONNECTLOG20110202-10.log"],
    );
}

proptest! {
    #[test]
    fn what_is_left_is_small_enough_young_enough_and_the_latest(
        sizes in prop::collection::vec((1..50_u64, 0..60_i64), 0..20),
        most in 0..400_u64,
    ) {
        let files: Vec<LogFile> = (1..)
            .zip(&sizes)
            .map(|(number, (size, age))| LogFile {
                name: FileName { number, ..name("CONNECTLOG20110201-1.log") },
                size: *size,
                written: noon(60 - age),
            })
            .collect();
        let settings = RotationSettings { max_directory_size: most, ..RotationSettings::default() };
        let gone = surplus(&files, None, &settings, noon(60));
        let left: Vec<&LogFile> = files.iter().filter(|file| !gone.contains(&file.name)).collect();
        prop_assert!(left.iter().map(|file| file.size).sum::<u64>() <= most);
        prop_assert!(left.iter().all(|file| noon(60).since(file.written) < settings.max_age));
        let first = left.first().map(|file| file.name);
        for name in gone {
            let file = files.iter().find(|file| file.name == name).unwrap();
            let is_old = noon(60).since(file.written) >= settings.max_age;
            prop_assert!(is_old || first.is_none_or(|first| name < first), "{} went before an older one", name);
        }
    }
}
