//! The names of a journal's files: `audit.jsonl`, and `audit.1.jsonl`, `audit.2.jsonl` … for what it was before.
//!
//! The higher the number, the later the generation was set aside.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The journal at `path` and its older generations, the newest first.
pub(super) fn newest_first(path: &Path) -> io::Result<Vec<PathBuf>> {
    let numbers = numbers(path)?.into_iter().rev();
    Ok(std::iter::once(path.to_owned()).chain(numbers.map(|number| name(path, number))).collect())
}

/// The name of the generation of this number: `events.jsonl` → `events.1.jsonl`.
pub(super) fn name(path: &Path, number: u32) -> PathBuf {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_extension(format!("{number}.{extension}"))
}

/// A name for one more generation, held by an empty file so that no other process takes it.
pub(super) fn reserve(path: &Path) -> io::Result<PathBuf> {
    let mut number = numbers(path)?.last().copied().unwrap_or(0);
    loop {
        number = number.checked_add(1).ok_or_else(|| io::Error::other("no number is left for it"))?;
        let name = name(path, number);
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Ok(_held) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// The numbers of the older generations, in order.
fn numbers(path: &Path) -> io::Result<Vec<u32>> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        numbers.extend(number(path, &entry?.file_name()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// The number in `found`, if that is the name of a generation of `path`.
fn number(path: &Path, found: &OsStr) -> Option<u32> {
    let (stem, extension) = (path.file_stem()?.to_str()?, path.extension()?.to_str()?);
    let number = found.to_str()?.strip_prefix(stem)?.strip_prefix('.')?;
    let number = number.strip_suffix(extension)?.strip_suffix('.')?;
    number.parse().ok().filter(|parsed: &u32| parsed.to_string() == number)
}
