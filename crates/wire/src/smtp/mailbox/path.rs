//! The paths of an envelope: whom a message is from, and whom it is for.

use std::fmt;

use super::{AddressError, Host, Mailbox};

/// Whom a message is from, and so whom failures are told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReversePath {
    /// Nobody, `<>`: the message tells of a failure itself, and no failure of it is ever told.
    Null,
    /// A mailbox.
    Mailbox(Mailbox),
}

/// Whom a message is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ForwardPath {
    /// Whoever looks after this server, `<postmaster>` (RFC 5321, section 4.5.1).
    Postmaster,
    /// A mailbox.
    Mailbox(Mailbox),
}

impl ReversePath {
    /// The mailbox, if there is one.
    pub const fn mailbox(&self) -> Option<&Mailbox> {
        match self {
            Self::Null => None,
            Self::Mailbox(mailbox) => Some(mailbox),
        }
    }

    /// Whether it can be written where SMTPUTF8 is not spoken.
    pub fn is_ascii(&self) -> bool {
        self.mailbox().is_none_or(Mailbox::is_ascii)
    }

    /// The path at the front of `text`, and what follows it.
    pub(in crate::smtp) fn take(text: &str) -> Result<(Self, &str), AddressError> {
        if let Some(rest) = text.strip_prefix("<>") {
            return Ok((Self::Null, rest));
        }
        let (mailbox, rest) = bracketed(text)?;
        Ok((Self::Mailbox(mailbox), rest))
    }
}

impl ForwardPath {
    /// The mailbox, if it is not that of the postmaster of nowhere.
    pub const fn mailbox(&self) -> Option<&Mailbox> {
        match self {
            Self::Postmaster => None,
            Self::Mailbox(mailbox) => Some(mailbox),
        }
    }

    /// Whether it can be written where SMTPUTF8 is not spoken.
    pub fn is_ascii(&self) -> bool {
        self.mailbox().is_none_or(Mailbox::is_ascii)
    }

    /// The path at the front of `text`, and what follows it.
    pub(in crate::smtp) fn take(text: &str) -> Result<(Self, &str), AddressError> {
        const POSTMASTER: &str = "<postmaster>";
        if let Some((front, rest)) = text.split_at_checked(POSTMASTER.len())
            && front.eq_ignore_ascii_case(POSTMASTER)
        {
            return Ok((Self::Postmaster, rest));
        }
        let (mailbox, rest) = bracketed(text)?;
        Ok((Self::Mailbox(mailbox), rest))
    }
}

impl fmt::Display for ReversePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("<>"),
            Self::Mailbox(mailbox) => write!(f, "<{mailbox}>"),
        }
    }
}

impl fmt::Display for ForwardPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Postmaster => f.write_str("<postmaster>"),
            Self::Mailbox(mailbox) => write!(f, "<{mailbox}>"),
        }
    }
}

/// A mailbox between `<` and `>`, perhaps behind a source route, and what follows it.
fn bracketed(text: &str) -> Result<(Mailbox, &str), AddressError> {
    let inside = text.strip_prefix('<').ok_or(AddressError::Brackets)?;
    let (mailbox, rest) = Mailbox::take(behind_route(inside)?)?;
    Ok((mailbox, rest.strip_prefix('>').ok_or(AddressError::Brackets)?))
}

/// What follows a source route, `@a.example,@b.example:`; everything where there is none.
fn behind_route(text: &str) -> Result<&str, AddressError> {
    let mut rest = text;
    while let Some(named) = rest.strip_prefix('@') {
        let (_, behind) = Host::take(named)?;
        if let Some(address) = behind.strip_prefix(':') {
            return Ok(address);
        }
        rest = behind.strip_prefix(',').ok_or(AddressError::Domain)?;
    }
    // A comma with nothing behind it is no route.
    if rest.len() == text.len() { Ok(text) } else { Err(AddressError::Domain) }
}
