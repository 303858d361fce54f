//! The front for MAPI over HTTP: sessions, what they are told, and what is measured of their origin (R1–R15, R17).
//!
//! A session begins with `Connect` and lives until `Disconnect` or until nobody has used it for a while. The gateway
//! knows it by a cookie of its own, which is bound to the owner and goes no further (R15); what the origin's cookies are
//! is the origin's business. As long as it lives it holds one place of `RCAMaxConcurrency`, which travels with the
//! request that is carried out for it. Every `Execute` that has operations is judged by what its session did before and
//! by how fast its origin server is ([`weir_throttle::rpc`]); the answer that tells a client to back off leaves the
//! origin, its cookies and the handles as they are, so that the client can send the very same again.
//!
//! | file | idea |
//! |---|---|
//! | `head.rs`, `cookie.rs` | what a request's head says, and the gateway's own cookies in it |
//! | `session.rs`, `sessions.rs`, `place.rs` | one session, all of them, and its place in its owner's budget |
//! | `judge.rs` | whether a request passes |
//! | `keep_out.rs` | programs on the block list |
//! | `rpc_server.rs` | how fast one origin server is, and what is said about it |
//! | `arriving.rs`, `answer.rs` | bodies in, and the gateway's own answers |
//! | `embedded.rs`, `enveloped.rs` | requests before the embedded mailbox server, and their answers while they last |
//! | `view.rs` | sessions as an administrator sees them |
//!
//! The way before a remote origin is in `remote`. Syntax is `weir_wire`'s.

pub(crate) mod answer;
pub(crate) mod arriving;
pub(crate) mod cookie;
pub(crate) mod embedded;
mod enveloped;
pub(crate) mod head;
pub(crate) mod judge;
pub(crate) mod keep_out;
pub(crate) mod place;
pub(crate) mod rpc_server;
pub(crate) mod session;
pub(crate) mod sessions;
#[cfg(test)]
pub(crate) mod testing;
mod view;

pub use sessions::SessionSettings;
pub use view::{OriginRpc, SessionView};

/// The path of the mailbox endpoint; clients differ in case, and some add a slash.
pub(crate) const PATH: &str = "/mapi/emsmdb";

/// Whether requests for mailboxes come to `path`.
pub(crate) fn serves(path: &str) -> bool {
    path.strip_suffix('/').unwrap_or(path).eq_ignore_ascii_case(PATH)
}
