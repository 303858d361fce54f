//! MAPI sessions in JSON (R2, R12, R13, R17).

use serde::{Deserialize, Serialize};

/// What there is of MAPI: the servers, and the sessions that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapiSessions {
    /// The servers that sessions are at.
    pub origins: Vec<MapiOrigin>,
    /// How many sessions there are of the owner that was asked for, or of all.
    pub total: usize,
    /// Those that were asked for, in the order that was.
    pub items: Vec<MapiSession>,
}

/// One server, as MAPI sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapiOrigin {
    /// What the configuration calls it.
    pub origin: String,
    /// The mean time that it took over its last 1024 packets, in microseconds; null before the first.
    pub average_latency_us: Option<u64>,
    /// What the mean is to stay below, in microseconds.
    pub goal_us: u64,
    /// Packets since the start.
    pub packets: u64,
    /// Sessions.
    pub sessions: usize,
    /// Sessions that asked anything in the last minute.
    pub active: u64,
    /// Those of them that were told to back off in the last minute.
    pub backed_off: u64,
}

/// One session. What the client says of itself is what it says, and no more than that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapiSession {
    /// Its number, for as long as it lives.
    pub id: u64,
    /// Whose it is.
    pub owner: String,
    /// The server that it is at; empty until that has answered.
    pub origin: String,
    /// The client program, as it introduces itself: `Outlook/15.0.4420.1017`.
    pub client: String,
    /// The version that it was judged by; null where it states none.
    pub version: Option<String>,
    /// The process that it runs in; null where it does not say.
    pub process: Option<String>,
    /// The machine that it runs on; null where it does not say.
    pub machine: Option<String>,
    /// The address that it comes from.
    pub address: String,
    /// When it was opened.
    pub since: String,
    /// How long ago it asked anything, in milliseconds.
    pub idle_ms: u64,
    /// How many mailboxes it has opened.
    pub mailboxes: u32,
    /// Operations passed to the server in the last minute.
    pub rops_last_minute: u64,
    /// The mean gap between those, in microseconds; null where there were none. Below the server's latency, the session
    /// is told to back off.
    pub mean_gap_us: Option<u64>,
    /// Operations passed to the server since it was opened.
    pub rops: u64,
    /// How often it was told to back off.
    pub backoffs: u64,
    /// For how long, all together, in milliseconds.
    pub backoff_ms: u64,
    /// For how long it is to back off yet, in milliseconds.
    pub owes_ms: u64,
    /// Whether it asked anything in the last minute.
    pub active: bool,
    /// Whether it was told to back off in the last minute.
    pub backed_off: bool,
    /// The latency that the client reports, in microseconds: the mean of its last report; null where it reports none.
    pub seen_latency_us: Option<u64>,
    /// How long the server took over its last packet, in microseconds.
    pub rpc_latency_us: Option<u64>,
}

/// Which sessions are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionFilter {
    /// Those of this owner, by any of his names.
    #[serde(default)]
    pub owner: Option<String>,
    /// So many at most.
    #[serde(default)]
    pub top: Option<usize>,
    /// What the first of them are.
    #[serde(default)]
    pub sort: SessionSort,
}

/// What sessions are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionSort {
    /// Most operations in the last minute first.
    #[default]
    Rops,
    /// Those that were told to back off most often first.
    Backoffs,
    /// The highest latency, as the client sees it, first.
    Latency,
    /// By owner.
    Owner,
}

impl SessionSort {
    /// Every order.
    pub const ALL: [Self; 4] = [Self::Rops, Self::Backoffs, Self::Latency, Self::Owner];

    /// The name as options spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rops => "rops",
            Self::Backoffs => "backoffs",
            Self::Latency => "latency",
            Self::Owner => "owner",
        }
    }

    /// The order of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.name() == name)
    }
}
