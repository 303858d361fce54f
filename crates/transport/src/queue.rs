//! The queue of one next hop (H1, H6, H8).
//!
//! How many connections it may have, what each reply means for whom, when a message is tried again, when its sender
//! hears of it, and what `queue list` shows. The durable queue is elsewhere: this one holds the identities of messages,
//! and is made again from it after a start.
//!
//! | module | the one idea |
//! |---|---|
//! | [`settings`] | intervals and bounds |
//! | [`concurrency`] | how many connections a next hop bears, found by feedback |
//! | [`connection`] | when a connection is opened, and when it has carried enough |
//! | [`reply`] | what a reply means, and for whom |
//! | [`transaction`] | one message over one connection: each recipient's fate, once |
//! | [`ageing`] | retry, delay notice, expiry |
//! | [`rate`] | messages in the last minute |
//! | [`next_hop_queue`] | which message is next, and the state of the queue |
//! | [`listing`] | what `queue list` shows of it |

pub mod ageing;
pub mod concurrency;
pub mod connection;
pub mod listing;
pub mod next_hop_queue;
pub mod rate;
pub mod reply;
pub mod settings;
pub mod transaction;

pub use ageing::{Judgement, MessageAge, Notice, Notify};
pub use concurrency::{Feedback, Window};
pub use connection::{After, Connections, Ending, after_message};
pub use listing::{Listing, QueueState, per_second};
pub use next_hop_queue::{Cause, Deferral, Full, Held, NextHopQueue};
pub use rate::Rate;
pub use reply::{Context, Fate, Meaning, Reply, Stage};
pub use settings::{QueueSettings, QueueSettingsError};
pub use transaction::{Outcome, Step, Transaction};
