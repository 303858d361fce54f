//! What stands behind the `@`: a domain, or the address of a host.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use super::{AddressError, MAX_DOMAIN, MAX_LABEL, is_visible};

/// A host by its name or by its address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// A domain, in lower case.
    Domain(Box<str>),
    /// An address literal, `[192.0.2.1]` or `[IPv6:2001:db8::1]`.
    Literal(IpAddr),
}

impl Host {
    /// Whether it can be written where SMTPUTF8 is not spoken.
    pub fn is_ascii(&self) -> bool {
        match self {
            Self::Domain(name) => name.is_ascii(),
            Self::Literal(_) => true,
        }
    }

    /// The host at the front of `text`, and what follows it.
    pub(in crate::smtp) fn take(text: &str) -> Result<(Self, &str), AddressError> {
        if let Some(bracketed) = text.strip_prefix('[') {
            let (inside, rest) = bracketed.split_once(']').ok_or(AddressError::Domain)?;
            return Ok((Self::Literal(literal(inside).ok_or(AddressError::Domain)?), rest));
        }
        let end = text.find(|letter| letter != '.' && !is_of_label(letter)).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let name = name.to_lowercase();
        if name.len() > MAX_DOMAIN {
            return Err(AddressError::TooLong { limit: MAX_DOMAIN });
        }
        if !name.split('.').all(is_label) {
            return Err(AddressError::Domain);
        }
        Ok((Self::Domain(name.into()), rest))
    }
}

impl FromStr for Host {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        match Self::take(text)? {
            (host, "") => Ok(host),
            (_, _) => Err(AddressError::Domain),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Domain(name) => f.write_str(name),
            Self::Literal(IpAddr::V4(address)) => write!(f, "[{address}]"),
            Self::Literal(IpAddr::V6(address)) => write!(f, "[IPv6:{address}]"),
        }
    }
}

/// What stands between the brackets of an address literal.
fn literal(inside: &str) -> Option<IpAddr> {
    match inside.split_at_checked("IPv6:".len()) {
        Some((tag, address)) if tag.eq_ignore_ascii_case("IPv6:") => {
            Some(IpAddr::V6(address.parse::<Ipv6Addr>().ok()?))
        }
        Some(_) | None => Some(IpAddr::V4(inside.parse::<Ipv4Addr>().ok()?)),
    }
}

fn is_label(label: &str) -> bool {
    (1..=MAX_LABEL).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
}

/// The underscore is in no host's name, but in many a name that mail is sent to.
fn is_of_label(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_') || !letter.is_ascii() && is_visible(letter)
}
