//! The running mail transport: SMTP in, the durable queue, SMTP and LMTP out.
//!
//! What is decided is decided in `weir_transport` and `weir_balance`, syntax is `weir_wire`'s, and the disk is
//! `weir_spool`'s. Here are the sockets, the tasks and the clock that tie them together.
//!
//! | module | the one idea |
//! |---|---|
//! | [`settings`] | every limit and switch, each with its name |
//! | [`organisation`] | what is asked of the rest of the server |
//! | [`envelope`] | what the durable queue keeps beside a message's body |
//! | `listener`, `inbound`, `session` | SMTP in: connections, what they share, one of them |
//! | `words` | what sessions answer |
//! | [`intake`] | a message on its way into the durable queue |
//! | `connectivity_log` | the connectivity log on disk |
//! | `content` | a message's bytes on its way out |
//! | `outgoing` | one connection to a target |
//! | `queues` | what waits for whom, and its deliveries |
//! | [`view`] | what an administrator sees of it |
//! | [`metrics`] | its numbers |
//! | `reports` | what became of a message, told to its sender |
//! | `resolver` | from a next hop to its targets |

mod connectivity_log;
mod content;
pub mod envelope;
mod inbound;
pub mod intake;
mod listener;
pub mod metrics;
pub mod organisation;
mod outgoing;
mod queues;
mod reports;
mod resolver;
mod session;
pub mod settings;
pub mod view;
mod words;
