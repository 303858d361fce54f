//! Reading one message, beside everything else that goes on.
//!
//! A [`Locator`] knows where a message's records are and holds the files open, so that reading needs neither the store nor
//! the files' names: a segment that is removed meanwhile stays readable for as long as somebody reads. The body comes
//! piece by piece.

use std::io;
use std::sync::Arc;

use super::Store;
use crate::disk::{Disk, DiskFile};
use crate::error::{Measure, SpoolError};
use crate::index::{Located, Standing};
use crate::message::{MessageId, State};
use crate::reader::Reader;
use crate::record::{Identity, Kind, MessageRecord, Part, Place, UpdateRecord};
use crate::segments::Files;

/// Where a message is.
#[derive(Debug)]
pub struct Locator<F> {
    pub(super) id: MessageId,
    pub(super) identity: Identity,
    pub(super) files: Files<F>,
    pub(super) located: Located,
}

/// A message, but for its body's bytes.
#[derive(Debug)]
pub struct Stored<F> {
    /// Its number.
    pub id: MessageId,
    /// Its envelope.
    pub envelope: Vec<u8>,
    /// How it stands with each recipient, in the order of the envelope.
    pub recipients: Vec<State>,
    /// Recipients whose latest state is damaged: of them, `recipients` has an earlier one.
    pub outdated: Vec<u32>,
    /// Its body, to be read.
    pub body: Body<F>,
}

/// A body, read piece by piece.
#[derive(Debug)]
pub struct Body<F> {
    id: MessageId,
    identity: Identity,
    files: Files<F>,
    pub(super) parts: Vec<Part>,
    next: usize,
}

impl<D: Disk, T> Store<D, T> {
    /// Which store it is: the number that was drawn for it when it was empty.
    pub fn identity(&self) -> Identity {
        self.segments.identity
    }

    /// Where a message is, for reading it.
    ///
    /// # Errors
    /// Where there is none, or it is done.
    pub fn locate(&self, id: MessageId) -> Result<Locator<D::File>, SpoolError> {
        let located = self.index.locate(id.number()).ok_or(SpoolError::Unknown(id))?;
        Ok(Locator { id, identity: self.segments.identity, files: self.segments.files(), located })
    }
}

impl<F: DiskFile> Locator<F> {
    /// Reads the envelope and how it stands with the recipients. Reads files; the caller may wait for the disk.
    ///
    /// # Errors
    /// Where the disk fails, or the message's own record is damaged.
    pub fn read(&self) -> Result<Stored<F>, SpoolError> {
        let damaged = || SpoolError::Damaged { id: self.id, what: Measure::Envelope };
        let content = self.content(self.located.place, Kind::Message)?;
        let content = content.ok_or_else(damaged)?;
        let record = MessageRecord::read(&content).filter(|record| record.id == self.id.number());
        let record = record.ok_or_else(damaged)?;
        let state = |slot: &crate::record::Slot<'_>| State { due: slot.due, bytes: slot.state.to_vec() };
        let mut recipients: Vec<State> = record.slots.iter().map(state).collect();
        let mut outdated = Vec::new();
        for ((recipient, standing), number) in recipients.iter_mut().zip(&self.located.standings).zip(0..) {
            let Standing::InUpdate(place) = *standing else { continue };
            match self.state(place, number)? {
                Some(latest) => *recipient = latest,
                None => outdated.push(number),
            }
        }
        let (files, parts) = (Arc::clone(&self.files), record.parts);
        let body = Body { id: self.id, identity: self.identity, files, parts, next: 0 };
        Ok(Stored { id: self.id, envelope: record.envelope.to_vec(), recipients, outdated, body })
    }

    /// What the update at `place` says of a recipient.
    fn state(&self, place: Place, recipient: u32) -> Result<Option<State>, SpoolError> {
        let Some(content) = self.content(place, Kind::Update)? else { return Ok(None) };
        let update = UpdateRecord::read(&content).filter(|update| update.id == self.id.number());
        // Said twice in one update, the later holds.
        let slot =
            update.and_then(|update| update.slots.into_iter().rev().find(|slot| slot.recipient == recipient));
        Ok(slot.map(|slot| State { due: slot.due, bytes: slot.state.to_vec() }))
    }

    fn content(&self, place: Place, kind: Kind) -> Result<Option<Vec<u8>>, SpoolError> {
        content(&self.files, self.identity, place, kind)
            .map_err(|error| SpoolError::Unreadable(Arc::new(error)))
    }
}

impl<F: DiskFile> Body<F> {
    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| u64::from(part.length)).sum()
    }

    /// The next piece; none at the end. Reads a file; the caller may wait for the disk.
    ///
    /// # Errors
    /// Where the disk fails, or the piece is damaged.
    pub fn next_piece(&mut self) -> Result<Option<Vec<u8>>, SpoolError> {
        let Some(part) = self.parts.get(self.next) else { return Ok(None) };
        let piece = match part.place {
            Some(place) => content(&self.files, self.identity, place, Kind::Piece),
            None => Ok(None),
        };
        let piece = piece.map_err(|error| SpoolError::Unreadable(Arc::new(error)))?;
        self.next += 1;
        piece.map(Some).ok_or(SpoolError::Damaged { id: self.id, what: Measure::Body })
    }
}

/// The content of the record of that kind at `place`, if there is one.
pub(super) fn content<F: DiskFile>(
    files: &Files<F>,
    identity: Identity,
    place: Place,
    kind: Kind,
) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = files.get(&place.segment) else { return Ok(None) };
    let mut reader = Reader::of_one(&**file, identity, place.segment);
    let Some(head) = reader.head(place.offset)?.filter(|head| head.kind == kind) else { return Ok(None) };
    Ok(reader.content(place.offset, head)?.map(<[u8]>::to_vec))
}
