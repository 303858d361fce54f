//! The embedded mailbox server.
//!
//! Folders and items in SQLite, and the EWS operations on them (E1, E2, E4, E5). A request is carried out step by
//! step: [`MailboxServer::execute`] runs one step on a thread of the server's own, in one transaction, and gives its
//! response message back. Mail from outside comes in by [`MailboxServer::deliver`], and leaves by an [`Outbound`]. Nothing here knows of throttling, of
//! sockets or of clocks: `now` comes with the [`Session`], the time limit of a full-text search (T1) too.
//!
//! | part | what it holds |
//! |---|---|
//! | [`server`] | the handle, its settings and its threads |
//! | [`session`] | whose mailbox is opened, and who else has one |
//! | [`outbound`] | the way to people whose mailbox is elsewhere |
//! | `store` | schema, identifiers, folders, items |
//! | `find` | restrictions, sort orders, full-text queries and pages, compiled to SQL |
//! | `mime` | messages from and to Internet form |
//! | `operation` | one file an EWS operation |

pub mod demo;
mod find;
pub mod mapi;
mod mime;
mod operation;
pub mod outbound;
pub mod server;
pub mod session;
mod store;
#[cfg(test)]
mod test_world;

pub use demo::DemoPeople;
pub use outbound::{NotSent, Outbound, Outgoing};
pub use server::{MailboxServer, NotDelivered, OpenError, Settings};
pub use session::{AddressBook, Person, Session};
