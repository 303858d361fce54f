//! The real binary: a server on ports that the system chose, and commands that talk to it.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests")]

mod program;
mod queues;

mod budgets;
mod bypass;
mod configuration;
mod import;
mod life;
mod logs;
mod mail;
mod mailboxes;
mod mapi;
mod policies;
mod policy_chain;
mod policy_files;
mod sessions;
mod targets;
