//! What refused clients are told.
//!
//! Codes and texts are those that clients and administrators of Exchange and Postfix know.

use std::fmt;

/// A reply: code, enhanced status code, text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// The three digits.
    pub code: u16,
    /// The enhanced status code (RFC 3463).
    pub status: (u8, u16, u16),
    /// What happened.
    pub text: &'static str,
}

impl Words {
    /// No connector takes connections from that address.
    pub const NOT_FOR_YOU: Self = Self::new(554, (5, 7, 1), "No mail is taken from this address");
    /// Too many connections, of all sources together.
    pub const TOO_MANY_CONNECTIONS: Self =
        Self::new(421, (4, 3, 2), "The maximum number of concurrent connections has been reached");
    /// Too many connections of one source.
    pub const TOO_MANY_FROM_SOURCE: Self = Self::new(
        421,
        (4, 3, 2),
        "The maximum number of concurrent connections from your address has been reached",
    );
    /// Too many connections in a minute.
    pub const CONNECTION_RATE: Self =
        Self::new(421, (4, 3, 2), "The maximum rate of connections has been reached");
    /// Too many messages in a minute.
    pub const MESSAGE_RATE: Self = Self::new(
        421,
        (4, 4, 2),
        "Message submission rate for this client has exceeded the configured limit",
    );
    /// A command that needs authentication.
    pub const AUTHENTICATE: Self = Self::new(530, (5, 7, 1), "Client was not authenticated");
    /// A recipient that is not ours, for somebody who may send to ours alone.
    pub const NO_RELAY: Self = Self::new(550, (5, 7, 1), "Unable to relay");
    /// Wrong commands, too many of them.
    pub const TOO_MANY_ERRORS: Self =
        Self::new(421, (4, 7, 0), "Too many errors on this connection, closing transmission channel");
    /// Wrong passwords, too many of them.
    pub const TOO_MANY_LOGONS: Self =
        Self::new(421, (4, 7, 0), "Too many failed logons on this connection, closing transmission channel");
    /// The session has lasted too long.
    pub const SESSION_TIMEOUT: Self = Self::new(421, (4, 4, 1), "Connection timed out");
    /// The client said nothing for too long.
    pub const INACTIVE: Self = Self::new(421, (4, 4, 1), "Connection timed out, no command received");
    /// The message has come through too many servers.
    pub const TOO_MANY_HOPS: Self = Self::new(554, (5, 4, 6), "Hop count exceeded - possible mail loop");
    /// Too many recipients of one message.
    pub const TOO_MANY_RECIPIENTS: Self = Self::new(452, (4, 5, 3), "Too many recipients");
    /// A message that is too large.
    pub const TOO_LARGE: Self = Self::new(552, (5, 3, 4), "Message size exceeds fixed maximum message size");
    /// A header that is too large.
    pub const HEADER_TOO_LARGE: Self =
        Self::new(552, (5, 3, 4), "Message header size exceeds fixed maximum size");
    /// The queue, the disk or the memory is full (H16).
    pub const NO_RESOURCES: Self = Self::new(452, (4, 3, 1), "Insufficient system resources");

    const fn new(code: u16, status: (u8, u16, u16), text: &'static str) -> Self {
        Self { code, status, text }
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (class, subject, detail) = self.status;
        write!(f, "{} {class}.{subject}.{detail} {}", self.code, self.text)
    }
}
