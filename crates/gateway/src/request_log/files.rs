//! The files of the log: which one is open, when the next begins, which ones are too old.
//!
//! Where closed files are compressed, a file that was left is never gone back to.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use weir_units::WallTime;

use super::compress::{Form, Packer, files};
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
    /// Who compresses closed files, where that is wanted.
    packer: Option<Packer>,
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
        let packer = settings.compress.then(|| Packer::start(directory)).transpose()?;
        let mut files = Self { directory: directory.to_owned(), settings, name, open: None, packer };
        files.begin(Day::of(now), true);
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

    /// Goes to the file for `day`, and deletes those that are too old by then.
    pub(super) fn begin_day(&mut self, day: Day) {
        self.begin(day, self.packer.is_none());
    }

    /// Goes on with the last file of `day` where it `may_resume`, or begins another one.
    fn begin(&mut self, day: Day, may_resume: bool) {
        let all = files(&self.directory).unwrap_or_default();
        let last = all.iter().map(|(name, _)| *name).filter(|name| name.day == day).max();
        self.name = match last {
            None => FileName { day, number: 1 },
            Some(last) if may_resume && !all.contains(&(last, Form::Packed)) => last,
            Some(last) => last.next(),
        };
        self.open = None;
        self.delete_old(&all);
    }

    /// Where the file is.
    pub(super) fn path(&self) -> PathBuf {
        Form::Plain.path(&self.directory, self.name)
    }

    /// Writes `lines` to the file and takes away from them what was written, also where it fails half-way.
    ///
    /// A file that somebody has moved away is begun again.
    pub(super) fn write(&mut self, lines: &mut Vec<u8>, now: WallTime) -> io::Result<()> {
        if self.open.as_ref().is_some_and(|open| open.bytes >= self.settings.file_bytes) {
            self.name = self.name.next();
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
            None => self.begin_file(now)?,
        };
        Ok(self.open.insert(open))
    }

    /// Opens the file, or a later one where another server that is about to end is just compressing it.
    fn begin_file(&mut self, now: WallTime) -> io::Result<Open> {
        let open = loop {
            match begin(&self.directory, self.name, now)? {
                Some(open) => break open,
                None => self.name = self.name.next(),
            }
        };
        if let Some(packer) = &self.packer {
            packer.closed_before(self.name);
        }
        Ok(open)
    }

    /// Deletes files whose last line is older than the log is kept. One that cannot be deleted is told and tried again
    /// the next day.
    fn delete_old(&self, all: &[(FileName, Form)]) {
        let days = self.settings.keep.as_secs().div_ceil(DAY_SECONDS);
        let oldest = self.name.day.minus(i64::try_from(days).unwrap_or(i64::MAX));
        for (name, form) in all.iter().filter(|(name, _)| name.day < oldest) {
            let path = form.path(&self.directory, *name);
            if let Err(error) = fs::remove_file(&path) {
                tracing::warn!(path = %path.display(), %error, "an old request log could not be deleted");
            }
        }
    }
}

/// Opens a file for appending and writes the head, each time, since another version may have written what is there.
/// Nothing where the file is compressed already, or just being so.
fn begin(directory: &Path, name: FileName, now: WallTime) -> io::Result<Option<Open>> {
    let [path, packed] = [Form::Plain, Form::Packed].map(|form| form.path(directory, name));
    if packed.exists() {
        return Ok(None);
    }
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
    if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return Ok(None);
    }
    if packed.exists() {
        // It was finished a moment ago; an empty file is the one that was just made here.
        if file.metadata()?.len() == 0 {
            fs::remove_file(&path)?;
        }
        return Ok(None);
    }
    let broken_off = ends_within_a_line(&mut file)?;
    let head = format!(
        "{}#Software: Mailweir {}\n#Version: 1.0\n#Date: {}\n#Fields: {FIELDS}\n",
        if broken_off { "\n" } else { "" },
        env!("CARGO_PKG_VERSION"),
        Moment(now),
    );
    file.write_all(head.as_bytes())?;
    let bytes = file.metadata()?.len();
    Ok(Some(Open { file, bytes }))
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
