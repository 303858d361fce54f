//! The domain of a recipient, or the name of a host.
//!
//! Domains are compared without case and without the dot that some write at the end, so both go when one is made; and one
//! of letters beyond ASCII is the one that the domain name system knows it as, `xn--…`, however it was written. An address in brackets – `[192.0.2.1]`, `[IPv6:2001:db8::1]` – stands where a domain may stand, and needs no look-up.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

/// The most letters of a domain (RFC 1035).
pub const MAX_DOMAIN: usize = 253;

/// The most letters of one of its labels (RFC 1035).
pub const MAX_LABEL: usize = 63;

/// More bytes than a domain of any script has.
const LONGEST: usize = 4 * MAX_DOMAIN;

/// A domain in lower case and in ASCII, or an address in brackets. Cloning is cheap.
///
/// ```
/// use weir_transport::Domain;
/// let domain: Domain = "Pool.Test.".parse()?;
/// assert_eq!(domain.as_str(), "pool.test");
/// let literal: Domain = "[192.0.2.1]".parse()?;
/// assert_eq!(literal.address(), Some("192.0.2.1".parse().unwrap()));
/// # Ok::<(), weir_transport::DomainError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Domain(Arc<str>);

/// Text that is no domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is neither a domain nor an address in brackets")]
pub struct DomainError {
    /// What was written, cut to [`MAX_DOMAIN`] letters.
    pub text: String,
}

impl Domain {
    /// The name of a machine that has none.
    pub fn localhost() -> Self {
        Self("localhost".into())
    }

    /// The domain as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address, where one stands in brackets.
    pub fn address(&self) -> Option<IpAddr> {
        address_of(&self.0)
    }

    /// Whether this is a domain below `parent`.
    pub fn is_below(&self, parent: &Self) -> bool {
        self.0.strip_suffix(parent.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
    }

    /// How many labels it has.
    pub fn labels(&self) -> usize {
        self.0.split('.').count()
    }
}

impl FromStr for Domain {
    type Err = DomainError;

    fn from_str(text: &str) -> Result<Self, DomainError> {
        let wrong = || DomainError { text: text.chars().take(MAX_DOMAIN).collect() };
        let plain = text.strip_suffix('.').unwrap_or(text);
        let ascii = if plain.is_ascii() || plain.len() > LONGEST {
            plain.to_ascii_lowercase()
        } else {
            idna::domain_to_ascii(plain).map_err(|_| wrong())?
        };
        let good =
            ascii.len() <= MAX_DOMAIN && (ascii.split('.').all(is_label) || address_of(&ascii).is_some());
        if good { Ok(Self(ascii.into())) } else { Err(wrong()) }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Letters, digits, hyphens, and the underscores that exist in practice.
fn is_label(label: &str) -> bool {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=MAX_LABEL).contains(&label.len()) && label.bytes().all(fine)
}

fn address_of(text: &str) -> Option<IpAddr> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let tag = inner.get(..5).filter(|tag| tag.eq_ignore_ascii_case("ipv6:"));
    match (tag, inner.get(5..)) {
        (Some(_), Some(address)) => address.parse().ok().map(IpAddr::V6),
        (Some(_) | None, _) => inner.parse().ok().map(IpAddr::V4),
    }
}

#[cfg(test)]
mod tests;
