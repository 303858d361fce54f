//! Reading and keeping small files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use super::TlsError;

/// The longest PEM file that is read, in bytes: a chain of several dozen certificates.
pub(super) const LONGEST: u64 = 1 << 20;

/// The whole of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    let failed = |reason| TlsError::Read { path: path.to_owned(), reason };
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= LONGEST) {
        return Ok(bytes);
    }
    Err(TlsError::TooLong { path: path.to_owned(), limit: LONGEST })
}

/// Makes a directory that only this user may enter, where it is missing.
pub(super) fn make_directory(path: &Path) -> Result<(), TlsError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|reason| TlsError::Write { path: path.to_owned(), reason })
}

/// Puts `text` into a file that only this user may read; the file appears whole or not at all.
pub(super) fn write_private(path: &Path, text: &str) -> Result<(), TlsError> {
    let draft = path.with_extension("draft");
    let written = write_draft(&draft, text).and_then(|()| fs::rename(&draft, path));
    written.map_err(|reason| TlsError::Write { path: path.to_owned(), reason })
}

fn write_draft(draft: &Path, text: &str) -> io::Result<()> {
    match fs::remove_file(draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
