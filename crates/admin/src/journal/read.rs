//! A journal read from its newest line on, through all of its generations.
//!
//! Reading needs nothing of the writer: a generation that is set aside meanwhile is told by its identity, and not
//! read twice. A line that is no record – cut short by a crash, or edited by hand – is counted and passed over.
//! Everything is bounded: how many records are given, how many bytes are looked through for them, how long a line
//! may be. Records are in the order of time as far as the clock was; reading for a time in the past goes on for a
//! while past the first older record, since a clock that was set back leaves some out of order.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::generations;
use crate::types::Excerpt;

/// The most bytes that are looked through for one question.
pub(crate) const MOST_SCANNED: u64 = 128 * 1024 * 1024;
/// The most bytes of lines that one answer holds.
pub(crate) const MOST_ANSWERED: usize = 16 * 1024 * 1024;
/// The longest line that is looked at, in bytes.
const MAX_LINE: usize = 1024 * 1024;
/// How much is read at a time, in bytes.
const BLOCK: usize = 64 * 1024;
/// How many records in a row have to be too old before reading ends.
const OLDER_IN_A_ROW: u32 = 1000;

/// What a record is to whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// It is wanted.
    Wanted,
    /// It is of the time in question and not wanted.
    Other,
    /// It is older than the time in question.
    Older,
}

/// At most `limit` records of the journal at `path` that `judge` wants, the newest first.
pub(crate) fn newest<T: DeserializeOwned>(
    path: &Path,
    limit: usize,
    judge: impl Fn(&T) -> Match,
) -> io::Result<Excerpt<T>> {
    let mut search = Search {
        excerpt: Excerpt { items: Vec::new(), complete: true, broken: 0 },
        limit,
        judge,
        answered: 0,
        older: 0,
    };
    let mut scan = Scan { left: MOST_SCANNED, read: Vec::new() };
    for generation in generations::newest_first(path)? {
        let read = scan.file(&generation, &mut |line| search.take(line))?;
        if read.is_break() {
            break;
        }
    }
    search.excerpt.complete &= scan.left > 0;
    Ok(search.excerpt)
}

/// What is being looked for, and what was found.
struct Search<T, J> {
    excerpt: Excerpt<T>,
    limit: usize,
    judge: J,
    /// Bytes of the lines that were found.
    answered: usize,
    /// Records in a row that were too old.
    older: u32,
}

impl<T: DeserializeOwned, J: Fn(&T) -> Match> Search<T, J> {
    /// Looks at one line, nothing standing for one that is too long; breaks off where no further is wanted.
    fn take(&mut self, line: Option<&[u8]>) -> ControlFlow<()> {
        if line.is_some_and(<[u8]>::is_empty) {
            return ControlFlow::Continue(());
        }
        let parsed = line.and_then(|line| Some((line.len(), serde_json::from_slice::<T>(line).ok()?)));
        let Some((length, record)) = parsed else {
            self.excerpt.broken = self.excerpt.broken.saturating_add(1);
            return ControlFlow::Continue(());
        };
        match (self.judge)(&record) {
            Match::Older => {
                self.older += 1;
                return if self.older < OLDER_IN_A_ROW {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                };
            }
            Match::Other => self.older = 0,
            Match::Wanted => {
                self.older = 0;
                if self.excerpt.items.len() >= self.limit || self.answered + length > MOST_ANSWERED {
                    self.excerpt.complete = false;
                    return ControlFlow::Break(());
                }
                self.answered += length;
                self.excerpt.items.push(record);
            }
        }
        ControlFlow::Continue(())
    }
}

/// Who is told each line, from the last one on; nothing stands for one that is too long.
type Take<'t> = dyn FnMut(Option<&[u8]>) -> ControlFlow<()> + 't;

/// How far files were read.
struct Scan {
    /// Bytes that may still be read.
    left: u64,
    /// Which files were.
    read: Vec<Identity>,
}

impl Scan {
    /// Hands the lines of the file at `path` to `take`, the last one first. A file that is not there has none.
    fn file(&mut self, path: &Path, take: &mut Take<'_>) -> io::Result<ControlFlow<()>> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(ControlFlow::Continue(())),
            Err(error) => return Err(error),
        };
        let identity = identity(&file)?;
        if identity.is_some() && self.read.contains(&identity) {
            return Ok(ControlFlow::Continue(()));
        }
        self.read.push(identity);
        self.backwards(&mut file, take)
    }

    fn backwards(&mut self, file: &mut File, take: &mut Take<'_>) -> io::Result<ControlFlow<()>> {
        let mut end = file.seek(SeekFrom::End(0))?;
        // The beginning of the line whose end was read already.
        let mut line = Line::default();
        while end > 0 {
            let wanted = u64::try_from(BLOCK).unwrap_or(u64::MAX).min(end).min(self.left);
            if wanted == 0 {
                return Ok(ControlFlow::Break(()));
            }
            self.left -= wanted;
            end -= wanted;
            let mut block = vec![0; usize::try_from(wanted).unwrap_or(BLOCK)];
            file.seek(SeekFrom::Start(end))?;
            file.read_exact(&mut block)?;
            let mut pieces = block.rsplit(|byte| *byte == b'\n').peekable();
            while let Some(piece) = pieces.next() {
                line.put_before(piece);
                let is_whole = pieces.peek().is_some() || end == 0;
                if is_whole && take(std::mem::take(&mut line).text()).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// A line that grows at its beginning.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    too_long: bool,
}

impl Line {
    fn put_before(&mut self, piece: &[u8]) {
        self.too_long |= self.bytes.len() + piece.len() > MAX_LINE;
        if self.too_long {
            self.bytes = Vec::new();
        } else {
            self.bytes.splice(..0, piece.iter().copied());
        }
    }

    fn text(&self) -> Option<&[u8]> {
        (!self.too_long).then_some(&self.bytes)
    }
}

/// What tells one file from another whatever its name, where the system has such a thing.
type Identity = Option<(u64, u64)>;

#[cfg(unix)]
fn identity(file: &File) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    let found = file.metadata()?;
    Ok(Some((found.dev(), found.ino())))
}

#[cfg(not(unix))]
fn identity(_: &File) -> io::Result<Identity> {
    Ok(None)
}
