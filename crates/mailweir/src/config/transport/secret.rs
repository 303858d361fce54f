//! What the organisation's own servers prove themselves with: a file that nobody but its owner may read.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use weir_wire::smtp::Secret;

/// The longest secret, in bytes.
const MOST: usize = 1_024;

/// The shortest secret, in bytes.
const LEAST: usize = 16;

/// A file that holds no secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// It cannot be read.
    #[error("transport.server_secret_file: cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Others may read or write it.
    #[error(
        "transport.server_secret_file: {} is open to others; run `chmod 600 {}`",
        path.display(),
        path.display()
    )]
    Open {
        /// The file.
        path: PathBuf,
    },
    /// What is in it is no secret.
    #[error(
        "transport.server_secret_file: {} has to hold one line of {LEAST} to {MOST} letters; make it with \
         `openssl rand -hex 32 > {}`",
        path.display(),
        path.display()
    )]
    Length {
        /// The file.
        path: PathBuf,
    },
}

/// The secret in the file at `path`.
pub(super) fn read(path: &Path) -> Result<Secret, SecretError> {
    let unreadable = |source| SecretError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(SecretError::Open { path: path.to_owned() });
    }
    let mut text = String::new();
    let most = u64::try_from(MOST).unwrap_or(u64::MAX).saturating_add(2);
    file.take(most).read_to_string(&mut text).map_err(unreadable)?;
    let secret = text.trim();
    if (LEAST..=MOST).contains(&secret.len()) && !secret.chars().any(char::is_control) {
        Ok(Secret::new(secret.to_owned()))
    } else {
        Err(SecretError::Length { path: path.to_owned() })
    }
}
