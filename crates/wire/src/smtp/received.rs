//! The `Received` field that every server puts on top of a message (RFC 5321, section 4.4).
//!
//! What the client called itself is told only where it is a host's name or address; anything else may not stand there,
//! and the address it came from stands in its place.

#[cfg(test)]
mod tests;

use std::net::IpAddr;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use weir_units::WallTime;

use super::command::Hello;
use super::mailbox::{Host, Mailbox};

/// How a message was received.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// What the client called itself.
    pub name: &'a str,
    /// Where it came from.
    pub address: IpAddr,
    /// What that address is called, if that was looked up.
    pub reverse: Option<&'a Host>,
    /// This server.
    pub by: &'a str,
    /// How the client said hello.
    pub hello: Hello,
    /// Whether the connection was encrypted.
    pub secured: bool,
    /// Whether the client was authenticated.
    pub authenticated: bool,
    /// Whether the message came with SMTPUTF8.
    pub smtp_utf8: bool,
    /// What the message is called here.
    pub id: &'a str,
    /// Whom it is for, where that is one.
    pub recipient: Option<&'a Mailbox>,
}

impl Received<'_> {
    /// The field of a message that was received at `now`, with its line endings.
    ///
    /// ```
    /// use weir_units::WallTime;
    /// use weir_wire::smtp::{Hello, Received};
    /// let received = Received {
    ///     name: "pc1.example.com",
    ///     address: "192.0.2.7".parse()?,
    ///     reverse: None,
    ///     by: "hub01.example.com",
    ///     hello: Hello::Ehlo,
    ///     secured: true,
    ///     authenticated: false,
    ///     smtp_utf8: false,
    ///     id: "01",
    ///     recipient: None,
    /// };
    /// assert_eq!(
    ///     received.field(WallTime::from_unix_micros(0)),
    ///     "Received: from pc1.example.com ([192.0.2.7])\r\n by hub01.example.com (Mailweir) with ESMTPS id 01;\r\n \
    ///      Thu, 1 Jan 1970 00:00:00 +0000\r\n",
    /// );
    /// # Ok::<(), std::net::AddrParseError>(())
    /// ```
    pub fn field(&self, now: WallTime) -> String {
        let address = Host::Literal(self.address.to_canonical());
        let named = self.name.parse::<Host>().ok().filter(Host::is_ascii);
        let from = named.unwrap_or_else(|| address.clone());
        let reverse = self.reverse.filter(|name| name.is_ascii());
        let reverse = reverse.map_or_else(String::new, |name| format!("{name} "));
        let recipient = self.recipient.filter(|mailbox| self.smtp_utf8 || mailbox.is_ascii());
        let recipient = recipient.map_or_else(String::new, |mailbox| format!("\r\n for <{mailbox}>"));
        format!(
            "Received: from {from} ({reverse}{address})\r\n by {} (Mailweir) with {} id {}{recipient};\r\n {}\r\n",
            self.by,
            self.protocol(),
            self.id,
            date(now),
        )
    }

    /// The protocol's word (RFC 3848, RFC 6531).
    fn protocol(&self) -> String {
        let name = match self.hello {
            Hello::Helo => return "SMTP".to_owned(),
            Hello::Ehlo if self.smtp_utf8 => "UTF8SMTP",
            Hello::Ehlo => "ESMTP",
            Hello::Lhlo if self.smtp_utf8 => "UTF8LMTP",
            Hello::Lhlo => "LMTP",
        };
        let mut name = name.to_owned();
        for (is_so, letter) in [(self.secured, 'S'), (self.authenticated, 'A')] {
            if is_so {
                name.push(letter);
            }
        }
        name
    }
}

/// A date as header fields have it, in UTC.
pub fn date(at: WallTime) -> String {
    let at = Timestamp::from_second(at.unix_seconds()).unwrap_or(Timestamp::UNIX_EPOCH);
    rfc2822::DateTimePrinter::new().timestamp_to_string(&at).unwrap_or_default().replace("-0000", "+0000")
}
