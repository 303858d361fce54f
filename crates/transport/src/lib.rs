//! What mail transport decides.
//!
//! Where a message goes next, whom of a next hop's targets it may go to, when it is tried again, who may hand mail in,
//! when mail is refused, and what is kept until somebody else has it: each is a function of settings, observations and
//! `now`. There is no socket here, no task, no clock, no file and no syntax; listeners, sessions and deliveries ask.
//!
//! | module | the one idea |
//! |---|---|
//! | [`domain`] | the domain of a recipient, compared without case |
//! | [`host_port`] | a server by its host and port, as it is configured |
//! | [`routing`] | from a recipient to a next hop, and from several recipients to copies of a message |
//! | [`next_hop`] | from a next hop to its targets: mail exchangers, smart hosts, levels |
//! | [`queue`] | the queue of one next hop: concurrency, replies, retry, notices, expiry |
//! | [`receive`] | who may hand mail in, what he is offered, how often he may come |
//! | [`pressure`] | when queue, disk or memory is short: who is slowed down, who is refused |
//! | [`shadow`] | what is kept until somebody else has it, and when it is sent again |
//! | [`connectivity`] | the connectivity log: its lines, its files |

pub mod connectivity;
pub mod domain;
pub mod host_port;
pub mod next_hop;
pub mod pressure;
pub mod queue;
pub mod receive;
pub mod routing;
pub mod shadow;

pub use domain::{Domain, DomainError};
pub use host_port::{Host, HostPort, HostPortError};
