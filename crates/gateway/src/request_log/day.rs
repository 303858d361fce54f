//! Days in UTC, and the names of their files.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use weir_units::WallTime;

const SECONDS: i64 = 86_400;

/// A day in UTC, counted from 1970-01-01. Prints as `20100309`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day(i64);

impl Day {
    /// The day of this moment.
    pub(super) const fn of(time: WallTime) -> Self {
        Self(time.unix_seconds().div_euclid(SECONDS))
    }

    /// The day `days` earlier.
    pub(super) const fn minus(self, days: i64) -> Self {
        Self(self.0.saturating_sub(days))
    }

    fn parse(text: &str) -> Option<Self> {
        if text.len() != 8 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let (year, rest) = text.split_at_checked(4)?;
        let (month, day) = rest.split_at_checked(2)?;
        let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()?;
        let midnight = Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?;
        Some(Self(midnight.as_second().div_euclid(SECONDS)))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let midnight = Timestamp::from_second(self.0.saturating_mul(SECONDS)).unwrap_or_default();
        let date = Offset::UTC.to_datetime(midnight).date();
        write!(f, "{:04}{:02}{:02}", date.year(), date.month(), date.day())
    }
}

/// Which file: the first of a day is `requests-20100309.log`, the second `requests-20100309-2.log`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileName {
    pub(super) day: Day,
    pub(super) number: u32,
}

impl FileName {
    /// The file that follows on the same day.
    pub(super) const fn next(self) -> Self {
        Self { number: self.number.saturating_add(1), ..self }
    }

    /// The file that has this name; nothing where it is no file of this log.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let name = name.strip_prefix("requests-")?.strip_suffix(".log")?;
        let (day, number) = match name.split_once('-') {
            None => (Day::parse(name)?, 1),
            Some((day, number)) => (Day::parse(day)?, number.parse().ok()?),
        };
        Some(Self { day, number })
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            0 | 1 => write!(f, "requests-{}.log", self.day),
            number => write!(f, "requests-{}-{number}.log", self.day),
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_units::WallTime;

    use super::{Day, FileName};

    #[test]
    fn a_day_begins_at_midnight_utc() {
        let midnight = 1_268_092_800_000_000;
        let cases =
            [(midnight - 1, "20100308"), (midnight, "20100309"), (midnight + 86_399_999_999, "20100309")];
        for (micros, day) in cases {
            assert_eq!(Day::of(WallTime::from_unix_micros(micros)).to_string(), day);
        }
        assert_eq!(Day::of(WallTime::from_unix_micros(midnight)).minus(9).to_string(), "20100228");
        assert_eq!(Day::of(WallTime::from_unix_micros(-1)).to_string(), "19691231");
    }

    #[test]
    fn the_names_of_files_are_read_as_they_are_written() {
        for name in ["requests-20100309.log", "requests-20100309-2.log", "requests-20240229-17.log"] {
            assert_eq!(FileName::parse(name).map(|name| name.to_string()).as_deref(), Some(name));
        }
        let first = FileName::parse("requests-20100309.log");
        assert!(
            first < FileName::parse("requests-20100309-2.log")
                && first < FileName::parse("requests-20100310.log")
        );
        for name in [
            "requests-20100230.log",
            "requests-2010309.log",
            "requests-20100309-x.log",
            "requests-.log",
            "a.log",
        ] {
            assert_eq!(FileName::parse(name), None, "{name}");
        }
    }
}
