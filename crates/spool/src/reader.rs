//! Reads a segment record by record, through a window of bounded size, and finds the way again behind damage.

use std::io;

use crate::disk::{DiskFile, read_full};
use crate::limits::RECORD_BYTES_MAX;
use crate::record::{HEAD, HEAD_BYTES, Head, Identity, Kind, Place};

/// Bytes that are read at once where all of a segment is.
const WINDOW: usize = 256 << 10;
/// Bytes that are read at once where one record is: most have no more.
const SMALL_WINDOW: usize = 4 << 10;

/// A segment, from which anything is read that lies before `end`.
#[derive(Debug)]
pub(crate) struct Reader<'a, F> {
    file: &'a F,
    identity: Identity,
    segment: u32,
    end: u32,
    least: usize,
    window: Vec<u8>,
    start: u32,
}

impl<'a, F: DiskFile> Reader<'a, F> {
    /// For reading from record to record.
    pub(crate) const fn new(file: &'a F, identity: Identity, segment: u32, end: u32) -> Self {
        Self { file, identity, segment, end, least: WINDOW, window: Vec::new(), start: 0 }
    }

    /// For reading one record, wherever the segment ends.
    pub(crate) const fn of_one(file: &'a F, identity: Identity, segment: u32) -> Self {
        Self { file, identity, segment, end: u32::MAX, least: SMALL_WINDOW, window: Vec::new(), start: 0 }
    }

    /// The head at `offset`, if there is one.
    pub(crate) fn head(&mut self, offset: u32) -> io::Result<Option<Head>> {
        let (identity, place) = (self.identity, Place { segment: self.segment, offset });
        let bytes = self.bytes(offset, HEAD)?.and_then(|bytes| bytes.first_chunk::<HEAD>());
        let head = bytes.and_then(|bytes| Head::read(bytes, identity, place));
        Ok(head.filter(|head| offset.checked_add(head.record_bytes()).is_some_and(|end| end <= self.end)))
    }

    /// The content behind `head` at `offset`, if it is what was written.
    pub(crate) fn content(&mut self, offset: u32, head: Head) -> io::Result<Option<&[u8]>> {
        let length = usize::try_from(head.length).unwrap_or(RECORD_BYTES_MAX);
        Ok(self.bytes(offset + HEAD_BYTES, length)?.filter(|content| head.fits(content)))
    }

    /// The record at `offset`, if there is a whole one.
    pub(crate) fn record(&mut self, offset: u32) -> io::Result<Option<(Head, &[u8])>> {
        let Some(head) = self.head(offset)? else { return Ok(None) };
        Ok(self.content(offset, head)?.map(|content| (head, content)))
    }

    /// The first place from `offset` on where there is a whole record; the end where there is none.
    pub(crate) fn next_record(&mut self, mut offset: u32) -> io::Result<u32> {
        while offset < self.end {
            if self.record(offset)?.is_some() {
                return Ok(offset);
            }
            offset += 1;
        }
        Ok(self.end)
    }

    /// Whether something behind `offset` says that everything before it was synced.
    pub(crate) fn is_proven(&mut self, offset: u32) -> io::Result<bool> {
        let mut at = self.next_record(offset + 1)?;
        while at < self.end {
            match self.record(at)?.map(|(head, _)| head) {
                Some(head) if head.kind == Kind::Mark => return Ok(true),
                Some(head) => at += head.record_bytes(),
                None => at = self.next_record(at + 1)?,
            }
        }
        Ok(false)
    }

    /// So many bytes from `offset` on, if there are as many.
    fn bytes(&mut self, offset: u32, length: usize) -> io::Result<Option<&[u8]>> {
        let Ok(distance) = u32::try_from(length) else { return Ok(None) };
        if offset.checked_add(distance).is_none_or(|end| end > self.end) {
            return Ok(None);
        }
        if self.in_window(offset, length).is_none() {
            let rest = usize::try_from(self.end - offset).unwrap_or(usize::MAX);
            self.window.resize(length.max(self.least.min(rest)), 0);
            let filled = read_full(self.file, &mut self.window, u64::from(offset))?;
            self.window.truncate(filled);
            self.start = offset;
        }
        let range = self.in_window(offset, length);
        Ok(range.and_then(|range| self.window.get(range)))
    }

    fn in_window(&self, offset: u32, length: usize) -> Option<std::ops::Range<usize>> {
        let from = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        let to = from.checked_add(length)?;
        (to <= self.window.len()).then_some(from..to)
    }
}
