//! Targets in JSON: servers of remote origins, and those that mail goes to (H4, H10).

use serde::{Deserialize, Serialize};

/// Who sends anything to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsedBy {
    /// The gateway: it is a server of a remote origin.
    Origin,
    /// The mail transport.
    Transport,
}

impl UsedBy {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Origin => "origin",
            Self::Transport => "transport",
        }
    }
}

/// One server that calls or mail can go to, as it is shown. Times are counted from the moment of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetView {
    /// IP address and port: `192.0.2.10:443`.
    pub address: String,
    /// What the configuration or the domain name system calls it: `https://mail01.example.com`, `mx1.example.com`.
    pub name: String,
    /// Who sends anything there.
    pub used_by: UsedBy,
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

/// A target that was told something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedTarget {
    /// How it is since.
    #[serde(flatten)]
    pub target: TargetView,
    /// How it is since with the other one of origin and mail transport, where both use that address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also: Option<TargetView>,
}
