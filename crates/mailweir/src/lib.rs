//! The mailweir program: configuration, command line, and the assembling of a server.
//!
//! | module | idea |
//! |---|---|
//! | [`config`] | the configuration file: every key, its default, and what is allowed |
//! | [`cli`] | the command line in its two spellings |
//! | `serve` | a server put together from the other crates |
//!
//! A library, so that tests can look at the configuration's keys; the program itself is `main.rs`.

pub mod cli;
pub mod config;
mod serve;
