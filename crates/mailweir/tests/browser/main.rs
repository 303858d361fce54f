//! The administration page in a real browser: headless Chromium, driven over `WebDriver`.
//!
//! `./check` installs Chromium and runs these tests, which a plain `cargo test` leaves out. Each starts a server and a
//! browser of its own. With `MAILWEIR_SCREENSHOTS=1` the test of that name writes the pictures of the documentation.

#![allow(clippy::disallowed_methods, reason = "a real browser runs on a real clock")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a broken test has to stop")]

#[path = "../support/mod.rs"]
mod support;

mod clean;
mod driver;
mod keyboard;
mod page;
mod queues;
mod roles;
mod screenshots;
mod visitor;
mod walk;
