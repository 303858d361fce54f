//! What the transport asks of the rest of the server, answered by the gateway, the directory and the mailbox server.

pub(super) mod mailboxes;
pub(super) mod outbound;
pub(super) mod recipients;
pub(super) mod submitters;
