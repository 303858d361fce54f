//! The lines of one log file, within their bounds.
//!
//! A file may be gzipped, also in several members one behind the other, as a rotation that appends makes it; that is seen
//! from its first bytes, whatever its name. A line that is too long is skipped and told, as is one that cannot be
//! understood; nothing that stands in a log ends the reading of it.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

/// The longest line that is read, in bytes; a longer one is skipped.
pub const LINE_MAX: usize = 64 << 10;

/// The first bytes of what is gzipped.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The lines of one file.
pub struct Lines {
    input: Box<dyn BufRead + Send>,
    line: Vec<u8>,
    number: u64,
}

/// One line that was read.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Its bytes, without the line feed.
    Whole(&'a [u8]),
    /// It is longer than [`LINE_MAX`].
    TooLong,
}

impl Lines {
    /// The lines of `file`, unpacked where it is gzipped.
    ///
    /// # Errors
    /// Where its first bytes cannot be read.
    pub fn of(file: impl Read + Send + 'static) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(256 << 10, file);
        let zipped = file.fill_buf()?.starts_with(&GZIP);
        let input: Box<dyn BufRead + Send> = if zipped {
            Box::new(BufReader::with_capacity(256 << 10, MultiGzDecoder::new(file)))
        } else {
            Box::new(file)
        };
        Ok(Self { input, line: Vec::new(), number: 0 })
    }

    /// The number of the line that was read last, from 1 on.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Reads one more line; nothing at the end.
    ///
    /// # Errors
    /// Where the file cannot be read on, such as one whose compression is broken.
    pub fn read(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let most = u64::try_from(LINE_MAX).unwrap_or(u64::MAX) + 1;
        let read = self.input.by_ref().take(most).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.line.pop_if(|last| *last == b'\n').is_none() && self.line.len() > LINE_MAX {
            self.skip()?;
            return Ok(Some(Line::TooLong));
        }
        self.line.pop_if(|last| *last == b'\r');
        Ok(Some(Line::Whole(&self.line)))
    }

    /// Throws away the rest of a line.
    fn skip(&mut self) -> io::Result<()> {
        loop {
            let piece = self.input.fill_buf()?;
            let end = piece.iter().position(|byte| *byte == b'\n');
            let (gone, done) = (end.map_or(piece.len(), |end| end + 1), end.is_some() || piece.is_empty());
            self.input.consume(gone);
            if done {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
