//! `xs:dateTime`, read and written.
//!
//! Written times are in UTC and whole seconds, `2010-03-09T15:15:12Z`. Read times may carry an
//! offset; those that do not are meant in the request's time zone, or in UTC where it names none we know.

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use weir_units::WallTime;

use super::time_zone;

/// How times without an offset are meant: the zone that Windows calls `name`, or UTC where it is not known.
pub fn zone(name: Option<&str>) -> TimeZone {
    name.and_then(time_zone::iana).and_then(|iana| TimeZone::get(iana).ok()).unwrap_or(TimeZone::UTC)
}

/// The point in time that `text` names; nothing where it is no `xs:dateTime` or `xs:date`.
///
/// ```
/// use jiff::tz::TimeZone;
/// use weir_wire::ews::time::{format, parse};
/// let at = parse("2010-03-09T16:15:12+01:00", &TimeZone::UTC).map(format);
/// assert_eq!(at.as_deref(), Some("2010-03-09T15:15:12Z"));
/// ```
pub fn parse(text: &str, zone: &TimeZone) -> Option<WallTime> {
    let text = text.trim();
    let timestamp = text.parse::<Timestamp>().ok().or_else(|| civil(text, zone))?;
    Some(WallTime::from_unix_micros(timestamp.as_microsecond()))
}

fn civil(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if text.contains('T') {
        return zone.to_timestamp(text.parse::<DateTime>().ok()?).ok();
    }
    match text.split_at_checked("2010-03-09".len())? {
        (date, "") => zone.to_timestamp(date.parse::<Date>().ok()?.to_datetime(Time::midnight())).ok(),
        (date, offset) => format!("{date}T00:00:00{offset}").parse().ok(),
    }
}

/// The point in time in UTC, to the second: `2010-03-09T15:15:12Z`. Times beyond the years that can be written become
/// the nearest that can.
///
/// There is never a fraction, since clients exist that read none.
pub fn format(at: WallTime) -> String {
    let seconds = at.unix_seconds().clamp(FIRST_SECOND, Timestamp::MAX.as_second());
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}

/// 0001-01-01T00:00:00Z.
const FIRST_SECOND: i64 = -62_135_596_800;
