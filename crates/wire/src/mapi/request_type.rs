//! What a request asks for, as its header `X-RequestType` says (MS-OXCMAPIHTTP, section 2.2.3.3.1).

#[cfg(test)]
mod tests;

use std::fmt;

/// The header that says it.
pub const X_REQUEST_TYPE: &str = "X-RequestType";

/// The requests of the mailbox endpoint, and any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestType {
    /// Begins a session.
    Connect,
    /// Carries ROPs.
    Execute,
    /// Ends a session.
    Disconnect,
    /// Waits, for minutes, until there is something to fetch.
    NotificationWait,
    /// Keeps a session alive.
    Ping,
    /// Any other, such as those of the address book.
    Other,
}

const TABLE: [(RequestType, &str); 5] = [
    (RequestType::Connect, "Connect"),
    (RequestType::Execute, "Execute"),
    (RequestType::Disconnect, "Disconnect"),
    (RequestType::NotificationWait, "NotificationWait"),
    (RequestType::Ping, "PING"),
];

impl RequestType {
    /// The one of that name, in any case.
    pub fn from_name(name: &str) -> Self {
        let known = TABLE.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        known.map_or(Self::Other, |(known, _)| *known)
    }

    /// The name as the protocol spells it; `Other` for any that is not known here.
    pub fn name(self) -> &'static str {
        TABLE.iter().find(|(known, _)| *known == self).map_or("Other", |(_, name)| name)
    }

    /// Whether its time is the server's work: waiting and keeping alive are not (R15).
    pub const fn is_work(self) -> bool {
        match self {
            Self::Connect | Self::Execute | Self::Disconnect | Self::Other => true,
            Self::NotificationWait | Self::Ping => false,
        }
    }
}

impl fmt::Display for RequestType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
