//! Address spaces of a send connector: `example.com;1`, `*.example.com`, `*;10`.
//!
//! `example.com` is that domain alone, `*.example.com` every domain below it, `*` every domain. Of two that match, the
//! more specific one has more of the domain spelled out; a domain itself is more specific than any pattern.

use std::fmt;
use std::str::FromStr;

use crate::domain::Domain;

/// What a way costs: from 1 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(u8);

impl Cost {
    /// The cost where none is written.
    pub const DEFAULT: Self = Self(1);
    /// The highest cost.
    pub const MAX: u8 = 100;

    /// That cost, from 1 to [`Cost::MAX`].
    pub const fn new(cost: u8) -> Option<Self> {
        if cost >= 1 && cost <= Self::MAX { Some(Self(cost)) } else { None }
    }

    /// The number.
    pub const fn count(self) -> u8 {
        self.0
    }
}

/// Which domains are meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pattern {
    /// Every domain, and every address in brackets.
    All,
    /// Every domain below this one.
    Below(Domain),
    /// This domain alone.
    Exactly(Domain),
}

/// Domains that a connector is for, and what it costs.
///
/// ```
/// use weir_transport::routing::AddressSpace;
/// let space: AddressSpace = "*.pool.test;5".parse()?;
/// assert!(space.pattern.matches(&"eu.pool.test".parse().unwrap()));
/// assert!(!space.pattern.matches(&"pool.test".parse().unwrap()));
/// # Ok::<(), weir_transport::routing::SpaceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AddressSpace {
    /// Which domains.
    pub pattern: Pattern,
    /// What it costs to send them this way.
    pub cost: Cost,
}

/// Text that is no address space.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a domain, \"*.domain\" or \"*\", with a cost from 1 to 100 behind a semicolon, such as \
     \"example.com;1\""
)]
pub struct SpaceError {
    /// What was written.
    pub text: String,
}

impl Pattern {
    /// Whether `domain` is one of them.
    pub fn matches(&self, domain: &Domain) -> bool {
        match self {
            Self::All => true,
            Self::Below(parent) => domain.is_below(parent),
            Self::Exactly(one) => domain == one,
        }
    }

    /// How much of a domain is spelled out: of two that match the same domain, the greater is the more specific.
    pub fn specificity(&self) -> usize {
        match self {
            Self::All => 0,
            Self::Below(parent) => parent.labels(),
            Self::Exactly(_) => usize::MAX,
        }
    }
}

impl FromStr for AddressSpace {
    type Err = SpaceError;

    fn from_str(text: &str) -> Result<Self, SpaceError> {
        let wrong = || SpaceError { text: text.to_owned() };
        let (pattern, cost) = text.split_once(';').unwrap_or((text, "1"));
        let digits = cost.bytes().all(|byte| byte.is_ascii_digit());
        let cost = cost.parse().ok().filter(|_| digits).and_then(Cost::new).ok_or_else(wrong)?;
        let domain = |domain: &str| domain.parse().map_err(|_| wrong());
        let pattern = match pattern.strip_prefix("*.") {
            Some(parent) => Pattern::Below(domain(parent)?),
            None if pattern == "*" => Pattern::All,
            None => Pattern::Exactly(domain(pattern)?),
        };
        Ok(Self { pattern, cost })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Below(parent) => write!(f, "*.{parent}"),
            Self::Exactly(domain) => write!(f, "{domain}"),
        }
    }
}

#[cfg(test)]
mod tests;
