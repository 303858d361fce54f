//! Shadow redundancy (H12).
//!
//! Whoever hands a message to a partner keeps it – its *shadow* – until the partner says that it went onward. The
//! holder asks, the partner answers with discard notices, which it keeps until it knows that they were read. A partner
//! that is not heard of for too long is taken to be dead: its messages are sent again. One that comes back with another
//! queue database has lost them: they are sent again at once. One that comes back with the same database after that has
//! them still, so that some arrive twice; those are counted.
//!
//! | the partner | what the holder does |
//! |---|---|
//! | says that a message went onward | forgets it |
//! | is silent, and nothing else comes by | heartbeats, 15 minutes apart |
//! | is silent for 12 heartbeats | takes over: sends again what can go another way |
//! | the same, and there is no other way | waits, and goes on asking |
//! | comes back, same database, before that | goes on as before |
//! | comes back, same database, after that | counts what it hears of as duplicates |
//! | comes back with another database | sends everything again at once |
//!
//! | module | the one idea |
//! |---|---|
//! | [`settings`] | intervals and bounds |
//! | [`holdings`] | the holder's side |
//! | [`promises`] | the side of who took the message |
//! | [`record`] | what both write down: opaque bytes for the durable queue |
//! | [`acknowledgement`] | how long the last 250 waits for peers without shadows |

pub mod acknowledgement;
pub mod holdings;
pub mod promises;
pub mod record;
pub mod settings;

pub use acknowledgement::{Acknowledge, acknowledge};
pub use holdings::{Contact, Discarded, Holdings, HoldingsFull, Silence};
pub use promises::{Answer, Promises};
pub use record::{Notice, Promise, RecordError, Shadow, ShadowId, TokenError};
pub use settings::ShadowSettings;
