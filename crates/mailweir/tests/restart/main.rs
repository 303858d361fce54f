//! The real binary: what changes under connections that stay, and servers that follow one another on one socket.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests")]

#[allow(dead_code, reason = "a part of it is used")]
#[path = "../cli/program.rs"]
mod program;

mod certificate;
mod takeover;
mod throttle;
mod wire;
