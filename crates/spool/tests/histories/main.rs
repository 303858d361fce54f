//! Thousands of histories on a disk that fails in every way it can: whatever happens, each message that was acknowledged is
//! there until it is done, none is there that nobody queued, and no state is older than the last one that was acknowledged.
//!
//! A history follows from its seed. `PROPTEST_CASES` says how many there are, eight times as many as cases.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at what is wrong"
)]

mod damage;
mod model;
mod run;

use run::{Run, Weather};

/// The seeds of a test, as many as are asked for.
fn seeds() -> std::ops::Range<u64> {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    0..cases.unwrap_or(256) * 8
}

#[test]
fn whatever_crashes_what_was_acknowledged_is_there_and_nothing_else() {
    for seed in seeds() {
        Run::new(seed, Weather { crashes: true, errors: false }).live(120);
    }
}

#[test]
fn whatever_fails_what_was_acknowledged_is_there_and_nothing_else() {
    for seed in seeds() {
        Run::new(seed, Weather { crashes: true, errors: true }).live(120);
    }
}

#[test]
fn a_long_life_without_crashes_keeps_within_its_disk() {
    for seed in 0..seeds().end / 128 {
        Run::new(seed, Weather { crashes: false, errors: false }).live(3_000);
    }
}

#[test]
fn whatever_byte_is_damaged_nothing_panics_and_nothing_is_invented() {
    for seed in seeds() {
        damage::live_with_damage(seed);
    }
}
