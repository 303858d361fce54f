//! Removing what nobody needs: whatever is still needed of the oldest segment is copied to the end, and it is removed.
//!
//! Only ever the oldest is: so whatever a segment says about messages of older ones – that they are done, above all – is
//! of no use any more when its own turn comes. Copying is worth while when there is half as much garbage as there are
//! messages; then each byte of garbage costs at most two that are copied. It is done in small steps between commits.
//!
//! A copied message is one record with everything that is known of it, and replaces all that was said before.

use std::io;
use std::sync::Arc;

use super::stored::content;
use super::{Effect, Locator, Store};
use crate::disk::Disk;
use crate::error::SpoolError;
use crate::index::{Search, Standing};
use crate::message::MessageId;
use crate::reader::Reader;
use crate::record::{HEAD, Kind, MessageRecord, Part, Place, Slot, UpdateRecord};

/// Messages that are looked at in one step for one that is to be copied.
const VISITS: usize = 20_000;

/// A recipient, and the content of its latest update; nothing where that is damaged.
type Latest = (u32, Option<Vec<u8>>);

/// How far the oldest segment has been searched.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    segment: u32,
    from: u64,
}

impl<D: Disk, T> Store<D, T> {
    /// Removes segments that nobody needs, and stages copies of about `budget` bytes out of the oldest where that is worth while.
    /// Says how many bytes are staged. Commits first what is staged.
    ///
    /// # Errors
    /// Where the disk fails; what could not be removed or copied stays, and it may be tried again.
    pub fn sweep(&mut self, budget: u64) -> Result<u64, SpoolError> {
        // A copy says how it stood with a message: nothing that changes it may be staged before.
        self.commit();
        self.remove_unneeded()?;
        let mut copied = 0;
        while copied < budget && self.is_worth_while() {
            let Some(oldest) = self.segments.oldest_sealed() else { break };
            let draft = self.drafts.iter().find(|(_, draft)| draft.is_in(oldest)).map(|(key, _)| *key);
            if let Some(draft) = draft {
                copied += self.move_draft(draft, oldest)?;
                continue;
            }
            if self.sweep.segment != oldest {
                self.sweep = Sweep { segment: oldest, from: 0 };
            }
            match self.index.holder(oldest, self.sweep.from, VISITS) {
                Search::Found(id) => {
                    self.sweep.from = id + 1;
                    copied += self.move_message(id, oldest)?;
                }
                Search::GoOn(from) => {
                    self.sweep.from = from;
                    break;
                }
                Search::End => {
                    self.sweep.from = 0;
                    break;
                }
            }
        }
        Ok(copied)
    }

    fn is_worth_while(&self) -> bool {
        let used = self.used();
        let garbage = self.segments.bytes().saturating_sub(used);
        garbage > self.limits.garbage_allowed(used) || self.segments.count() > self.limits.segments()
    }

    pub(super) fn remove_unneeded(&mut self) -> Result<(), SpoolError> {
        while let Some(oldest) = self.segments.oldest_sealed() {
            // The last one stays while there is none to write: it knows which numbers were given.
            if self.segments.count() == 1 {
                break;
            }
            let is_held = self.index.oldest_held().is_some_and(|held| held <= oldest);
            if is_held || self.drafts.values().any(|draft| draft.is_in(oldest)) {
                break;
            }
            self.segments.remove_oldest().map_err(|error| SpoolError::NotKept(Arc::new(error)))?;
        }
        Ok(())
    }

    fn move_message(&mut self, id: u64, segment: u32) -> Result<u64, SpoolError> {
        let locator = self.locate(MessageId::new(id))?;
        let unreadable = |error: io::Error| SpoolError::Unreadable(Arc::new(error));
        let place = locator.located.place;
        let record = content(&locator.files, locator.identity, place, Kind::Message).map_err(unreadable)?;
        let Some(message) = record.as_deref().and_then(MessageRecord::read) else {
            // Whoever it was for, nobody can say any more.
            self.set_aside(place)?;
            self.index.remove(id);
            return Ok(0);
        };
        let updates = self.updates(&locator)?;
        self.copy_message(message, &updates, segment)
    }

    /// The latest updates of a message's recipients.
    fn updates(&mut self, locator: &Locator<D::File>) -> Result<Vec<Latest>, SpoolError> {
        let mut updates = Vec::new();
        for (standing, recipient) in locator.located.standings.iter().zip(0..) {
            let Standing::InUpdate(place) = *standing else { continue };
            let update = content(&locator.files, locator.identity, place, Kind::Update);
            let update = update.map_err(|error| SpoolError::Unreadable(Arc::new(error)))?;
            if update.is_none() {
                // The state before it is what is left.
                self.set_aside(place)?;
            }
            updates.push((recipient, update));
        }
        Ok(updates)
    }

    /// Copies a message as a whole: its record, with all that is known, and those of its pieces that are in `segment`.
    fn copy_message<'a>(
        &mut self,
        mut message: MessageRecord<'a>,
        updates: &'a [Latest],
        segment: u32,
    ) -> Result<u64, SpoolError> {
        for slot in &mut message.slots {
            if let Some(latest) = latest_slot(updates, slot.recipient) {
                *slot = latest;
            }
        }
        let mut copied = 0;
        for part in &mut message.parts {
            if part.place.is_some_and(|place| place.segment == segment) {
                *part = self.copy_part(part)?.unwrap_or(Part { place: None, ..*part });
                copied += part.record_bytes();
            }
        }
        self.ready(message.record_bytes())?;
        let placed = self.append_message(&message, Vec::new())?;
        copied += placed.bytes - message.parts.iter().map(Part::record_bytes).sum::<u64>();
        self.staged.push((Effect::Relocated(placed), None));
        Ok(copied)
    }

    /// Copies a piece; nothing where it is damaged, which is noted.
    pub(super) fn copy_part(&mut self, part: &Part) -> Result<Option<Part>, SpoolError> {
        let Some(place) = part.place else { return Ok(None) };
        let piece = content(&self.segments.files(), self.segments.identity, place, Kind::Piece);
        let Some(piece) = piece.map_err(|error| SpoolError::Unreadable(Arc::new(error)))? else {
            self.set_aside(place)?;
            return Ok(None);
        };
        self.ready(HEAD + piece.len())?;
        self.append_part(&piece).map(Some)
    }

    /// Keeps what stands where a record should be, up to the next record.
    fn set_aside(&mut self, place: Place) -> Result<(), SpoolError> {
        let Some(file) = self.segments.file(place.segment).map(Arc::clone) else { return Ok(()) };
        let end = self.segments.end(place.segment).unwrap_or(place.offset);
        let mut reader = Reader::new(&*file, self.segments.identity, place.segment, end);
        let next = reader.next_record(place.offset.saturating_add(1));
        let next = next.map_err(|error| SpoolError::Unreadable(Arc::new(error)))?;
        let bytes = u64::from(next.saturating_sub(place.offset));
        let damage = self.keeper.keep(&self.segments.disk, &file, place, bytes);
        self.note(damage);
        Ok(())
    }
}

/// What the recipient's update says of it.
fn latest_slot(updates: &[Latest], recipient: u32) -> Option<Slot<'_>> {
    let at = updates.binary_search_by_key(&recipient, |(number, _)| *number).ok()?;
    let update = UpdateRecord::read(updates.get(at)?.1.as_deref()?)?;
    update.slots.into_iter().rev().find(|slot| slot.recipient == recipient)
}
