//! Addresses of mail: mailboxes, hosts, and the paths that MAIL and RCPT carry.
//!
//! A [`Mailbox`] is held in one normal form, so that two spellings of the same address are equal: the local part
//! without the quotes that it does not need, the domain in lower case. The local part keeps its letters' case, since it
//! belongs to the receiving host alone (RFC 5321, section 2.4); [`Mailbox::key`] is for look-ups, where `John` and
//! `john` are one. Source routes are read and dropped (RFC 5321, appendix C). Addresses may be of any script (RFC 6531);
//! whether the session allows it is asked with [`Mailbox::is_ascii`].
//!
//! Absent: the mapping between `bücher.example` and `xn--bcher-kva.example`, which the resolver of names brings.

mod host;
mod path;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use host::Host;
pub use path::{ForwardPath, ReversePath};

/// The most bytes of a local part. RFC 5321 has 64 and asks for more where that is possible; addresses that encode
/// another one (bounce addresses of mailing lists) need it.
pub const MAX_LOCAL_PART: usize = 128;

/// The most bytes of a domain.
pub const MAX_DOMAIN: usize = 255;

/// The most bytes of a domain's label.
pub const MAX_LABEL: usize = 63;

/// One address: a local part at a host.
///
/// ```
/// use weir_wire::smtp::Mailbox;
/// let john: Mailbox = "\"John.Doe\"@Example.COM".parse()?;
/// assert_eq!(john.to_string(), "John.Doe@example.com");
/// assert_eq!(john.key(), "john.doe@example.com");
/// assert_eq!("\"john doe\"@[192.0.2.1]".parse::<Mailbox>()?.local(), "john doe");
/// # Ok::<(), weir_wire::smtp::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mailbox {
    local: Box<str>,
    host: Host,
}

/// Why text is no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// What stands before the `@` is empty or has what cannot stand there.
    #[error("the part before the @ is malformed")]
    LocalPart,
    /// What stands behind the `@` is no domain and no address literal, or is missing.
    #[error("the domain is malformed or missing")]
    Domain,
    /// Longer than addresses are.
    #[error("the address is longer than {limit} bytes in one of its parts")]
    TooLong {
        /// The most bytes of that part.
        limit: usize,
    },
    /// Not between `<` and `>`, or with something behind the address.
    #[error("an address stands between < and >")]
    Brackets,
}

impl Mailbox {
    /// The local part, without quotes.
    pub fn local(&self) -> &str {
        &self.local
    }

    /// The host whose mailbox it is.
    pub const fn host(&self) -> &Host {
        &self.host
    }

    /// Whether it can be written where SMTPUTF8 is not spoken.
    pub fn is_ascii(&self) -> bool {
        self.local.is_ascii() && self.host.is_ascii()
    }

    /// What look-ups and counts go by: the address with the local part in lower case too, as every mail system in
    /// use compares its own. Not for writing into an envelope.
    pub fn key(&self) -> String {
        self.to_string().to_lowercase()
    }

    /// The mailbox at the front of `text`, and what follows it.
    pub(super) fn take(text: &str) -> Result<(Self, &str), AddressError> {
        let (local, rest) = local_part(text)?;
        let (host, rest) = Host::take(rest.strip_prefix('@').ok_or(AddressError::Domain)?)?;
        Ok((Self { local: local.into(), host }, rest))
    }
}

impl FromStr for Mailbox {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        match Self::take(text)? {
            (mailbox, "") => Ok(mailbox),
            (_, _) => Err(AddressError::Domain),
        }
    }
}

impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_dot_atom(&self.local) {
            return write!(f, "{}@{}", self.local, self.host);
        }
        f.write_str("\"")?;
        for letter in self.local.chars() {
            if matches!(letter, '"' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{letter}")?;
        }
        write!(f, "\"@{}", self.host)
    }
}

/// The local part at the front of `text` without its quotes, and what follows it.
fn local_part(text: &str) -> Result<(String, &str), AddressError> {
    let (local, rest) = if let Some(quoted) = text.strip_prefix('"') {
        unquote(quoted).ok_or(AddressError::LocalPart)?
    } else {
        let end = text.find(|letter| letter != '.' && !is_atom(letter)).unwrap_or(text.len());
        let (local, rest) = text.split_at(end);
        if !is_dot_atom(local) {
            return Err(AddressError::LocalPart);
        }
        (local.to_owned(), rest)
    };
    match local.len() {
        0 => Err(AddressError::LocalPart),
        1..=MAX_LOCAL_PART => Ok((local, rest)),
        _ => Err(AddressError::TooLong { limit: MAX_LOCAL_PART }),
    }
}

/// A quoted string whose opening quote is gone, and what follows its closing quote.
fn unquote(text: &str) -> Option<(String, &str)> {
    let (mut value, mut letters) = (String::new(), text.chars());
    loop {
        let letter = match letters.next()? {
            '"' => return Some((value, letters.as_str())),
            '\\' => letters.next()?,
            letter => letter,
        };
        value.push((letter == ' ' || is_visible(letter)).then_some(letter)?);
    }
}

/// Whether `local` is written without quotes: atoms with single dots between them.
fn is_dot_atom(local: &str) -> bool {
    local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atom))
}

fn is_atom(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || "!#$%&'*+-/=?^_`{|}~".contains(letter)
        || !letter.is_ascii() && is_visible(letter)
}

/// Whether a letter neither moves the cursor nor looks like nothing.
pub(super) fn is_visible(letter: char) -> bool {
    !letter.is_control() && !letter.is_whitespace()
}
