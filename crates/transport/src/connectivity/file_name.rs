//! `CONNECTLOGyyyymmdd-n.log`: the day, and the number of the file within it from 1.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use weir_units::WallTime;

const PREFIX: &str = "CONNECTLOG";
const SUFFIX: &str = ".log";

/// The name of a file of the connectivity log. The later file is the greater one.
///
/// ```
/// use weir_transport::connectivity::FileName;
/// let name: FileName = "CONNECTLOG20110201-12.log".parse()?;
/// assert_eq!(name.number, 12);
/// assert_eq!(name.next().to_string(), "CONNECTLOG20110201-13.log");
/// # Ok::<(), weir_transport::connectivity::file_name::NotALogFile>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileName {
    /// The day, in UTC.
    pub day: Date,
    /// The number within the day.
    pub number: u32,
}

/// A name of another kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a file of the connectivity log, such as CONNECTLOG20110201-1.log")]
pub struct NotALogFile;

impl FileName {
    /// The first file of the day of `now`.
    pub fn first_of(now: WallTime) -> Self {
        let at = Timestamp::from_microsecond(now.unix_micros()).unwrap_or(Timestamp::UNIX_EPOCH);
        Self { day: Offset::UTC.to_datetime(at).date(), number: 1 }
    }

    /// The next file of the same day.
    #[must_use]
    pub const fn next(self) -> Self {
        Self { day: self.day, number: self.number.saturating_add(1) }
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = self.day;
        write!(f, "{PREFIX}{:04}{:02}{:02}-{}{SUFFIX}", day.year(), day.month(), day.day(), self.number)
    }
}

impl FromStr for FileName {
    type Err = NotALogFile;

    fn from_str(text: &str) -> Result<Self, NotALogFile> {
        let inner =
            text.strip_prefix(PREFIX).and_then(|text| text.strip_suffix(SUFFIX)).ok_or(NotALogFile)?;
        let (day, number) = inner.split_once('-').ok_or(NotALogFile)?;
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if day.len() != 8 || !digits(day) || !digits(number) {
            return Err(NotALogFile);
        }
        let part = |from, to| day.get(from..to).and_then(|part| part.parse::<i16>().ok());
        let small = |part: Option<i16>| part.and_then(|part| i8::try_from(part).ok()).ok_or(NotALogFile);
        let year = part(0, 4).ok_or(NotALogFile)?;
        let day = Date::new(year, small(part(4, 6))?, small(part(6, 8))?).map_err(|_| NotALogFile)?;
        let number = number.parse().ok().filter(|number| *number > 0).ok_or(NotALogFile)?;
        Ok(Self { day, number })
    }
}

#[cfg(test)]
mod tests;
