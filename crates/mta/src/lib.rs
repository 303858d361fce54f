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

mod administration;
mod connectivity_log;
mod content;
pub mod envelope;
mod inbound;
pub mod intake;
mod listener;
pub mod metrics;
pub mod organisation;
mod outgoing;
mod policy_service;
mod pressure;
mod queues;
mod reports;
mod resolver;
pub mod server;
pub mod settings;
pub mod view;

pub use server::{Bound, Mta, Parts, StartError};
