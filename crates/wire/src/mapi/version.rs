//! Which version a client is, and whether it understands being told to back off (R11).
//!
//! It is in `X-ClientApplication: Outlook/15.0.4420.1017`, or in a user agent with `MAPI 12.0.6.0`. Either can be claimed
//! by anybody, so a version decides about words only, never about rights.

#[cfg(test)]
mod tests;

use std::fmt;

/// The header that names the client and its version.
pub const X_CLIENT_APPLICATION: &str = "X-ClientApplication";

/// A version of a client: product, its minor number, build, revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientVersion([u16; 4]);

impl ClientVersion {
    /// The first that understands `RopBackoff`: a build of Outlook 2007 from before its release.
    pub const FIRST_WITH_BACKOFF: Self = Self([12, 0, 4228, 0]);

    /// The version of these numbers.
    pub const fn new(numbers: [u16; 4]) -> Self {
        Self(numbers)
    }

    /// What `X-ClientApplication` says: anything, a slash, the version.
    pub fn from_client_application(value: &str) -> Option<Self> {
        let (_, version) = value.split_once('/')?;
        Self::from_numbers(version)
    }

    /// What a user agent says that has `MAPI` and a version behind it somewhere.
    pub fn from_user_agent(value: &str) -> Option<Self> {
        let mut words = value.split([' ', '/', ';', '(', ')']);
        words.find(|word| word.eq_ignore_ascii_case("MAPI"))?;
        Self::from_numbers(words.next()?)
    }

    /// Two to four numbers with dots between; what is left out is zero.
    fn from_numbers(text: &str) -> Option<Self> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let mut version = Self::default();
        let mut numbers = text.get(..end)?.split('.');
        let mut read = 0;
        for place in &mut version.0 {
            let Some(number) = numbers.next() else { break };
            *place = number.parse().ok()?;
            read += 1;
        }
        (read >= 2 && numbers.next().is_none()).then_some(version)
    }

    /// Whether it is told to back off by `RopBackoff`; an older one is told that the server is too busy.
    ///
    /// The documents differ at exactly this version; it is taken to understand.
    pub fn understands_backoff(self) -> bool {
        self >= Self::FIRST_WITH_BACKOFF
    }
}

impl fmt::Display for ClientVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([product, minor, build, revision]) = self;
        write!(f, "{product}.{minor}.{build}.{revision}")
    }
}
