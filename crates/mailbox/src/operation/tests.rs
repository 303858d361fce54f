//! Each operation through the server's front door, on a store of its own.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test wants one answer and shows any other")]

mod appointments;
mod changes;
mod finding;
mod folders;
mod names;
mod notifications;
mod outside;
mod sending;
mod synchronisation;
mod transcripts;
