use super::*;

fn check(text: &str, zone_name: Option<&str>, expected: Option<&str>) {
    let read = parse(text, &zone(zone_name)).map(format);
    assert_eq!(read.as_deref(), expected, "{text} in {zone_name:?}");
}

#[test]
fn an_offset_in_the_text_is_the_one_that_counts() {
    let eastern = Some("Eastern Standard Time");
    check("2010-03-09T15:15:12Z", eastern, Some("2010-03-09T15:15:12Z"));
    check("2010-03-09T16:15:12+01:00", eastern, Some("2010-03-09T15:15:12Z"));
    check("2010-03-09T15:15:12.987Z", eastern, Some("2010-03-09T15:15:12Z"));
    check(" 2010-03-09T10:15:12-05:00\n", eastern, Some("2010-03-09T15:15:12Z"));
}

#[test]
fn a_time_without_an_offset_is_meant_in_the_zone_of_the_request() {
    check("2010-03-09T15:15:12", None, Some("2010-03-09T15:15:12Z"));
    check("2010-03-09T15:15:12", Some("Eastern Standard Time"), Some("2010-03-09T20:15:12Z"));
    check("2010-07-09T15:15:12", Some("Eastern Standard Time"), Some("2010-07-09T19:15:12Z"));
    check("2010-03-09T15:15:12.5", Some("Tokyo Standard Time"), Some("2010-03-09T06:15:12Z"));
    check("2010-03-09T15:15:12", Some("No Such Time"), Some("2010-03-09T15:15:12Z"));
}

#[test]
fn a_date_is_its_midnight() {
    check("2010-03-09", None, Some("2010-03-09T00:00:00Z"));
    check("2010-03-09", Some("W. Europe Standard Time"), Some("2010-03-08T23:00:00Z"));
    check("2010-03-09Z", Some("W. Europe Standard Time"), Some("2010-03-09T00:00:00Z"));
    check("2010-03-09+02:00", None, Some("2010-03-08T22:00:00Z"));
}

#[test]
fn what_is_no_time_is_none() {
    for text in [
        "",
        "now",
        "2010-13-09T15:15:12Z",
        "2010-03-09T25:15:12Z",
        "2010-03",
        "2010-03-09X",
        "T",
        "é2010-03-09",
    ] {
        check(text, None, None);
    }
}

#[test]
fn times_that_no_calendar_holds_become_the_nearest_that_one_does() {
    assert_eq!(format(WallTime::from_unix_micros(i64::MIN)), "0001-01-01T00:00:00Z");
    assert_eq!(format(WallTime::from_unix_micros(i64::MAX)), "9999-12-30T22:00:00Z");
    assert_eq!(format(WallTime::from_unix_micros(-1)), "1969-12-31T23:59:59Z");
}

#[test]
fn every_zone_that_windows_names_has_rules() {
    for (windows, iana) in time_zone::ALL {
        assert!(TimeZone::get(iana).is_ok(), "{windows} → {iana}");
    }
}
