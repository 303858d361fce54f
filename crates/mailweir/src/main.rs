//! The mailweir program.

use std::process::ExitCode;

fn main() -> ExitCode {
    mailweir::cli::run(std::env::args_os())
}
