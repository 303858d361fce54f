//! How the gateway goes, in JSON (T21).

use serde::{Deserialize, Serialize};

use super::origin::OriginCalls;

/// How the gateway goes, at this moment and in the last minutes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// This moment.
    pub at: String,
    /// Whether owners are held to their budgets; if not, they are only observed.
    pub enforces: bool,
    /// Whether that is so because the bypass is on.
    pub bypass: bool,
    /// Open connections.
    pub connections: u64,
    /// The load of all processors, in percent, over about the last ten seconds.
    pub cpu_percent: f64,
    /// Budgets, used lately or not.
    pub budgets: usize,
    /// Calls that wait for their owner's budget at this moment.
    pub waiting: u32,
    /// The calls at each origin (T23).
    #[serde(default)]
    pub origins: Vec<OriginCalls>,
    /// Requests a second, in the last minute.
    pub requests_per_second: f64,
    /// The last minute.
    pub last_minute: Traffic,
    /// The last ten minutes, second by second, the oldest first.
    pub seconds: Vec<SecondView>,
}

/// How many requests came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Requests that ended.
    pub requests: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Those that were delayed.
    pub delayed: u64,
    /// Those that would have been refused, had anybody been held to his budget.
    pub would_refuse: u64,
    /// Those that would have been delayed.
    pub would_delay: u64,
}

/// One second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SecondView {
    /// When it ended.
    pub at: String,
    /// Its requests.
    #[serde(flatten)]
    pub traffic: Traffic,
    /// Connections that were open at its end.
    pub connections: u64,
    /// The load of all processors, in percent.
    pub cpu_percent: f64,
}
