//! The calls at an origin, of which so many run at once and the rest wait, in JSON (T23).

use serde::{Deserialize, Serialize};

/// How many calls run at an origin, how many may, and how many wait for a place there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginLoad {
    /// Calls that run.
    pub running: u32,
    /// How many may, as found from the time that the origin takes; null where fair share is off.
    pub limit: Option<u32>,
    /// Calls that wait.
    pub waiting: u32,
}

/// One origin, and the calls there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginCalls {
    /// What the origin is called: `embedded`, or its first server.
    pub origin: String,
    /// Its calls.
    #[serde(flatten)]
    pub load: OriginLoad,
}

/// What of an owner's calls runs and waits at one origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerCalls {
    /// What the origin is called.
    pub origin: String,
    /// His calls that run.
    pub running: u32,
    /// His calls that wait.
    pub waiting: u32,
    /// How much time of the origin he has used beyond his share, in milliseconds.
    pub ahead_ms: u64,
    /// The calls of all owners there.
    pub all: OriginLoad,
}
