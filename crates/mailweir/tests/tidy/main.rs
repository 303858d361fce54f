//! The tree keeps its own promises: who may depend on whom, what may become part of the program, where each rule
//! lives, how long a file may be.
//!
//! Everything here reads files and `cargo metadata`; nothing is built or downloaded for it beyond what a test run
//! needs anyway.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a tidy test that cannot read the tree has nothing better to do than to stop"
)]

mod alerts;
mod corpora;
mod dependencies;
mod files;
mod packaging;
mod papers;
mod rules;
mod tree;
