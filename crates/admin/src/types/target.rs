//! Servers of remote origins in JSON (H4, H10).

use serde::{Deserialize, Serialize};

/// One server that calls can go to, as it is shown. Times are counted from the moment of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetView {
    /// IP address and port: `192.0.2.10:443`.
    pub address: String,
    /// What the configuration calls it: `https://mail01.example.com`.
    pub name: String,
    /// `unproved` (no connection has succeeded yet), `healthy`, `unhealthy`, `draining` or `disabled`.
    pub state: String,
    /// How the last attempt failed, for a server on the list of the unhealthy.
    pub error: Option<String>,
    /// Retries made in vain since it was put on that list.
    pub retries: u32,
    /// How long ago the last attempt ended, in milliseconds; null for a server that is not on that list.
    pub last_attempt_ms: Option<u64>,
    /// In how many milliseconds the next retry is due; null for a server that is not on that list.
    pub next_retry_ms: Option<u64>,
    /// Whether its first connection or a due retry is being made at this moment.
    pub probing: bool,
}
