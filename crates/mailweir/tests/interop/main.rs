//! Real third-party clients against the real program (E5, E6): the documents' own examples, daily work, and every
//! refusal as the client knows it.
//!
//! The scripts are in `peers/`, one a scenario; `./check` installs the clients and runs these tests, which a plain
//! `cargo test` leaves out. Each test starts a server of its own, sets the limits with the command line, and reads
//! the request log where a script cannot know what went over the wire.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a broken test has to stop")]

#[path = "../support/mod.rs"]
mod support;

mod ews_javascript_api;
mod exchangelib;
mod packaging;
mod peer;
mod remote;
