//! Log files as the command line names them, opened.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use weir_whatif::merge::FILES_MAX;
use weir_whatif::source::Lines;

use crate::cli::answer::Failure;

/// Open log files.
pub(super) struct Files {
    pub(super) lines: Vec<Lines>,
    pub(super) names: Vec<String>,
    /// How large they are together.
    pub(super) bytes: u64,
    /// How much of them was read.
    pub(super) read: Arc<AtomicU64>,
}

impl Files {
    /// Opens `paths`, each file once; of a folder, the files with `.log` in their names.
    pub(super) fn open(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut all = Vec::new();
        for path in paths {
            if path.is_dir() { all.extend(in_folder(path)?) } else { all.push(path.clone()) }
        }
        let mut seen = BTreeSet::new();
        all.retain(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
        if all.len() > FILES_MAX {
            let count = all.len();
            return Err(Failure::Failed(format!(
                "{count} files are more than {FILES_MAX}; name fewer at once"
            )));
        }
        let mut files = Self { lines: Vec::new(), names: Vec::new(), bytes: 0, read: Arc::default() };
        for path in &all {
            files.add(path).map_err(|error| failed(path, &error))?;
        }
        Ok(files)
    }

    fn add(&mut self, path: &Path) -> io::Result<()> {
        let file = File::open(path)?;
        self.bytes += file.metadata()?.len();
        self.lines.push(Lines::of(Counted { file, read: Arc::clone(&self.read) })?);
        self.names.push(path.display().to_string());
        Ok(())
    }
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|path| {
        let is_log = |name: &str| name.contains(".log");
        path.is_file() && path.file_name().and_then(|name| name.to_str()).is_some_and(is_log)
    });
    if files.is_empty() {
        let folder = folder.display();
        return Err(Failure::Failed(format!("{folder} has no file with .log in its name; name the files")));
    }
    files.sort();
    Ok(files)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("cannot read {}: {error}", path.display()))
}

/// A file that counts what was read of it.
struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
        Ok(count)
    }
}
