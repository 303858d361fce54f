//! SMTP and what belongs to it, as syntax (H12–H16, T19).
//!
//! Both sides of a session, without a socket: bytes are fed in pieces of any size and become events or replies; what is
//! to be sent is written into a buffer. How the bytes were cut changes nothing. Every line, list and counter has a bound
//! with a name, nothing here panics, and no text from the one side can begin a line of its own on the other.
//!
//! Absent: sockets, time, what may be sent by whom, and where to. Sources: RFC 5321 and the extensions named in the
//! modules. The parser crate `smtp-proto` is an independent reader in the tests and no more: it takes other ends of a
//! message for one than CR LF `.` CR LF, and never sees that of an empty message.
//!
//! | module | what it holds |
//! |---|---|
//! | [`mailbox`] | addresses and paths |
//! | [`command`], [`parameter`] | commands with their parameters, and what is wrong with them |
//! | [`extension`] | what EHLO offers |
//! | [`reply`] | replies, T19's texts among them, and their reader |
//! | [`server`] | the server's side of a session |
//! | [`content`] | what comes in behind DATA and BDAT |
//! | [`client`] | groups of commands, and what goes out behind DATA and BDAT |
//! | [`auth`] | PLAIN and LOGIN |
//! | [`shadow`] | XSHADOW and XQDISCARD |
//! | [`header`], [`received`] | what a relay reads of a header, and what it adds |
//! | [`report`] | delivery status notifications |
//! | [`token`] | names that go anywhere |
//! | [`policy`] | Postfix's policy delegation |

pub mod auth;
pub mod client;
pub mod command;
pub mod content;
pub mod extension;
pub mod header;
mod line;
pub mod mailbox;
pub mod parameter;
pub mod policy;
pub mod received;
pub mod reply;
pub mod report;
pub mod server;
pub mod shadow;
#[cfg(test)]
mod tests;
pub mod token;
mod xtext;

pub use auth::{Credentials, Mechanism, Secret};
pub use client::{Encoder, Pipeline};
pub use command::{Command, CommandError, Fault, Hello};
pub use content::{Bare, ContentFault, ContentRules, Framing, Summary};
pub use extension::{Extension, Extensions};
pub use header::{HeaderFacts, HeaderScanner};
pub use mailbox::{AddressError, ForwardPath, Host, Mailbox, ReversePath};
pub use parameter::{Body, GiveBack, Mail, Notify, OriginalRecipient, Recipient};
pub use received::Received;
pub use reply::{Class, Code, Reply, ReplyError, ReplyReader, Status};
pub use report::Report;
pub use server::{Challenge, Event, Limits, Server};
pub use shadow::{DiscardNotices, DiscardQuery};
pub use token::Token;
