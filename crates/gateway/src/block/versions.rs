//! Versions of programs, and ranges of them.
//!
//! A version is up to four numbers with dots between. A range has both ends in it, and either may be open:
//! `-15.0.4420.1017`, `14.0-14.0.7000`, `15.0.4500.1000-`. Numbers that an end leaves out are all there are: `14` is
//! every 14, so that `12-14` ends with the last 14.

use std::fmt;
use std::str::FromStr;

/// A version, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version([u32; NUMBERS]);

/// The numbers that a version has at most; what a client states beyond is not looked at.
const NUMBERS: usize = 4;

impl Version {
    /// What a client has that states none: older than any.
    pub(super) const UNSTATED: Self = Self([0; NUMBERS]);

    /// The version that a client states with `word`: `16.0.4266`, `v2.1-beta`. A word that only begins with a digit is a
    /// name. Numbers that are too large count as the largest.
    pub(super) fn stated(word: &str) -> Option<Self> {
        let word = word.strip_prefix(['v', 'V']).unwrap_or(word);
        let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let (numbers, rest) = word.split_at(end);
        let is_name = !numbers.starts_with(|c: char| c.is_ascii_digit())
            || (rest.starts_with(char::is_alphabetic) && !numbers.contains('.'));
        let mut version = Self::UNSTATED;
        for (place, number) in version.0.iter_mut().zip(numbers.split('.')) {
            *place = if number.is_empty() { 0 } else { number.parse().unwrap_or(u32::MAX) };
        }
        (!is_name).then_some(version)
    }
}

/// The versions from one to another, both included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRange {
    text: String,
    from: Version,
    to: Version,
}

/// A text that is no range of versions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// Neither end.
    #[error("no version is named; {FORMS}")]
    Empty,
    /// An end that is no version.
    #[error("{text:?} is no version; {FORMS}")]
    NoVersion {
        /// The end.
        text: String,
    },
    /// An end before the beginning.
    #[error("{text:?} ends before it begins; {FORMS}")]
    Reversed {
        /// The range.
        text: String,
    },
}

const FORMS: &str = "allowed are \"-15.0.4420\" up to a version, \"15.0.4420-\" from one on, \"14.0-14.0.7000\" from one \
                     to another, both included, and \"14\" for every 14, each with one to four numbers";

impl FromStr for VersionRange {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        let text = text.trim();
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let (from, to) = (from.trim(), to.trim());
        if from.is_empty() && to.is_empty() {
            return Err(RangeError::Empty);
        }
        let range = Self { text: text.to_owned(), from: end(from, 0)?, to: end(to, u32::MAX)? };
        if range.from > range.to { Err(RangeError::Reversed { text: range.text }) } else { Ok(range) }
    }
}

/// The version that an end of a range names, whose missing numbers are `rest`.
fn end(text: &str, rest: u32) -> Result<Version, RangeError> {
    let wrong = || RangeError::NoVersion { text: text.to_owned() };
    let mut version = Version([rest; NUMBERS]);
    if text.is_empty() {
        return Ok(version);
    }
    let mut numbers = text.split('.');
    for (place, number) in version.0.iter_mut().zip(&mut numbers) {
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        *place = number.parse().ok().filter(|_| digits).ok_or_else(wrong)?;
    }
    if numbers.next().is_some() { Err(wrong()) } else { Ok(version) }
}

impl VersionRange {
    /// Whether the version is in it.
    pub(super) fn contains(&self, version: Version) -> bool {
        (self.from..=self.to).contains(&version)
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
