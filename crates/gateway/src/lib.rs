//! Client access: listeners, fronts, origins, settling and logging.
//!
//! The gateway stands between clients and the mailbox server. A request goes through five acts: who asks
//! (`who`), may he (`permit`), what does he ask (`ews::front`), the work itself (`ews::batch`, `origin`), and settling
//! (`visit`). It makes no decision of its own about budgets – those are `weir_throttle`'s – and knows no syntax – that
//! is `weir_wire`'s.
//!
//! | module | the one idea |
//! |---|---|
//! | [`gateway`] | what all requests share; listeners and housekeeping |
//! | [`settings`] | every limit and switch, each with its name |
//! | `listener`, `timed_io`, `body`, `answers` | connections and bodies within their bounds |
//! | `workers` | the threads that connections are served on |
//! | `client_address` | whose word about the client is taken |
//! | [`credentials`], [`guard`], `who` | from credentials to an owner (T8) |
//! | [`claim`] | who a request before a remote origin says it is from, and what the answer proves (T8) |
//! | [`block`] | which client programs are kept out (R16) |
//! | `permit`, `visit` | one call's hold on a budget, one request's life |
//! | `ews` | the front that speaks EWS |
//! | [`mapi`] | MAPI over HTTP: sessions and what they are told (R1–R15) |
//! | [`origin`] | the embedded origin's address book |
//! | [`remote`] | mail systems that exist, as origins |
//! | [`submission`] | those who send mail: who logs in, and what a message costs him (T8, T19) |
//! | [`subscriptions`] | subscriptions that live at the origin (T7) |
//! | [`cpu_source`], `cpu` | the processor's load (T9) |
//! | [`history`], [`pulse`], [`spenders`], [`overview`] | what is remembered of each owner and of all, and who uses most (T21) |
//! | [`request_log`], [`metrics`], `warnings` | what the world sees (T16–T18) |
//! | [`tls`] | certificates, made and reread |

mod answers;
pub mod block;
mod body;
pub mod claim;
mod client_address;
mod cpu;
pub mod cpu_source;
pub mod credentials;
mod ews;
pub mod gateway;
pub mod guard;
pub mod history;
mod listener;
pub mod mapi;
pub mod metrics;
pub mod origin;
pub mod overview;
mod permit;
mod places;
pub mod pulse;
pub mod remote;
pub mod request_log;
pub mod settings;
pub mod spenders;
pub mod submission;
pub mod subscriptions;
#[cfg(test)]
mod testing;
mod timed_io;
pub mod tls;
mod visit;
mod warnings;
mod who;
mod workers;

pub use gateway::{Bound, Gateway, Origin, Parts, StartError};
pub use settings::Settings;
pub use workers::Threads;
