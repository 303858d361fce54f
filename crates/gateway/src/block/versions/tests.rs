use proptest::prelude::*;

use super::{RangeError, Version, VersionRange};

fn stated(word: &str) -> Option<[u32; 4]> {
    Version::stated(word).map(|version| version.0)
}

#[test]
fn what_clients_state_is_read_however_they_write_it() {
    for (word, version) in [
        ("15.0.4420.1017", Some([15, 0, 4420, 1017])),
        ("16.0", Some([16, 0, 0, 0])),
        ("3", Some([3, 0, 0, 0])),
        ("v2.1", Some([2, 1, 0, 0])),
        ("5.6.0-beta", Some([5, 6, 0, 0])),
        ("2.32rc1", Some([2, 32, 0, 0])),
        ("1405.526000005", Some([1405, 526_000_005, 0, 0])),
        ("115.0.5790.170.3", Some([115, 0, 5790, 170])),
        ("99999999999.1", Some([u32::MAX, 1, 0, 0])),
        ("7.", Some([7, 0, 0, 0])),
        ("3DViewer", None),
        ("Outlook", None),
        (".5", None),
        ("vault", None),
    ] {
        assert_eq!(stated(word), version, "{word}");
    }
}

#[test]
fn a_range_has_both_ends_in_it_and_either_may_be_open() {
    for (range, inside, outside) in [
        ("-15.0.4420.1017", ["0", "14.9", "15.0.4420.1017"], ["15.0.4420.1018", "15.1", "16"]),
        ("14.0-14.0.7000", ["14.0.0.0", "14.0.6999.9", "14.0.7000.5000"], ["13.9", "14.0.7001", "14.1"]),
        ("15.0.4500.1000-", ["15.0.4500.1000", "15.0.4500.1001", "16.0"], ["15.0.4500.999", "15.0", "2"]),
        ("14", ["14", "14.0.0.1", "14.9.9.9"], ["13.9.9.9", "15", "0"]),
        ("12 - 14", ["12", "13.5", "14.0.7268.5000"], ["11.9", "15", "0"]),
    ] {
        let read: VersionRange = range.parse().unwrap();
        assert!(inside.iter().all(|word| read.contains(Version::stated(word).unwrap())), "{range}");
        assert!(!outside.iter().any(|word| read.contains(Version::stated(word).unwrap())), "{range}");
    }
}

#[test]
fn what_is_no_range_is_refused_with_the_piece_that_is_wrong() {
    let no_version = |text: &str| RangeError::NoVersion { text: text.to_owned() };
    for (text, error) in [
        ("", RangeError::Empty),
        ("-", RangeError::Empty),
        ("15.x", no_version("15.x")),
        ("1.2.3.4.5-", no_version("1.2.3.4.5")),
        ("14-15-16", no_version("15-16")),
        ("+14", no_version("+14")),
        ("14..7", no_version("14..7")),
        ("15-14", RangeError::Reversed { text: "15-14".to_owned() }),
    ] {
        assert_eq!(text.parse::<VersionRange>(), Err(error), "{text}");
    }
    assert!("15.x".parse::<VersionRange>().unwrap_err().to_string().contains("\"14.0-14.0.7000\""));
}

proptest! {
    #[test]
    fn a_version_is_in_a_range_if_it_lies_between_its_ends(
        one in any::<[u32; 4]>(),
        other in any::<[u32; 4]>(),
        version in any::<[u32; 4]>(),
    ) {
        let (from, to) = (one.min(other), one.max(other));
        let text = |of: [u32; 4]| of.map(|number| number.to_string()).join(".");
        let contains = |range: String| range.parse::<VersionRange>().unwrap().contains(Version(version));
        prop_assert_eq!(contains(format!("{}-{}", text(from), text(to))), from <= version && version <= to);
        prop_assert_eq!(contains(format!("{}-", text(from))), from <= version);
        prop_assert_eq!(contains(format!("-{}", text(to))), version <= to);
    }

    #[test]
    fn any_text_is_a_range_that_is_read_back_or_an_error(text in "[0-9.\\- x]{0,24}") {
        if let Ok(range) = text.parse::<VersionRange>() {
            prop_assert_eq!(range.to_string().parse(), Ok(range));
        }
    }
}
