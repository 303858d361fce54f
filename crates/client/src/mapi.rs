//! A client for MAPI over HTTP.
//!
//! [`MapiClient`] is what most programs want: it connects, logs on to mailboxes, lists folders and messages, reads, writes
//! and waits for events. Beneath it, [`Session`] decides what to send and when, without input or output: it puts ROPs
//! together, keeps the handles of what is open, and holds back what a server has told it to hold back (R11). Whoever brings
//! his own connection can use it alone. The protocol's own words are in [`wire`].
//!
//! Absent: the address book, autodiscovery, any but Basic authentication, and more than one call at a time.

mod batch;
mod cells;
mod client;
mod connection;
mod cookies;
mod distinguished_name;
mod endpoint;
mod error;
mod events;
#[cfg(test)]
mod fake;
mod holds;
mod identity;
mod link;
mod listing;
mod mailbox;
mod message;
mod objects;
mod replies;
#[cfg(test)]
mod scripted;
mod seen;
mod session;
mod settings;
mod trust;

pub use batch::{Batch, BatchId, Replies};
pub use client::MapiClient;
pub use distinguished_name::legacy_dn;
pub use endpoint::{Endpoint, EndpointError};
pub use error::MapiError;
pub use events::Subscription;
pub use listing::{Folder, MAX_FOLDERS, MessageSummary, Page};
pub use mailbox::Mailbox;
pub use message::{MAX_BODY, OpenedMessage};
pub use session::{
    MAX_ANSWER, MAX_NOTIFICATIONS, MAX_PAYLOAD, MAX_WAITING, Retry, Session, SessionCounts, SessionError,
    Step,
};
pub use settings::{Credentials, Limits, Settings};
pub use weir_wire::mapi as wire;
