//! The real program against requests written by hand: inputs that no decent client sends, limits met exactly, clients
//! that vanish, guessers, and the request log as it stands on the disk.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a broken test has to stop")]
#![allow(clippy::disallowed_methods, reason = "a real program runs on a real clock")]

#[path = "../support/mod.rs"]
mod support;

mod blocked;
mod budgets;
mod explained;
mod fair_share;
mod find;
mod guesses;
mod hostile;
mod mapi;
mod mapi_back_off;
mod metrics;
mod origins;
mod processor;
mod request_log;
mod stopping;
mod what_if;
