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
//! | [`intake`] | a message on its way into the durable queue |
//! | `content` | a message's bytes on its way out |
//! | `queues` | what waits for whom, and its deliveries |

mod content;
pub mod envelope;
pub mod intake;
pub mod organisation;
mod queues;
pub mod settings;
mod connectivity_log;
mod metrics;
mod outgoing;
mod reports;
mod resolver;
