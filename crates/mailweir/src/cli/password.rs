//! Passwords come on standard input only: a command line is for everybody on the machine to see.

use std::io::BufRead;

use clap::Args;
use weir_admin::types::Secret;

use super::answer::Failure;

/// The longest password, in bytes.
const MOST_BYTES: u64 = 1_024;

/// Where a password comes from: exactly one of the two.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[group(required = true, multiple = false)]
pub(crate) struct PasswordSource {
    /// Read the password from standard input, up to the end of the line
    #[arg(long)]
    pub(crate) password_stdin: bool,
    /// No password: its owner logs in at a remote origin, or not at all
    #[arg(long)]
    pub(crate) no_password: bool,
}

impl PasswordSource {
    /// From standard input.
    pub(crate) const STDIN: Self = Self { password_stdin: true, no_password: false };
    /// None.
    pub(crate) const NONE: Self = Self { password_stdin: false, no_password: true };

    /// The password, or nothing where there shall be none.
    pub(crate) fn obtain(&self) -> Result<Option<Secret>, Failure> {
        if self.no_password { Ok(None) } else { read(std::io::stdin().lock()).map(Some) }
    }
}

/// The first line of `input`.
pub(super) fn read(input: impl BufRead) -> Result<Secret, Failure> {
    let failed =
        |text: &str| Failure::Failed(format!("{text}; send the password as one line on standard input"));
    let mut line = Vec::new();
    let read = input.take(MOST_BYTES + 2).read_until(b'\n', &mut line);
    read.map_err(|error| failed(&format!("cannot read standard input: {error}")))?;
    let text = String::from_utf8(line).map_err(|_| failed("the password is not UTF-8"))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    match u64::try_from(text.len()) {
        Ok(0) => Err(failed("there is no password on standard input")),
        Ok(length) if length <= MOST_BYTES => Ok(Secret::new(text)),
        Ok(_) | Err(_) => Err(failed("the password is longer than 1024 bytes")),
    }
}
