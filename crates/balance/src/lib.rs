//! Healthy servers and rotations as pure decisions.
//!
//! A next hop has several targets; a [`Selector`] says which of them gets the next connection, and one [`Health`] list
//! for the whole process remembers which of them do not answer and when they may be tried again (H1–H10, as far as
//! they are pure). It reads no clock, opens no socket, starts no task and knows no protocol: `now` is the last
//! argument of every decision, callers report how an attempt went, and what changed comes back as a value to log.
//!
//! | module | the one idea |
//! |---|---|
//! | [`target`] | who may be chosen: address, name, weight, what the administrator said |
//! | [`schedule`] | when an unhealthy target is tried again |
//! | [`failure`] | how an attempt ended, whose fault that is, its Winsock code |
//! | [`health`] | the list of unhealthy targets, shared by all selectors |
//! | [`transition`] | what a report changed, for events and the connectivity log |
//! | [`settings`] | rotation, schedule, the all-down rule, who pays for probes |
//! | [`selector`] | which target gets the next connection |
//! | [`attempt`] | what a caller holds from the choice to the report |

mod affinity;
pub mod attempt;
pub mod failure;
pub mod health;
mod member;
mod order;
mod plan;
mod record;
pub mod schedule;
pub mod selector;
pub mod settings;
mod slow_start;
pub mod target;
pub mod transition;
mod wheel;

pub use attempt::{Again, Attempt, Failed, Kind, Pick};
pub use failure::{Blame, Failure};
pub use health::{Health, Listing, TableFull, UnknownTarget};
pub use schedule::{Schedule, ScheduleError, Stage};
pub use selector::{Selector, SelectorError, TARGETS_MAX};
pub use settings::{AllDown, Probes, Rotation, Settings};
pub use target::{Service, State, Target, Weight, WeightError};
pub use transition::{Mark, Transition};
