//! When another file begins, and which old ones go.

use weir_units::{Micros, WallTime};

use super::file_name::FileName;

/// How the connectivity log is kept, in the documents' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationSettings {
    /// The largest file, in bytes.
    pub max_file_size: u64,
    /// The most bytes of all files together.
    pub max_directory_size: u64,
    /// How long a file is kept.
    pub max_age: Micros,
}

/// The file that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Current {
    /// Its name.
    pub name: FileName,
    /// Its size in bytes.
    pub size: u64,
}

/// A file that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// Its name.
    pub name: FileName,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written to.
    pub written: WallTime,
}

impl Default for RotationSettings {
    fn default() -> Self {
        Self {
            max_file_size: 10 << 20,
            max_directory_size: 250 << 20,
            max_age: Micros::MINUTE.times(60 * 24 * 30),
        }
    }
}

/// The file that a line of `length` bytes goes into, where `current` is being written and `last` is the latest that was
/// found at the start. It is another one on another day, and where the line would make it too large.
pub fn next_file(
    current: Option<Current>,
    last: Option<FileName>,
    length: u64,
    settings: &RotationSettings,
    now: WallTime,
) -> FileName {
    let first = FileName::first_of(now);
    match current {
        // A clock that was set back begins no older file.
        Some(current) if current.name.day >= first.day => {
            let fits = current.size.saturating_add(length) <= settings.max_file_size;
            if fits || current.size == 0 { current.name } else { current.name.next() }
        }
        Some(_) => first,
        None => last.filter(|last| last.day >= first.day).map_or(first, FileName::next),
    }
}

/// The files that go: those too old, and then the oldest until the rest is small enough. The one that is being written
/// stays.
pub fn surplus(
    files: &[LogFile],
    current: Option<FileName>,
    settings: &RotationSettings,
    now: WallTime,
) -> Vec<FileName> {
    let mut files: Vec<&LogFile> = files.iter().collect();
    files.sort_by_key(|file| file.name);
    let mut total: u64 = files.iter().map(|file| file.size).fold(0, u64::saturating_add);
    let mut surplus = Vec::new();
    for file in files.into_iter().filter(|file| Some(file.name) != current) {
        let is_old = now.since(file.written) >= settings.max_age;
        if is_old || total > settings.max_directory_size {
            total = total.saturating_sub(file.size);
            surplus.push(file.name);
        }
    }
    surplus
}

#[cfg(test)]
mod tests;
