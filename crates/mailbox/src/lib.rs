//! The embedded mailbox server.
