//! The files of the log: which one is open, when the next begins, which ones are too old.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use weir_units::WallTime;

use super::day::{Day, FileName};
use super::writer::LogSettings;
use super::{FIELDS, Moment};

const DAY_SECONDS: u64 = 86_400;

/// The log's directory, and the file in it that lines go to.
#[derive(Debug)]
pub(super) struct Files {
    directory: PathBuf,
    settings: LogSettings,
    name: FileName,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    bytes: u64,
}

impl Files {
    /// Goes on with the last file of the day of `now`, or begins its first.
    pub(super) fn open(directory: &Path, settings: LogSettings, now: WallTime) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let name = FileName { day: Day::of(now), number: 1 };
        let mut files = Self { directory: directory.to_owned(), settings, name, open: None };
        files.begin_day(Day::of(now));
        files.current(now)?;
        Ok(files)
    }

    /// Whether a line of `day` belongs to another file.
    ///
    /// A request that ended a moment before midnight may be written after it and still goes with the others. A day
    /// further back means that the clock was corrected.
    pub(super) fn is_another_day(&self, day: Day) -> bool {
        day > self.name.day || day < self.name.day.minus(1)
    }

    /// Goes on with the last file of `day`, or begins its first, and deletes those that are too old by then.
    pub(super) fn begin_day(&mut self, day: Day) {
        let of_day =
            names(&self.directory).unwrap_or_default().into_iter().filter(|name| name.day == day).max();
        self.name = of_day.unwrap_or(FileName { day, number: 1 });
        self.open = None;
        self.delete_old();
    }

    /// Where the file is.
    pub(super) fn path(&self) -> PathBuf {
        self.directory.join(self.name.to_string())
    }

    /// Writes `lines` to the file and takes away from them what was written, also where it fails half-way.
    ///
    /// A file that somebody has moved away is begun again.
    pub(super) fn write(&mut self, lines: &mut Vec<u8>, now: WallTime) -> io::Result<()> {
        if self.open.as_ref().is_some_and(|open| open.bytes >= self.settings.file_bytes) {
            self.name.number = self.name.number.saturating_add(1);
            self.open = None;
        }
        if !self.path().exists() {
            self.open = None;
        }
        let open = self.current(now)?;
        while !lines.is_empty() {
            match open.file.write(lines) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    lines.drain(..count);
                    open.bytes = open.bytes.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn current(&mut self, now: WallTime) -> io::Result<&mut Open> {
        let open = match self.open.take() {
            Some(open) => open,
            None => begin(&self.path(), now)?,
        };
        Ok(self.open.insert(open))
    }

    /// Deletes files whose last line is older than the log is kept. One that cannot be deleted is told and tried again
    /// the next day.
    fn delete_old(&self) {
        let days = self.settings.keep.as_secs().div_ceil(DAY_SECONDS);
        let oldest = self.name.day.minus(i64::try_from(days).unwrap_or(i64::MAX));
        let names = names(&self.directory).unwrap_or_default();
        for name in names.into_iter().filter(|name| name.day < oldest) {
            let path = self.directory.join(name.to_string());
            if let Err(error) = fs::remove_file(&path) {
                tracing::warn!(path = %path.display(), %error, "an old request log could not be deleted");
            }
        }
    }
}

/// Opens a file for appending and writes the head, each time, since another version may have written what is there.
fn begin(path: &Path, now: WallTime) -> io::Result<Open> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let broken_off = ends_within_a_line(&mut file)?;
    let head = format!(
        "{}#Software: Mailweir {}\n#Version: 1.0\n#Date: {}\n#Fields: {FIELDS}\n",
        if broken_off { "\n" } else { "" },
        env!("CARGO_PKG_VERSION"),
        Moment(now),
    );
    file.write_all(head.as_bytes())?;
    let bytes = file.metadata()?.len();
    Ok(Open { file, bytes })
}

/// Whether the last line of the file has no end, because the process or the machine stopped while writing it.
fn ends_within_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// The files of this log in `directory`.
pub(super) fn names(directory: &Path) -> io::Result<Vec<FileName>> {
    let name = |entry: fs::DirEntry| entry.file_name().to_str().and_then(FileName::parse);
    Ok(fs::read_dir(directory)?.filter_map(Result::ok).filter_map(name).collect())
}
