//! The project's files, as a sorted list of paths below its root.

use std::fs;
use std::path::{Path, PathBuf};

/// What is not ours: build products, installed clients, version control, data of a run.
const NOT_OURS: [&str; 5] = ["target", ".git", "node_modules", "__pycache__", "mailweir-data"];

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap().to_path_buf()
}

/// Every file of the project with `/` between its folders, sorted.
pub(crate) fn files() -> Vec<String> {
    let root = root();
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let kind = entry.file_type().unwrap();
            if NOT_OURS.contains(&name.as_str()) {
                continue;
            }
            if kind.is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The files whose names end in `.extension`.
pub(crate) fn files_of(extension: &str) -> Vec<String> {
    let mut files = files();
    files.retain(|path| Path::new(path).extension().is_some_and(|found| found == extension));
    files
}

/// The text of the file at `path`, which is relative to the root.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Whether there is such a file or folder.
pub(crate) fn exists(path: &str) -> bool {
    root().join(path).exists()
}
