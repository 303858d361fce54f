//! One connection to a target, of SMTP or LMTP: how it is made, and how messages go over it (H1, H4).
//!
//! What a reply means is [`weir_transport::queue`]'s to say; which target is tried, and when again, is the caller's. Here
//! is what lies between: the socket, TLS, and a bound on every wait – the whole answer to one command has one, so that a
//! peer that sends a byte a minute is as silent as one that sends none. A connection on which anything came out of turn
//! is never used again.
//!
//! | module | the one idea |
//! |---|---|
//! | [`dialer`] | a connection is made: the socket, and without TLS where TLS fails and need not be |
//! | [`acquaintance`] | banner, EHLO, STARTTLS, AUTH, XSHADOW |
//! | [`trust`] | whose certificates are believed |
//! | [`link`] | replies in, bytes out, each within its time |
//! | [`connection`] | what a connection is good for |
//! | [`transfer`] | one message: envelope, content, answers |
//! | [`fitting`] | what a message needs of a peer |
//! | [`body`] | a message's bytes as they are written |
//!
//! Absent: BDAT. A message behind DATA needs one round trip more, and every peer takes it.

mod acquaintance;
mod body;
mod connection;
mod dialer;
mod fitting;
mod link;
#[cfg(test)]
mod tests;
mod transfer;
mod trust;

use std::fmt;
use std::sync::Arc;

use weir_balance::Failure;
use weir_spool::SpoolError;
use weir_transport::queue::{Feedback, Outcome, Reply, Stage};
use weir_wire::smtp::{Credentials, Token};

pub(crate) use connection::Connection;
pub(crate) use dialer::Dialer;
pub use dialer::DialerError;

use crate::settings::TlsPolicy;

/// What is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// One answer to a message.
    Smtp,
    /// An answer for each recipient (RFC 2033).
    Lmtp,
}

/// How a target is spoken to.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// What is spoken.
    pub(crate) protocol: Protocol,
    /// What the encryption has to be.
    pub(crate) tls: TlsPolicy,
    /// What we prove ourselves with, where the peer asks for it and nobody listens: the connection is encrypted, or does
    /// not leave this host.
    pub(crate) login: Option<Credentials>,
    /// The name under which we keep shadows of what this peer takes; none where it is no partner (H12).
    pub(crate) shadow_holder: Option<Token>,
}

/// What is known of a message's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// How many there are.
    pub(crate) bytes: u64,
    /// Whether any is beyond ASCII.
    pub(crate) eight_bit: bool,
}

/// Why there is no connection.
#[derive(Clone, Debug)]
pub(crate) struct OpenError {
    /// What happened, as far as the list of unhealthy targets has a word for it.
    pub(crate) failure: Failure,
    /// What the peer said, if that was the reason.
    pub(crate) reply: Option<Reply>,
    /// How far it came.
    pub(crate) stage: Stage,
    /// What happened, for people.
    pub(crate) text: Arc<str>,
    /// Whether it connected and was not turned away in the ways of H4: then the target is healthy, whatever `failure`
    /// says.
    pub(crate) connected: bool,
}

/// What became of a message.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// What became of each recipient, in their order.
    pub(crate) outcomes: Vec<Outcome>,
    /// Whether the connection is good for another message.
    pub(crate) usable: bool,
    /// What was learned about how much the next hop bears.
    pub(crate) feedback: Vec<Feedback>,
    /// Bytes of the message that were sent.
    pub(crate) bytes: u64,
    /// What ended the connection, where no reply did.
    pub(crate) broken: Option<Arc<str>>,
    /// Why the message cannot be read: the fault is here, and no peer's.
    pub(crate) unreadable: Option<SpoolError>,
}

impl OpenError {
    /// Whether it makes the target unhealthy (H4).
    pub(crate) const fn marks(&self) -> bool {
        !self.connected && self.failure.marks()
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A reply as decisions take it.
fn said(reply: &weir_wire::smtp::Reply) -> Reply {
    let (code, line) = (reply.code().number(), reply.to_string());
    Reply::new(code, line.get("250 ".len()..).unwrap_or_default())
}
