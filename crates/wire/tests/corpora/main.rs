//! Inputs that a fuzzer found worth keeping, replayed.
//!
//! An entry is a function of any bytes: it reads them as something of the protocol, asserts what must hold whatever
//! they are – nothing panics, nothing goes beyond its limit, what is read can be written and read again – and says how
//! many things it could read. Beside each stands a folder of its name with few inputs, which reach most of what any
//! reached, and those that once failed. The targets in the root's folder `fuzz` drive the same entries with new inputs;
//! CONTRIBUTING.md says how.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its inputs has nothing better to do than to stop"
)]

mod mapi_auxiliary;
mod mapi_bodies;
mod mapi_envelope;
mod mapi_replies;
mod mapi_rops;

use std::fs;
use std::path::Path;

/// Gives every input of a folder to an entry. Where one fails, its name is the last that is printed.
fn replay(corpus: &str, entry: fn(&[u8]) -> usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpora").join(corpus);
    let mut read = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        println!("{}", path.display());
        read += entry(&fs::read(path).unwrap());
    }
    assert!(read > 0, "nothing in {corpus} can be read, so that hardly anything was checked");
}

#[test]
fn auxiliary_blocks_of_any_bytes_are_told_within_bounds() {
    replay("mapi_auxiliary", mapi_auxiliary::check);
}

#[test]
fn bodies_that_can_be_read_are_written_to_the_same_bytes() {
    replay("mapi_bodies", mapi_bodies::check);
}

#[test]
fn an_envelope_says_the_same_in_pieces_of_any_size() {
    replay("mapi_envelope", mapi_envelope::check);
}

#[test]
fn replies_that_can_be_read_are_written_and_read_as_the_same() {
    replay("mapi_replies", mapi_replies::check);
}

#[test]
fn rops_that_can_be_read_are_counted_written_and_read_as_the_same() {
    replay("mapi_rops", mapi_rops::check);
}
