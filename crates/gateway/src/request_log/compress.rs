//! Closed files of the log, gzipped.
//!
//! A thread of its own, so that writing never waits for it. The writer says which file it is at; every file before
//! that is closed for good and becomes `….log.gz`. What is packed stands under a temporary name until it is on the
//! disk, and only then the plain file goes: whenever the machine stops, each line is there at least once, and the next
//! start packs again what was not finished. A writer holds its file with a shared lock, so that a server that takes
//! over packs nothing that the one before it still writes; what is held is looked at again with the next file.
//!
//! Packing is fast rather than tight, rests after each piece so that it takes less than half of one processor, and ends
//! within a moment when the log is closed.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::day::FileName;

/// What is read at a time.
const PIECE: usize = 1 << 16;
/// The rest after each piece. Packing one takes about two thirds of a millisecond.
const REST: Duration = Duration::from_millis(1);

/// In which of its forms a file of the log is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is written.
    Plain,
    /// Gzipped.
    Packed,
    /// Gzipped in part; the plain one is there too.
    Unfinished,
}

impl Form {
    pub(super) const ALL: [Self; 3] = [Self::Plain, Self::Packed, Self::Unfinished];

    const fn ending(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Packed => ".gz",
            Self::Unfinished => ".gz.part",
        }
    }

    /// The file `name` in this form.
    pub(super) fn path(self, directory: &Path, name: FileName) -> PathBuf {
        directory.join(format!("{name}{}", self.ending()))
    }
}

/// The files of this log in `directory`, in whatever form.
pub(super) fn files(directory: &Path) -> io::Result<Vec<(FileName, Form)>> {
    let of = |text: &str, form: Form| Some((FileName::parse(text.strip_suffix(form.ending())?)?, form));
    let read = |entry: fs::DirEntry| {
        let text = entry.file_name();
        Form::ALL.into_iter().find_map(|form| of(text.to_str()?, form))
    };
    Ok(fs::read_dir(directory)?.filter_map(Result::ok).filter_map(read).collect())
}

/// The thread that packs. Dropping it ends it, also within a file.
#[derive(Debug)]
pub(super) struct Packer {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

impl Packer {
    /// Starts the thread for the files in `directory`.
    pub(super) fn start(directory: &Path) -> io::Result<Self> {
        let desk = Arc::<Desk>::default();
        let work = Work { directory: directory.to_owned(), desk: Arc::clone(&desk) };
        let thread = Builder::new().name("log-packer".to_owned()).spawn(move || work.run())?;
        Ok(Self { desk, thread: Some(thread) })
    }

    /// Lines go to the file `current` from here on, and never again to one before it.
    pub(super) fn closed_before(&self, current: FileName) {
        self.desk.change(|orders| orders.before = Some(current));
    }

    /// Waits until nothing is left to be done.
    #[cfg(test)]
    pub(super) fn wait(&self) {
        let busy = |orders: &mut Orders| orders.before.is_some() || orders.busy;
        let waited =
            self.desk.changed.wait_timeout_while(self.desk.lock(), std::time::Duration::from_mins(1), busy);
        assert!(!waited.unwrap().1.timed_out(), "the packer is still busy");
    }
}

impl Drop for Packer {
    fn drop(&mut self) {
        self.desk.change(|orders| orders.stop = true);
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that compresses the request log has died");
        }
    }
}

/// Where the writer leaves word for the packer.
#[derive(Debug, Default)]
struct Desk {
    orders: Mutex<Orders>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Orders {
    /// Files before this one are to be packed.
    before: Option<FileName>,
    busy: bool,
    stop: bool,
}

impl Desk {
    fn change(&self, change: impl FnOnce(&mut Orders)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Waits for an order; none once the log is closed.
    fn next(&self) -> Option<FileName> {
        self.change(|orders| orders.busy = false);
        let idle = |orders: &mut Orders| orders.before.is_none() && !orders.stop;
        let mut orders = self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        orders.busy = !orders.stop;
        orders.before.take().filter(|_| !orders.stop)
    }

    fn stops(&self) -> bool {
        self.lock().stop
    }

    /// Waits for [`REST`], or less once the log is closed; says whether it is.
    fn rest(&self) -> bool {
        let rested = self.changed.wait_timeout_while(self.lock(), REST, |orders| !orders.stop);
        rested.unwrap_or_else(PoisonError::into_inner).0.stop
    }

    fn lock(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Work {
    directory: PathBuf,
    desk: Arc<Desk>,
}

impl Work {
    fn run(self) {
        while let Some(before) = self.desk.next() {
            self.pack_before(before);
        }
    }

    /// Packs every plain file before `current`, the oldest first.
    fn pack_before(&self, current: FileName) {
        let files = files(&self.directory).unwrap_or_default();
        let mut plain: Vec<FileName> = files
            .into_iter()
            .filter_map(|(name, form)| (form == Form::Plain && name < current).then_some(name))
            .collect();
        plain.sort_unstable();
        for name in plain {
            if self.desk.stops() {
                return;
            }
            if let Err(error) = self.pack(name) {
                let path = Form::Plain.path(&self.directory, name);
                tracing::warn!(path = %path.display(), %error, "a closed request log could not be compressed");
            }
        }
    }

    /// Packs one file, unless somebody still writes it.
    fn pack(&self, name: FileName) -> io::Result<()> {
        let [plain, packed, part] = Form::ALL.map(|form| form.path(&self.directory, name));
        let mut source = File::open(&plain)?;
        match source.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let written = self.copy(&mut source, &part);
        if !matches!(written, Ok(true)) {
            // It is of no use, and the plain file is there.
            let _ = fs::remove_file(&part);
            return written.map(|_| ());
        }
        fs::rename(&part, &packed)?;
        File::open(&self.directory)?.sync_all()?;
        fs::remove_file(&plain)
    }

    /// Packs `source` into a file `part` and onto the disk, with what the file system says of it; says whether it came
    /// to the end.
    fn copy(&self, source: &mut File, part: &Path) -> io::Result<bool> {
        let about = source.metadata()?;
        let mut encoder = GzEncoder::new(File::create(part)?, Compression::fast());
        let mut piece = vec![0; PIECE];
        loop {
            if self.desk.rest() {
                return Ok(false);
            }
            match source.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => encoder.write_all(piece.get(..count).unwrap_or_default())?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let packed = encoder.finish()?;
        packed.set_permissions(about.permissions())?;
        packed.set_modified(about.modified()?)?;
        packed.sync_all()?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
