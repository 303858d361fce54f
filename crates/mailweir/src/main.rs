//! The mailweir program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// The requests' buffers and states are a few KiB large and live for a moment, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    mailweir::cli::run(std::env::args_os())
}
