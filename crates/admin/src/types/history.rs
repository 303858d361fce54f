//! What is remembered of an owner, in JSON (T21).

use serde::{Deserialize, Serialize};

/// What is remembered of an owner; empty for one who was not seen for long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerHistory {
    /// The client programs that he used, the one seen last first.
    pub programs: Vec<ClientProgram>,
    /// His calls that were refused or delayed, or would have been, the latest first.
    pub throttled: Vec<ThrottledCall>,
    /// The last 60 minutes, the oldest first, the one that is not over last.
    pub minutes: Vec<MinuteView>,
}

/// A client program, as it calls itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientProgram {
    /// Its user agent; empty where it states none.
    pub user_agent: String,
    /// When it was first seen.
    pub first_seen: String,
    /// When it was last seen.
    pub last_seen: String,
    /// How many requests it sent.
    pub requests: u64,
}

/// A call that was refused or delayed, or would have been, with its line of the request log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThrottledCall {
    /// When it ended; where it stands for several, when the last of them did.
    pub at: String,
    /// Where it stands for several, when the first of them ended.
    pub first_at: String,
    /// How many calls of the same kind, within a minute, it stands for.
    pub count: u64,
    /// The component: `EWS`.
    pub component: String,
    /// What was decided: `refuse`, `delay`, and for who is only observed `would-refuse`, `would-delay`.
    pub verdict: String,
    /// The part that decided it: `PercentTimeInCAS`.
    pub part: String,
    /// How long it waited, in milliseconds; the longest wait where it stands for several.
    pub waited_ms: u64,
    /// The HTTP status of its answer.
    pub status: u16,
    /// Its line in the request log; the latest where it stands for several.
    pub line: String,
}

/// What an owner did in one minute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinuteView {
    /// When it began.
    pub at: String,
    /// Requests that ended in it.
    pub requests: u32,
    /// Those that were refused.
    pub refused: u32,
    /// Those that were delayed.
    pub delayed: u32,
    /// Those that would have been refused, had he been held to his budget.
    pub would_refuse: u32,
    /// Those that would have been delayed.
    pub would_delay: u32,
    /// The gateway's time that was used in it, in milliseconds.
    pub cas_ms: u64,
    /// The origin's time that was used in it, in milliseconds.
    pub rpc_ms: u64,
}

/// Which lines of the request log to look at: around a time, or since one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnerLogFilter {
    /// A time of day in UTC (`10:14`), the last that has come, or a point in time (`2026-11-30T10:14:00Z`): the minute
    /// that begins with it, one before and one after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// How long ago (`30m`, `1h`, `2d`), or a point in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// What the request log says of an owner in a span of time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerLog {
    /// The beginning of the span.
    pub from: String,
    /// Its end.
    pub to: String,
    /// Requests that ended in it.
    pub requests: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Those that were delayed.
    pub delayed: u64,
    /// Those that would have been refused, had he been held to his budget.
    pub would_refuse: u64,
    /// Those that would have been delayed.
    pub would_delay: u64,
    /// The lines of those that were refused or delayed, or would have been: the first 100.
    pub throttled: Vec<String>,
    /// The lines of the ten that took longest, the slowest first.
    pub slowest: Vec<String>,
    /// Whether the whole span was looked at: not where its part of the log is longer than 256 MiB.
    pub complete: bool,
}
