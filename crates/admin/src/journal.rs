//! An append-only file of JSON documents, one a line.
//!
//! The event log and the audit log are both of this form. A line is written with one call, so that a reader
//! never sees half of one while the process lives; a line cut short by a crash is ended before the next is
//! written. Where a largest size is set, a full file becomes the one older generation (`events.1.jsonl`) and
//! an empty one begins; the audit log sets none, since nothing of it may be lost.

#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use weir_units::WallTime;

/// The file of lines, open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    bytes: u64,
    max_bytes: Option<u64>,
}

impl Journal {
    /// Opens or makes the file at `path`; past `max_bytes` it becomes the older generation.
    pub(crate) fn open(path: PathBuf, max_bytes: Option<u64>) -> io::Result<Self> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let (file, bytes) = open_at_line_start(&path)?;
        Ok(Self { path, file, bytes, max_bytes })
    }

    /// Appends `document` as one line.
    pub(crate) fn append(&mut self, document: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(document)?;
        line.push(b'\n');
        if self.max_bytes.is_some_and(|most| self.bytes > 0 && self.bytes.saturating_add(count(&line)) > most)
        {
            self.begin_anew()?;
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
        fs::rename(&self.path, older(&self.path))?;
        (self.file, self.bytes) = open_at_line_start(&self.path)?;
        Ok(())
    }
}

/// The name of the older generation: `events.jsonl` → `events.1.jsonl`.
fn older(path: &Path) -> PathBuf {
    path.with_extension("1.jsonl")
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

/// A point in time as people and programs read it: `2026-11-30T07:38:41.123456Z`.
pub(crate) fn timestamp(at: WallTime) -> String {
    jiff::Timestamp::from_microsecond(at.unix_micros())
        .map_or_else(|_| at.unix_micros().to_string(), |at| format!("{at:.6}"))
}
