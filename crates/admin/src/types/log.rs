//! Lines of the event log and of the audit log in JSON: as they are written, and as they are answered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One event (T16).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRecord {
    /// When it happened: `2026-11-30T07:38:41.123456Z`.
    pub time: String,
    /// Its kind.
    pub id: u16,
    /// How much it matters: `information`, `warning` or `error`.
    pub level: String,
    /// What happened, why, and what to do.
    pub text: String,
    /// The name of the process that says so.
    pub process: String,
    /// Its number.
    pub pid: u32,
    /// The facts, by name.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// How many events of this kind came before it within the minute and were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub suppressed: u64,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// When it was made: `2026-11-30T07:38:41.123456Z`.
    pub time: String,
    /// By whom.
    pub who: String,
    /// What was done: `policy.set`.
    pub action: String,
    /// The thing it was done to, by name.
    pub target: String,
    /// How that looked before; null where it did not exist.
    pub before: Option<Value>,
    /// How it looks since; null where it does not exist any more.
    pub after: Option<Value>,
}

/// Which events are asked for; what is absent does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventFilter {
    /// Those of this kind.
    pub id: Option<u16>,
    /// Those since then: how long ago (`30m`, `1h`, `2d`), or a time (`2026-11-30T10:00:00Z`).
    pub since: Option<String>,
    /// Those that speak of this owner, by any of his names.
    pub owner: Option<String>,
    /// So many at most.
    pub limit: Option<usize>,
}

/// Which changes are asked for; what is absent does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditFilter {
    /// Those since then, as in [`EventFilter`].
    pub since: Option<String>,
    /// Those made to the thing of this name, in any case.
    pub target: Option<String>,
    /// So many at most.
    pub limit: Option<usize>,
}

/// What was found in a log, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt<T> {
    /// The lines.
    pub items: Vec<T>,
    /// Whether these are all that match; if not, older ones were not looked at.
    pub complete: bool,
    /// How many lines on the way could not be read.
    pub broken: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
