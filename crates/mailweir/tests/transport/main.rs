//! The real transport among real servers (H1–H16): Postfix and its smtp-source and smtp-sink, swaks, Dovecot, dnsmasq,
//! `HAProxy`.
//!
//! Each test has a network of its own below 127.0.0.0/8 and a temporary folder, starts every server that it needs there,
//! in the foreground, and ends it by its id. They need root – ports below 1024, Postfix's users – and what `./check`
//! installs, so that a plain `cargo test` leaves them out. How mail is counted: by what smtp-sink says and has written
//! down, never by what we say of ourselves.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a broken test has to stop")]

#[path = "../support/mod.rs"]
mod support;

mod exchangers;
mod harness;
mod healthy;
mod hostile;
mod hub;
mod killed;
mod mailboxes;
mod peers;
mod place;
mod policy_service;
mod process;
mod queue;
mod relay;
mod shadow;
mod submission;
