//! Dates and times, read quickly: the day of the line before is mostly the day of this one too.

use jiff::civil::Date;
use jiff::tz::Offset;

const SECOND: i64 = 1_000_000;

/// The day that was read last.
#[derive(Debug, Default)]
pub(super) struct Days {
    text: String,
    micros: i64,
}

impl Days {
    /// The beginning of the day `2026-11-30`, in microseconds since 1970.
    pub(super) fn iso(&mut self, text: &str) -> Option<i64> {
        self.day(text, |text| {
            let mut numbers = text.split('-');
            let (year, month, day) = (numbers.next()?, numbers.next()?, numbers.next()?);
            if numbers.next().is_some() {
                return None;
            }
            Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
        })
    }

    /// The beginning of the day `30/Nov/2026`, in microseconds since 1970.
    pub(super) fn named(&mut self, text: &str) -> Option<i64> {
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        self.day(text, |text| {
            let mut words = text.split('/');
            let (day, month, year) = (words.next()?, words.next()?, words.next()?);
            let month = (1..).zip(MONTHS).find(|(_, name)| *name == month)?.0;
            Date::new(year.parse().ok()?, month, day.parse().ok()?).ok()
        })
    }

    fn day(&mut self, text: &str, read: impl FnOnce(&str) -> Option<Date>) -> Option<i64> {
        if self.text != text {
            let midnight = Offset::UTC.to_timestamp(read(text)?.at(0, 0, 0, 0)).ok()?;
            self.micros = midnight.as_microsecond();
            text.clone_into(&mut self.text);
        }
        Some(self.micros)
    }
}

/// The time of day `10:35:08` or `10:35:08.123`, in microseconds.
pub(super) fn time_of_day(text: &str) -> Option<i64> {
    let mut words = text.split(':');
    let (hours, minutes, seconds) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() {
        return None;
    }
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    let seconds = i64::try_from(super::seconds(seconds)?.count()).ok()?;
    let sound = hours < 24 && minutes < 60 && seconds < 61 * SECOND;
    sound.then(|| (i64::from(hours) * 60 + i64::from(minutes)) * 60 * SECOND + seconds)
}

/// How far `+0200` is ahead of UTC, in microseconds.
pub(super) fn offset(text: &str) -> Option<i64> {
    let (sign, digits) = text.split_at_checked(1)?;
    let sign = match sign {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = digits.split_at_checked(2)?;
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    Some(sign * (i64::from(hours) * 60 + i64::from(minutes)) * 60 * SECOND)
}
