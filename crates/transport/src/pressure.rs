//! Back pressure (H16).
//!
//! Queue length, disk and memory each are low, medium or high. From medium on strangers are slowed down, longer the
//! longer it lasts; at high nobody hands in anything: `452 4.3.1`. A level rises the moment a value is above its mark
//! and falls only when the value has been at a lower mark for a while, so that nothing flickers.
//!
//! | module | the one idea |
//! |---|---|
//! | [`settings`] | marks of each resource, and how strangers are slowed down |
//! | [`gauge`] | the level of one resource |
//! | [`pressures`] | all resources together, the verdict, and events |

pub mod gauge;
pub mod pressures;
pub mod settings;

pub use gauge::{Change, Gauge, Level};
pub use pressures::{Observation, Pressures, Verdict};
pub use settings::{Marks, MarksError, PressureSettings, Resource};
