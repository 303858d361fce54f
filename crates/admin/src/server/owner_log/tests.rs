use super::*;

/// 2010-03-09 15:15:12 UTC.
const NOW: WallTime = WallTime::from_unix_micros(1_268_147_712_000_000);

fn text(at: WallTime) -> String {
    Timestamp::from_microsecond(at.unix_micros()).unwrap().to_string()
}

fn asked(at: Option<&str>, since: Option<&str>) -> Result<(String, String), String> {
    let when = OwnerLogFilter { at: at.map(str::to_owned), since: since.map(str::to_owned) };
    match span(&when, NOW) {
        Ok((from, to)) => Ok((text(from), text(to))),
        Err(failure) => Err(format!("{failure:?}")),
    }
}

#[test]
fn a_time_means_its_minute_with_one_before_and_one_after() {
    for (at, from, to) in [
        ("10:14", "2010-03-09T10:13:00Z", "2010-03-09T10:16:00Z"),
        (" 10:14:30 ", "2010-03-09T10:13:30Z", "2010-03-09T10:16:30Z"),
        ("15:15", "2010-03-09T15:14:00Z", "2010-03-09T15:17:00Z"),
        ("23:59", "2010-03-08T23:58:00Z", "2010-03-09T00:01:00Z"),
        ("2010-03-01T10:14:00+01:00", "2010-03-01T09:13:00Z", "2010-03-01T09:16:00Z"),
    ] {
        assert_eq!(asked(Some(at), None), Ok((from.to_owned(), to.to_owned())), "{at}");
    }
}

#[test]
fn since_means_until_now() {
    let now = "2010-03-09T15:15:12Z".to_owned();
    assert_eq!(asked(None, Some("1h")), Ok(("2010-03-09T14:15:12Z".to_owned(), now.clone())));
    assert_eq!(asked(None, Some("2010-03-09T10:00:00Z")), Ok(("2010-03-09T10:00:00Z".to_owned(), now)));
}

#[test]
fn what_is_no_time_is_told() {
    for (at, since) in [(None, None), (Some("10:14"), Some("1h")), (Some("soon"), None), (None, Some("soon"))]
    {
        let why = asked(at, since).unwrap_err();
        assert!(why.contains("10:14") || why.contains("at or with since") || why.contains("1h"), "{why}");
    }
    assert!(asked(Some("25:00"), None).is_err());
}
