//! A real folder, which one process at a time may have.
//!
//! The lock is on a file of its own that stays: a lock on something that is renamed or removed would be two locks.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::{Disk, DiskFile};

/// The file whose lock says that the folder is in use.
const LOCK: &str = "lock";

/// Mail is nobody else's business.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Why a folder cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Another process has it, or another spool of this one.
    #[error(
        "the spool {path} is in use by another process; stop that one, or give this one a folder of its own"
    )]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot use the spool {path}: {reason}; make the folder writable for this user")]
    System {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
}

/// A folder of the file system, locked for as long as this lives.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The folder itself, open for syncing.
    handle: File,
    /// Holds the lock.
    _lock: File,
}

impl Folder {
    /// Locks the folder at `path`, which is made where it is missing.
    ///
    /// # Errors
    /// Where another process has it, or it cannot be made or written.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let system = |reason| FolderError::System { path: path.to_owned(), reason };
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path).map_err(system)?;
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).mode(FILE_MODE).open(path.join(LOCK));
        let lock = lock.map_err(system)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => FolderError::InUse { path: path.to_owned() },
            TryLockError::Error(reason) => system(reason),
        })?;
        let handle = File::open(path).map_err(system)?;
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            File::open(parent).and_then(|parent| parent.sync_all()).map_err(system)?;
        }
        Ok(Self { path: path.to_owned(), handle, _lock: lock })
    }
}

impl Disk for Folder {
    type File = File;

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            // A name that is no text is none of ours.
            names.extend(entry?.file_name().into_string());
        }
        Ok(names)
    }

    fn create(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).mode(FILE_MODE).open(self.path.join(name))
    }

    fn open(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open(self.path.join(name))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn sync_names(&self) -> io::Result<()> {
        self.handle.sync_all()
    }
}

impl DiskFile for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        FileExt::write_at(self, bytes, offset)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

#[cfg(test)]
mod tests;
