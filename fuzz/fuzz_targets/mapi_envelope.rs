//! Drives the entry of the same name.
#![no_main]

#[path = "../../crates/wire/tests/corpora/mapi_envelope.rs"]
mod entry;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    entry::check(input);
});
