//! One server per data directory.
//!
//! The lock is the system's, on the file `lock`, and goes with the process however it ends; the number in the file is
//! for people. The file stays: removing it would let two servers lock two files of the same name.
//!
//! A server that shares its listening sockets lets go of the lock when it is told to stop and has closed the durable queue,
//! not when the last request is done: that is when its successor, which has waited for it, begins to serve. What both do
//! then – finish and begin requests – the stores keep apart by themselves.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file in the data directory.
const FILE: &str = "lock";
/// The longest process number that is read back.
const MOST_DIGITS: u64 = 20;
/// How long a successor waits for the server before it to be told to stop.
const TAKEOVER: Duration = Duration::from_secs(90);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(20);

/// Held for as long as the server uses the data directory.
#[derive(Debug)]
pub(super) struct Lock(#[allow(dead_code, reason = "it locks by being open")] File);

/// Why the data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    /// Another server uses it.
    #[error(
        "a server ({holder}) already runs on the data directory {}; stop it, or name another directory with --data",
        data.display()
    )]
    Held {
        /// The data directory.
        data: PathBuf,
        /// The other server's process.
        holder: String,
    },
    /// It cannot be made or written.
    #[error(
        "cannot use the data directory {}: {source}; make it writable for this user, or name another with --data",
        data.display()
    )]
    Unusable {
        /// The data directory.
        data: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Lock {
    /// Makes the data directory where it is missing, closed to others, and takes its lock.
    pub(super) fn take(data: &Path) -> Result<Self, LockError> {
        let unusable = |source| LockError::Unusable { data: data.to_owned(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(data).map_err(unusable)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(data.join(FILE)).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LockError::Held { data: data.to_owned(), holder: holder(&file) });
            }
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(unusable)?;
        writeln!(file, "{}", std::process::id()).and_then(|()| file.flush()).map_err(unusable)?;
        Ok(Self(file))
    }
}

/// Takes the lock as [`Lock::take`] does, after waiting for a server that holds it: the successor's way.
pub(super) async fn take_over(data: &Path) -> Result<Lock, LockError> {
    let wait = async {
        let mut told = false;
        loop {
            match Lock::take(data) {
                Err(LockError::Held { holder, .. }) => {
                    if !told {
                        tracing::info!("waiting until the server ({holder}) is told to stop");
                        told = true;
                    }
                    tokio::time::sleep(LOOK).await;
                }
                taken => return taken,
            }
        }
    };
    match tokio::time::timeout(TAKEOVER, wait).await {
        Ok(taken) => taken,
        Err(_elapsed) => Lock::take(data),
    }
}

/// Who holds the lock, as far as the file says.
fn holder(file: &File) -> String {
    let mut text = String::new();
    let read = file.take(MOST_DIGITS).read_to_string(&mut text);
    let number = read.ok().and_then(|_| text.trim().parse::<u32>().ok());
    number.map_or_else(|| "of an unknown process".to_owned(), |number| format!("process {number}"))
}

#[cfg(test)]
mod tests;
