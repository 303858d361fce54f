//! Which program wrote a log.

use std::fmt;
use std::str::FromStr;

/// The program whose log is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Mailweir's own request log.
    #[default]
    Mailweir,
    /// W3C extended logs of IIS, with Exchange's budgets where there are some.
    Iis,
    /// nginx: `combined`, or that with our fields behind it.
    Nginx,
    /// `HAProxy`'s HTTP log.
    HaProxy,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Mailweir, Self::Iis, Self::Nginx, Self::HaProxy];

    /// The word for it on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mailweir => "mailweir",
            Self::Iis => "iis",
            Self::Nginx => "nginx",
            Self::HaProxy => "haproxy",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is no log format; allowed are mailweir, iis, nginx and haproxy")]
pub struct UnknownFormat {
    /// The word.
    pub word: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        let known = Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(word));
        known.ok_or_else(|| UnknownFormat { word: word.to_owned() })
    }
}
