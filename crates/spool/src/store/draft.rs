//! A body that comes in piece by piece, and is nobody's until its message is queued.
//!
//! Its pieces are in the segments already, unread and, at first, unsynced; only the list of them is in memory. A draft
//! that is given up leaves garbage behind.

use std::io;
use std::sync::Arc;

use super::{Store, at_most};
use crate::disk::{Disk, wide};
use crate::error::{Measure, SpoolError};
use crate::limits::PIECE_BYTES;
use crate::record::{HEAD, Part};
use crate::segments::Cut;

/// Pieces shorter than this are as many as those of this length may be.
const SHORT_PIECE_BYTES: u64 = 1024;

/// The pieces that are there.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) parts: Vec<Part>,
    /// Bytes of the body.
    bytes: u64,
    /// The oldest segment that has one.
    oldest: Option<u32>,
    /// Why a piece is not there although it came.
    failed: Option<Arc<io::Error>>,
}

impl Draft {
    /// The pieces, if all of them are there.
    pub(super) fn into_parts(self) -> Result<Vec<Part>, SpoolError> {
        self.failed.map_or(Ok(self.parts), |error| Err(SpoolError::NotKept(error)))
    }

    /// Bytes that its pieces take on disk.
    fn record_bytes(&self) -> u64 {
        self.parts.iter().map(Part::record_bytes).sum()
    }

    pub(super) fn is_in(&self, segment: u32) -> bool {
        self.oldest == Some(segment)
    }

    /// Puts `part` where the part `number` was, or at the end.
    fn put(&mut self, number: usize, part: Part) {
        match self.parts.get_mut(number) {
            Some(place) => *place = part,
            None => self.parts.push(part),
        }
        let places = self.parts.iter().filter_map(|part| part.place);
        self.oldest = places.map(|place| place.segment).min();
    }

    /// A segment has failed: what is behind the cut is lost.
    pub(super) fn fail_behind(&mut self, cut: Cut, error: &Arc<io::Error>) {
        let is_lost = |part: &Part| {
            part.place.is_some_and(|place| place.segment == cut.segment && place.offset >= cut.end)
        };
        if self.parts.iter().any(is_lost) {
            self.failed = Some(Arc::clone(error));
        }
    }
}

impl<D: Disk, T> Store<D, T> {
    /// Adds a piece to a body, beginning it where there is no such draft. Nothing of it lasts before its message is
    /// queued and committed.
    ///
    /// # Errors
    /// Where there is no room, or the disk fails: the draft is of no use then.
    pub fn piece(&mut self, draft: u64, piece: &[u8]) -> Result<(), SpoolError> {
        at_most(Measure::Body, piece.len(), PIECE_BYTES)?;
        let limit = self.limits.drafts;
        match self.drafts.get(&draft) {
            Some(found) => {
                if let Some(error) = &found.failed {
                    return Err(SpoolError::NotKept(Arc::clone(error)));
                }
                let bytes = found.bytes + wide(piece.len());
                let (shortest, most) = (wide(found.parts.len()) * SHORT_PIECE_BYTES, self.limits.body_bytes);
                if bytes > most || shortest > most {
                    let given = bytes.max(shortest);
                    return Err(SpoolError::TooLarge { what: Measure::Body, given, limit: most });
                }
            }
            None if self.drafts.len() >= limit => return Err(SpoolError::TooMany { limit: wide(limit) }),
            None => {}
        }
        self.check_room(HEAD + piece.len())?;
        self.ready(HEAD + piece.len())?;
        let part = self.append_part(piece)?;
        let draft = self.drafts.entry(draft).or_default();
        draft.bytes += wide(piece.len());
        self.draft_bytes += part.record_bytes();
        draft.oldest = draft.oldest.or(part.place.map(|place| place.segment));
        draft.parts.push(part);
        Ok(())
    }

    /// Copies the pieces of a draft that are in `segment`, the oldest, and says how many bytes that were.
    pub(super) fn move_draft(&mut self, key: u64, segment: u32) -> Result<u64, SpoolError> {
        let parts = self.drafts.get(&key).map(|draft| draft.parts.clone()).unwrap_or_default();
        let mut copied = 0;
        for (number, part) in parts.iter().enumerate() {
            if part.place.is_none_or(|place| place.segment != segment) {
                continue;
            }
            if let Some(copy) = self.copy_part(part)? {
                copied += copy.record_bytes();
                self.drafts.entry(key).or_default().put(number, copy);
            } else {
                // What is left keeps its name, so that its sender is told.
                drop(self.take_draft(key));
                let failed = Some(Arc::new(io::ErrorKind::InvalidData.into()));
                self.drafts.insert(key, Draft { failed, ..Draft::default() });
                break;
            }
        }
        Ok(copied)
    }

    /// Gives a draft up, if there is one.
    pub fn abandon(&mut self, draft: u64) {
        drop(self.take_draft(draft));
    }

    pub(super) fn take_draft(&mut self, draft: u64) -> Option<Draft> {
        let draft = self.drafts.remove(&draft)?;
        self.draft_bytes -= draft.record_bytes();
        Some(draft)
    }
}
