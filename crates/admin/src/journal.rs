//! An append-only file of JSON documents, one a line, and its older generations.
//!
//! The event log and the audit log are both of this form. A line is written with one call, so that a reader
//! never sees half of one while the process lives; a line cut short by a crash is ended before the next is
//! written. A full file becomes an older generation, `NAME.1.jsonl`, and an empty one begins. The event log
//! keeps one of them; the audit log keeps all, numbered upwards, since nothing of it may be lost. Where a file
//! cannot be set aside the line is appended to it all the same. Two processes may write the same file for the
//! moment in which one follows the other. [`read`] goes through the generations from the newest line on.

mod generations;
pub(crate) mod read;
#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use weir_units::WallTime;

/// What becomes of a full file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It takes the place of the one older generation.
    One,
    /// It takes the next number; no generation is ever removed.
    All,
}

/// The file of lines, open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    bytes: u64,
    max_bytes: u64,
    keep: Keep,
}

impl Journal {
    /// Opens or makes the file at `path`; past `max_bytes` it becomes an older generation.
    pub(crate) fn open(path: PathBuf, max_bytes: u64, keep: Keep) -> io::Result<Self> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let (file, bytes) = open_at_line_start(&path)?;
        let journal = Self { path, file, bytes, max_bytes, keep };
        journal.sync_folder();
        Ok(journal)
    }

    /// Appends `document` as one line.
    pub(crate) fn append(&mut self, document: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(document)?;
        line.push(b'\n');
        if self.bytes > 0
            && self.bytes.saturating_add(count(&line)) > self.max_bytes
            && let Err(error) = self.begin_anew()
        {
            tracing::warn!(file = %self.path.display(), %error, "a full log cannot be set aside; it grows on");
        }
        self.file.write_all(&line)?;
        self.bytes = self.bytes.saturating_add(count(&line));
        Ok(())
    }

    /// Waits until what was appended is on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn begin_anew(&mut self) -> io::Result<()> {
        let older = match self.keep {
            Keep::One => generations::name(&self.path, 1),
            Keep::All => generations::reserve(&self.path)?,
        };
        fs::rename(&self.path, older)?;
        (self.file, self.bytes) = open_at_line_start(&self.path)?;
        self.sync_folder();
        Ok(())
    }

    /// Waits until the names of the generations are on disk, where all of them are kept. Not every file system can.
    fn sync_folder(&self) {
        let Some(folder) = self.path.parent().filter(|_| cfg!(unix) && self.keep == Keep::All) else {
            return;
        };
        if let Err(error) = File::open(folder).and_then(|folder| folder.sync_all()) {
            tracing::warn!(folder = %folder.display(), %error, "a log's name may be lost if the power fails");
        }
    }
}

/// Opens for appending, and ends the last line if a crash left it open.
fn open_at_line_start(path: &Path) -> io::Result<(File, u64)> {
    let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
    let mut bytes = file.seek(SeekFrom::End(0))?;
    if bytes > 0 {
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0_u8; 1];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
            bytes = bytes.saturating_add(1);
        }
    }
    Ok((file, bytes))
}

fn count(line: &[u8]) -> u64 {
    u64::try_from(line.len()).unwrap_or(u64::MAX)
}

/// A point in time as people and programs read it: `2026-11-30T07:38:41.123456Z`. Of two, the later one is the
/// greater text.
pub fn timestamp(at: WallTime) -> String {
    jiff::Timestamp::from_microsecond(at.unix_micros())
        .map_or_else(|_| at.unix_micros().to_string(), |at| format!("{at:.6}"))
}
