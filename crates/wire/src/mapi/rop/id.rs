//! What a ROP is.

use std::fmt;

use super::table;

/// The identifier of a ROP.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RopId(pub u8);

impl RopId {
    /// Forgets a handle. It has no response.
    pub const RELEASE: Self = Self(0x01);
    /// Tells a client that something happened. Only a response.
    pub const NOTIFY: Self = Self(0x2A);
    /// Tells a client that another session has notifications. Only a response.
    pub const PENDING: Self = Self(0x6E);
    /// Tells a client to back off. Only a response.
    pub const BACKOFF: Self = Self(0xF9);
    /// Opens a mailbox or the public folders.
    pub const LOGON: Self = Self(0xFE);
    /// Tells a client that its answer has not enough room. Only a response.
    pub const BUFFER_TOO_SMALL: Self = Self(0xFF);

    /// The name as the documents have it, of those that a client may send.
    pub fn name(self) -> Option<&'static str> {
        table::find(self.0).map(|row| row.name)
    }
}

impl fmt::Debug for RopId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RopId({self})")
    }
}

impl fmt::Display for RopId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "{:#04x}", self.0),
        }
    }
}
