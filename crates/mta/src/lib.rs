//! The running mail transport: SMTP in, the durable queue, SMTP and LMTP out.
//!
//! What is decided is decided in `weir_transport` and `weir_balance`, syntax is `weir_wire`'s, and the disk is
//! `weir_spool`'s. Here are the sockets, the tasks and the clock that tie them together.
//!
//! | module | the one idea |
//! |---|---|
//! | [`settings`] | every limit and switch, each with its name |
//! | [`organisation`] | what is asked of the rest of the server |
//! | [`server`] | what it is made of, its listeners, its end |
//! | `listener`, `inbound`, `session` | mail that comes in by SMTP |
//! | [`intake`] | a message on its way into the durable queue |
//! | [`envelope`] | what the durable queue keeps beside a message's body |
//! | `queues` | what waits for whom, and its deliveries |
//! | `shadow` | what is kept until a partner has sent it onward |
//! | `resolver` | from next hops to their targets |
//! | `outgoing`, `content` | one connection to a target; a message's bytes on their way out |
//! | `reports` | what senders are told |
//! | `policy_service` | what a Postfix asks that stays where it is (T19) |
//! | `pressure` | what back pressure looks at |
//! | `connectivity_log`, [`metrics`] | what the world sees |
//! | [`view`], `administration` | what an administrator sees and does |

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
mod session;
pub mod settings;
mod shadow;
pub mod view;
mod words;

pub use outgoing::DialerError;
pub use queues::NotRemoved;
pub use server::{Bound, Mta, Parts, StartError};
