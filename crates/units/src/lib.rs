//! The words that all of Mailweir shares.
//!
//! A number never crosses a crate without its unit, and an account never without being an [`Owner`]. The types
//! here hold no policy and make no decision; they know nothing of clocks, sockets or protocols.
//!
//! | module | words |
//! |---|---|
//! | [`time`] | [`Micros`], [`Millis`], [`Tick`] (monotonic), [`WallTime`] |
//! | [`share`] | [`Percent`] of one minute |
//! | [`owner`] | [`Owner`], [`Component`] |
//! | [`part`] | [`Part`], [`TimePart`] – what a budget limits |
//! | [`refusal`] | [`Refusal`] – why a call may not run, said once for log, metric and protocol |
//! | [`network`] | [`AddressRange`] – whom a setting speaks of; [`Source`] – whose connections count together |
//! | [`event`] | [`Event`] – what an administrator should hear about |

pub mod event;
pub mod network;
pub mod owner;
pub mod part;
pub mod refusal;
pub mod share;
pub mod time;

pub use event::{Event, EventId, EventSink, Level};
pub use network::{AddressRange, AddressRangeError, Source};
pub use owner::{Component, Owner};
pub use part::{Part, TimePart};
pub use refusal::Refusal;
pub use share::Percent;
pub use time::{Micros, Millis, Tick, WallTime};
