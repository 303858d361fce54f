//! What is written on top of a message: its trace, and what a client's own message lacks.
//!
//! A relay adds its `Received` field and nothing else. What somebody submits who just wrote it is completed (RFC 6409,
//! section 8): with a date, and with a name of its own.

#[cfg(test)]
mod tests;

use std::net::IpAddr;

use weir_units::WallTime;
use weir_wire::smtp::received::date;
use weir_wire::smtp::{HeaderFacts, Hello, Mailbox, Received};

/// How a message came in.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    pub(super) hello: Hello,
    /// What the client calls itself.
    pub(super) name: String,
    pub(super) address: IpAddr,
    /// This server.
    pub(super) by: String,
    pub(super) is_secured: bool,
    pub(super) is_authenticated: bool,
    pub(super) smtp_utf8: bool,
    /// What the message is called in its trace.
    pub(super) id: String,
    /// Whom it is for, where that is one: several may not be told of each other.
    pub(super) recipient: Option<Mailbox>,
    pub(super) at: WallTime,
    pub(super) manner: Manner,
}

/// Whose message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// A server's, which leaves it as it is.
    Relayed,
    /// That of a client who just wrote it, and which is completed.
    Submitted,
}

impl Trace {
    /// What stands before the header of which this is known.
    pub(super) fn before(&self, header: &HeaderFacts) -> String {
        let received = Received {
            name: &self.name,
            address: self.address,
            reverse: None,
            by: &self.by,
            hello: self.hello,
            secured: self.is_secured,
            authenticated: self.is_authenticated,
            smtp_utf8: self.smtp_utf8,
            id: &self.id,
            recipient: self.recipient.as_ref(),
        };
        let mut before = received.field(self.at);
        let lacks = |has: bool| self.manner == Manner::Submitted && !has;
        if lacks(header.has_date) {
            before.extend(["Date: ", &date(self.at), "\r\n"]);
        }
        if lacks(header.has_message_id) {
            before.extend(["Message-ID: <", &self.id, "@", &self.by, ">\r\n"]);
        }
        if header.fields == 0 && header.bytes != EMPTY_LINE {
            // There is no header, not even its end: what follows is the body.
            before.push_str("\r\n");
        }
        before
    }
}

/// The bytes of the empty line that ends a header.
const EMPTY_LINE: u64 = 2;
