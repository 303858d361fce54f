//! The identity of a mailbox or a policy, which no renaming changes.

use std::fmt;
use std::sync::Arc;

/// A globally unique identifier in its usual form, `8-4-4-4-12` hexadecimal digits in lower case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid(Arc<str>);

/// What `SQLite` evaluates to make one: random, version 4.
pub(crate) const RANDOM_GUID: &str = "SELECT lower(
    hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
    || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))";

impl Guid {
    /// The identifier that a row of the store holds.
    pub(crate) fn of_row(text: &str) -> Self {
        Self(text.into())
    }

    /// The identifier's text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
