//! Files that commands import.

use std::fs;
use std::path::Path;

use super::answer::Failure;

/// The text of `file`, of which at most `most` bytes are read.
pub(super) fn read(file: &Path, most: u64) -> Result<String, Failure> {
    let name = file.display();
    let unreadable = |error: std::io::Error| Failure::Failed(format!("cannot read {name}: {error}"));
    let size = fs::metadata(file).map_err(unreadable)?.len();
    if size > most {
        return Err(Failure::Failed(format!(
            "{name} has {size} bytes; at most {most} are read, so split it"
        )));
    }
    String::from_utf8(fs::read(file).map_err(unreadable)?).map_err(|error| {
        let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = 1 + String::from_utf8_lossy(good).matches('\n').count();
        Failure::Failed(format!(
            "{name}:{line}: this is not UTF-8; save the file in UTF-8; nothing was imported"
        ))
    })
}
