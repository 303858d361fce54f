//! What the spool asks of a disk, and nothing more.
//!
//! Two traits: a [`Disk`] is one folder of files, a [`DiskFile`] one of them. [`Folder`] is the real one;
//! [`Simulated`] lives in memory and does to unsynced bytes what crashes, full disks and failing syncs do.
//!
//! What a disk promises is little: bytes are there after a crash if [`DiskFile::sync`] returned without error after
//! they were written; a file's coming or going is there if [`Disk::sync_names`] did. Everything else – the order of
//! writes, bytes that were written and not synced, whatever a failed sync was about – may be there or not.

use std::fmt;
use std::io;

mod folder;
mod simulated;

pub use folder::{Folder, FolderError};
pub use simulated::{Fault, Simulated, SimulatedFile};

/// A folder of files that are written at their ends.
pub trait Disk: fmt::Debug {
    /// One of its files, open.
    type File: DiskFile;

    /// The names of all files, in any order.
    fn names(&self) -> io::Result<Vec<String>>;

    /// Makes an empty file.
    ///
    /// # Errors
    /// Where there is one of that name, or the disk fails.
    fn create(&self, name: &str) -> io::Result<Self::File>;

    /// Opens a file that exists, for reading and writing.
    fn open(&self, name: &str) -> io::Result<Self::File>;

    /// Takes a file away. Whoever has it open goes on reading it.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes it last which files there are.
    fn sync_names(&self) -> io::Result<()>;
}

/// An open file. All places are counted in bytes from its beginning.
pub trait DiskFile: fmt::Debug {
    /// How long it is.
    fn length(&self) -> io::Result<u64>;

    /// Writes the beginning of `bytes` at `offset` and says how many of them.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;

    /// Reads into the beginning of `buffer` from `offset` on and says how many bytes; none at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Makes what was written last.
    fn sync(&self) -> io::Result<()>;

    /// Cuts the file to `length` bytes.
    fn truncate(&self, length: u64) -> io::Result<()>;
}

/// Writes all of `bytes`, in as many steps as the disk takes.
pub(crate) fn write_all(file: &impl DiskFile, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = match file.write_at(bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        bytes = bytes.get(count..).ok_or(io::ErrorKind::InvalidData)?;
        offset += wide(count);
    }
    Ok(())
}

/// Fills `buffer` from `offset` on as far as the file goes, and says how far that was.
pub(crate) fn read_full(file: &impl DiskFile, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset + wide(filled)) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// A count of bytes in memory as one on disk.
pub(crate) fn wide(count: usize) -> u64 {
    u64::try_from(count).expect("memory has fewer bytes than 64 bits count")
}
