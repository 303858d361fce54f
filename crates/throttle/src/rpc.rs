//! The back-off of MAPI sessions by the latency of their origin (R1–R10, R12, R13).
//!
//! An origin that answers slowly has more to do than it can. Then a session whose operations come faster than the
//! origin answers is what keeps it busy, and is told to back off for as long as its operations should have taken; all
//! others notice nothing. So there is no limit to set: what a session may do is what the server has room for.
//!
//! | module | the one idea |
//! |---|---|
//! | [`latency`] | the mean of an origin's last 1024 packets, and the goal that it should keep |
//! | [`rate`] | a session's operations in a sliding minute |
//! | [`factor`] | how long a back-off is |
//! | [`queue`] | the periods that a session owes |
//! | [`session`] | the decision |
//! | [`crowd`] | whether it is the server's fault |
//!
//! What a client is sent, by its version (R11, R14), and which calls have operations that count (R15), are matters of
//! the protocol and of whoever asks here.

pub mod crowd;
pub mod factor;
pub mod latency;
pub mod queue;
pub mod rate;
pub mod session;

pub use crowd::{Crowd, CrowdWatch};
pub use factor::{FactorOutOfRange, RpcFactor, RpcRules};
pub use latency::{GOAL, LatencyWatch, RpcLatency};
pub use queue::{BACKOFF_MAX, DEBT_MAX};
pub use rate::RopsInMinute;
pub use session::{RpcDecision, RpcSession, SessionState};
