//! The log's directory, and the file in it that lines go to.
//!
//! Every start, every day and every full file begins another file, which nobody else has; then old files go.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use weir_transport::connectivity::{
    Current, FileName, LogFile, RotationSettings, header, next_file, surplus,
};
use weir_units::WallTime;

/// Bytes that are written together.
const BUFFER: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Files {
    directory: PathBuf,
    settings: RotationSettings,
    open: Option<Open>,
    /// The latest file that there was.
    last: Option<FileName>,
}

#[derive(Debug)]
struct Open {
    file: BufWriter<File>,
    current: Current,
}

impl Files {
    /// Makes the directory, and begins the first file.
    pub(super) fn open(directory: PathBuf, settings: RotationSettings, now: WallTime) -> io::Result<Self> {
        fs::create_dir_all(&directory)?;
        let last = found_in(&directory)?.iter().map(|file| file.name).max();
        let mut files = Self { directory, settings, open: None, last };
        files.write("", now)?;
        files.flush()?;
        Ok(files)
    }

    /// Where the log is.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Puts `line` into the file it belongs to; it is on its way to the disk when [`Files::flush`] returned.
    pub(super) fn write(&mut self, line: &str, now: WallTime) -> io::Result<()> {
        let length = length(line);
        let current = self.open.as_ref().map(|open| open.current);
        let name = next_file(current, self.last, length, &self.settings, now);
        if current.is_none_or(|current| current.name != name) {
            self.begin(name, now)?;
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        open.file.write_all(line.as_bytes())?;
        open.current.size = open.current.size.saturating_add(length);
        Ok(())
    }

    /// Hands over what is buffered. A file that somebody has moved away is not gone on with.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        open.file.flush()?;
        if !self.directory.join(open.current.name.to_string()).exists() {
            self.open = None;
        }
        Ok(())
    }

    /// Leaves the file that could not be written, and what is buffered for it.
    pub(super) fn abandon(&mut self) {
        if let Some(open) = self.open.take() {
            let (_file, _lost) = open.file.into_parts();
        }
    }

    fn begin(&mut self, mut name: FileName, now: WallTime) -> io::Result<()> {
        self.flush()?;
        self.open = None;
        fs::create_dir_all(&self.directory)?;
        let head = header(now, env!("CARGO_PKG_VERSION"));
        let file = loop {
            let path = self.directory.join(name.to_string());
            match OpenOptions::new().create_new(true).append(true).open(&path) {
                Ok(mut file) => match file.write_all(head.as_bytes()) {
                    Ok(()) => break file,
                    Err(error) => {
                        // An empty file tells nothing; where it cannot be removed either, it stays.
                        let _removed = fs::remove_file(&path);
                        return Err(error);
                    }
                },
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => name = name.next(),
                Err(error) => return Err(error),
            }
        };
        let current = Current { name, size: length(&head) };
        self.open = Some(Open { file: BufWriter::with_capacity(BUFFER, file), current });
        self.last = Some(name);
        self.remove_surplus(name, now);
        Ok(())
    }

    /// Removes old files. One that cannot be removed is told, and tried again with the next file.
    fn remove_surplus(&self, current: FileName, now: WallTime) {
        let files = found_in(&self.directory).unwrap_or_default();
        for name in surplus(&files, Some(current), &self.settings, now) {
            let path = self.directory.join(name.to_string());
            if let Err(error) = fs::remove_file(&path) {
                tracing::warn!(path = %path.display(), %error, "an old connectivity log could not be removed");
            }
        }
    }
}

/// The files of the log that are there.
fn found_in(directory: &Path) -> io::Result<Vec<LogFile>> {
    let entries = fs::read_dir(directory)?.filter_map(Result::ok);
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().to_str()?.parse().ok()?;
        let metadata = entry.metadata().ok()?;
        let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        let written = WallTime::from_unix_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX));
        Some(LogFile { name, size: metadata.len(), written })
    };
    Ok(entries.filter_map(file).collect())
}

fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
