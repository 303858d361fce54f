//! The newest part of the request log, for those who want to know it at once: so many bytes and no more.
//!
//! The files that were written last are read from their ends, each behind its own head, which names the columns.
//! Packed ones are left out: they are of another day.

#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use weir_whatif::source::Lines;

/// What the names of its files begin and end with.
const BEGINNING: &str = "requests-";
const ENDING: &str = ".log";
/// What a line of a file's head begins with.
const DIRECTIVE: u8 = b'#';
/// The longest head that is read, in bytes.
const MOST_HEAD: u64 = 16 * 1024;
/// How many files are looked at.
const MOST_FILES: usize = 4;

/// The last `most` bytes of the request log in `folder`, file by file.
///
/// # Errors
/// The folder or a file cannot be read.
pub(crate) fn recent(folder: &Path, most: u64) -> io::Result<Vec<Lines>> {
    let mut left = most;
    let mut lines = Vec::new();
    for path in newest(folder)? {
        if left == 0 {
            break;
        }
        let file = File::open(&path)?;
        let length = file.metadata()?.len();
        lines.push(Lines::of(end_of(file, length, left)?)?);
        left = left.saturating_sub(length);
    }
    Ok(lines)
}

/// The files, the one that was written last first.
fn newest(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(BEGINNING) && name.ends_with(ENDING)) {
            files.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    files.sort();
    Ok(files.into_iter().rev().take(MOST_FILES).map(|(_, path)| path).collect())
}

/// The head of `file` and its last `most` bytes from the beginning of a line on; all of it, where it is shorter.
fn end_of(mut file: File, length: u64, most: u64) -> io::Result<Box<dyn Read + Send>> {
    if length <= most {
        return Ok(Box::new(file));
    }
    let head = head_of(&mut file)?;
    file.seek(SeekFrom::Start(length - most))?;
    let mut rest = BufReader::new(file);
    // It most likely stands within a line, whose rest says nothing.
    rest.skip_until(b'\n')?;
    Ok(Box::new(io::Cursor::new(head).chain(rest)))
}

/// The directives that a file begins with.
fn head_of(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut reader = BufReader::new(file.take(MOST_HEAD));
    while reader.fill_buf()?.first() == Some(&DIRECTIVE) {
        reader.read_until(b'\n', &mut head)?;
    }
    Ok(head)
}
