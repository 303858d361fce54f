//! The queue itself, without threads and without waiting: what is asked is *staged*, and [`Store::commit`] makes all of it
//! last with one sync.
//!
//! Nothing that was asked has an effect before it is on disk: the index is changed when the sync has returned, and only then
//! is there a result to take, with the token that the caller gave along. When the disk fails, everything that was staged
//! fails with it, and the segment is given up (H15).
//!
//! | module | the one idea |
//! |---|---|
//! | `draft` | a body that comes in piece by piece |
//! | `recover` | reading everything again |
//! | `sweep` | copying what is needed out of the oldest segment, and removing it |
//! | `stored` | reading one message |

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use weir_units::WallTime;

use crate::damage::{Damage, Keeper};
use crate::disk::{Disk, wide};
use crate::error::{Measure, SpoolError};
use crate::index::{Index, Placed, Updated};
use crate::limits::{Limits, LimitsError, PIECE_BYTES};
use crate::message::{Change, Due, MessageId, State, Usage};
use crate::record::{HEAD, Kind, MessageRecord, Part, Place, Slot, UpdateRecord};
use crate::segments::Segments;

mod draft;
mod recover;
mod stored;
mod sweep;

use draft::Draft;
pub use recover::Recovery;
pub use stored::{Body, Locator, Stored};
use sweep::Sweep;

/// The most damaged places that wait for somebody to take them.
const DAMAGE_MAX: usize = 1_000;

/// Why a spool cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its limits make no sense.
    #[error(transparent)]
    Limits(#[from] LimitsError),
    /// The disk failed.
    #[error("the queue's disk failed: {0}")]
    Disk(#[from] io::Error),
    /// The folder has segments of two spools.
    #[error(
        "the queue's folder has segments of two queues, {0:016x} and {1:016x}; give each a folder of its own"
    )]
    Mixed(u64, u64),
    /// A segment was written by another version of the program.
    #[error("the queue's segment {0} was written by a newer version of this program; start that one")]
    Version(u32),
}

/// What a staged record does once it is synced.
#[derive(Debug)]
enum Effect {
    Queued(Placed),
    Updated { id: u64, place: Place, changes: Vec<Updated> },
    Relocated(Placed),
}

impl Effect {
    const fn id(&self) -> u64 {
        match self {
            Self::Queued(placed) | Self::Relocated(placed) => placed.id,
            Self::Updated { id, .. } => *id,
        }
    }
}

/// A spool on a disk; `T` is what a caller knows his request by.
///
/// ```
/// use weir_spool::{Identity, Limits, Simulated, State, Store};
/// use weir_units::WallTime;
///
/// let disk = Simulated::new(1);
/// let (mut store, _) = Store::<_, &str>::open(disk, Limits::default(), Identity(7))?;
/// let now = WallTime::from_unix_micros(0);
/// let recipients = [State { due: Some(now), bytes: b"jane@example.com".to_vec() }];
/// store.queue(1, b"Subject: hello\r\n", b"john@example.com", &recipients, "my request");
/// assert!(store.take_due(10, now).is_empty(), "not before it is on disk");
/// store.commit();
/// let (token, result) = store.take_results().remove(0);
/// assert_eq!((token, result.is_ok()), ("my request", true));
/// assert_eq!(store.take_due(10, now).len(), 1);
/// # Ok::<(), weir_spool::OpenError>(())
/// ```
#[derive(Debug)]
pub struct Store<D: Disk, T> {
    limits: Limits,
    segments: Segments<D>,
    index: Index,
    drafts: BTreeMap<u64, Draft>,
    /// Bytes of all of them.
    draft_bytes: u64,
    staged: Vec<(Effect, Option<T>)>,
    /// Messages, and bytes of messages, that are staged.
    staged_messages: usize,
    staged_bytes: u64,
    results: Vec<(T, Result<MessageId, SpoolError>)>,
    next_id: u64,
    sweep: Sweep,
    keeper: Keeper,
    damage: Vec<Damage>,
}

impl<D: Disk, T> Store<D, T> {
    /// Puts a message with the draft's body, and `last` at its end, into the queue.
    ///
    /// The result comes with `token` after a commit. A draft that does not exist is one without a body so far.
    pub fn queue(&mut self, draft: u64, last: &[u8], envelope: &[u8], recipients: &[State], token: T) {
        let staged = self.stage_message(draft, last, envelope, recipients);
        self.abandon(draft);
        match staged {
            Ok(placed) => {
                self.staged_messages += 1;
                self.staged_bytes += placed.bytes;
                self.staged.push((Effect::Queued(placed), Some(token)));
            }
            Err(error) => self.results.push((token, Err(error))),
        }
    }

    /// Says what became of some recipients of a message. When nothing is left to be done for any, the message is gone.
    ///
    /// The result comes with `token` after a commit.
    pub fn update(&mut self, id: MessageId, changes: &[Change], token: T) {
        match self.stage_update(id, changes) {
            Ok(effect) => self.staged.push((effect, Some(token))),
            Err(error) => self.results.push((token, Err(error))),
        }
    }

    /// Makes everything last that is staged. Its results can be taken then, whether it went well or not.
    pub fn commit(&mut self) {
        match self.segments.sync() {
            Ok(()) => self.settle(),
            Err(error) => drop(self.fail(error)),
        }
    }

    /// Whether something is staged, which a commit would make last.
    pub fn is_staged(&self) -> bool {
        !self.staged.is_empty()
    }

    /// The results that there are, in the order in which they were asked for.
    pub fn take_results(&mut self) -> Vec<(T, Result<MessageId, SpoolError>)> {
        std::mem::take(&mut self.results)
    }

    /// Damage that was found since the spool was opened.
    pub fn take_damage(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.damage)
    }

    /// Hands out at most `most` messages whose time has come by `now`, the earliest first. A recipient that was handed out is
    /// not due again until it is updated or reminded of, or the spool is opened anew.
    pub fn take_due(&mut self, most: usize, now: WallTime) -> Vec<Due> {
        self.index.take_due(most, now)
    }

    /// When the next message is due.
    pub fn next_due(&self) -> Option<WallTime> {
        self.index.next_due()
    }

    /// Sets when recipients of a message are looked at next, without telling the disk: after a restart it is as it was. That
    /// is how a recipient goes back that was handed out in vain, and how one comes early whose next hop is back (H6).
    pub fn remind(&mut self, id: MessageId, recipients: &[u32], at: WallTime) {
        for recipient in recipients {
            self.index.remind(id.number(), *recipient, at);
        }
    }

    /// The messages after `after`, at most `most`, in the order of their numbers.
    pub fn ids_after(&self, after: Option<MessageId>, most: usize) -> Vec<MessageId> {
        self.index.ids_after(after.map(MessageId::number), most)
    }

    /// How full it is.
    pub fn usage(&self) -> Usage {
        Usage {
            messages: wide(self.index.len()),
            messages_limit: wide(self.limits.messages),
            bytes: self.used(),
            bytes_limit: self.limits.message_room(),
            disk_bytes: self.segments.bytes(),
            disk_limit: self.limits.disk_bytes,
            segments: self.segments.count(),
            drafts: wide(self.drafts.len()),
            writable: self.segments.is_active(),
        }
    }

    fn stage_message(
        &mut self,
        key: u64,
        last: &[u8],
        envelope: &[u8],
        recipients: &[State],
    ) -> Result<Placed, SpoolError> {
        self.check_shape(envelope, recipients)?;
        let limit = self.limits.messages;
        if self.index.len() + self.staged_messages >= limit {
            return Err(SpoolError::TooMany { limit: wide(limit) });
        }
        for piece in last.chunks(PIECE_BYTES) {
            self.piece(key, piece)?;
        }
        let states: usize = recipients.iter().map(|state| Slot::BYTES + state.bytes.len()).sum();
        let parts = self.drafts.get(&key).map_or(0, |draft| draft.parts.len());
        let record = HEAD + MessageRecord::BYTES + Part::BYTES * parts + envelope.len() + states;
        self.check_room(record)?;
        self.ready(record)?;
        // Making room may have failed, and the draft with it.
        let parts = self.take_draft(key).map_or(Ok(Vec::new()), Draft::into_parts)?;
        let id = self.next_id;
        self.next_id += 1;
        let slots = slots_of(recipients.iter().zip(0..).map(|(state, number)| (number, state)));
        let dues = recipients.iter().map(|state| state.due).collect();
        self.append_message(&MessageRecord { id, parts, envelope, slots }, dues)
    }

    fn append_message(
        &mut self,
        message: &MessageRecord<'_>,
        dues: Vec<Option<WallTime>>,
    ) -> Result<Placed, SpoolError> {
        let record_bytes = wide(message.record_bytes());
        let place = self.append(Kind::Message, |out| message.write(out))?;
        Ok(Placed::new(message.id, place, record_bytes, &message.parts, dues))
    }

    fn stage_update(&mut self, id: MessageId, changes: &[Change]) -> Result<Effect, SpoolError> {
        let recipients = self.index.recipients(id.number()).ok_or(SpoolError::Unknown(id))?;
        for change in changes {
            let recipient = change.recipient;
            if recipient >= recipients {
                return Err(SpoolError::UnknownRecipient { id, recipient });
            }
            at_most(Measure::State, change.state.bytes.len(), self.limits.state_bytes)?;
        }
        at_most(Measure::Recipients, changes.len(), self.limits.recipients)?;
        let slots = slots_of(changes.iter().map(|change| (change.recipient, &change.state)));
        let record = HEAD
            + UpdateRecord::BYTES
            + slots.iter().map(|slot| Slot::BYTES + slot.state.len()).sum::<usize>();
        let (used, limit) = (self.segments.bytes(), self.limits.disk_bytes);
        if used + wide(record) > limit {
            return Err(SpoolError::Full { used, limit });
        }
        self.ready(record)?;
        self.append_update(id.number(), &slots).map(|(place, changes)| Effect::Updated {
            id: id.number(),
            place,
            changes,
        })
    }

    fn append_update(&mut self, id: u64, slots: &[Slot<'_>]) -> Result<(Place, Vec<Updated>), SpoolError> {
        let update = UpdateRecord { id, slots: slots.to_vec() };
        let place = self.append(Kind::Update, |out| update.write(out))?;
        Ok((place, slots.iter().map(Updated::of).collect()))
    }

    /// Appends a record, for which room has been made.
    fn append(&mut self, kind: Kind, content: impl FnOnce(&mut Vec<u8>)) -> Result<Place, SpoolError> {
        self.segments.append(kind, content).map_err(|error| self.fail(error))
    }

    fn append_part(&mut self, content: &[u8]) -> Result<Part, SpoolError> {
        let place = self.append(Kind::Piece, |out| out.extend_from_slice(content))?;
        let length = u32::try_from(content.len()).expect("a piece is short");
        Ok(Part { place: Some(place), length })
    }

    /// Makes sure that there is a segment with room for a record of `bytes`.
    fn ready(&mut self, bytes: usize) -> Result<(), SpoolError> {
        if self.segments.is_full_for(bytes, self.limits.segment_bytes) {
            self.segments.sync().map_err(|error| self.fail(error))?;
            self.settle();
            self.segments.seal();
        }
        if !self.segments.is_active() {
            self.segments.begin(self.next_id).map_err(|error| SpoolError::NotKept(Arc::new(error)))?;
        }
        Ok(())
    }

    /// Everything that is staged has been synced: it happens.
    fn settle(&mut self) {
        for (effect, token) in std::mem::take(&mut self.staged) {
            let id = MessageId::new(effect.id());
            match effect {
                Effect::Queued(placed) => self.index.insert(&placed),
                Effect::Updated { id, place, changes } => self.index.update(id, place, &changes),
                Effect::Relocated(placed) => self.index.relocate(&placed),
            }
            self.results.extend(token.map(|token| (token, Ok(id))));
        }
        (self.staged_messages, self.staged_bytes) = (0, 0);
    }

    /// The disk failed: nothing happens of what is staged, and what it wrote to is given up.
    fn fail(&mut self, error: io::Error) -> SpoolError {
        let error = Arc::new(error);
        if let Some(cut) = self.segments.give_up() {
            for draft in self.drafts.values_mut() {
                draft.fail_behind(cut, &error);
            }
        }
        // That the next segment says what does not count makes it certain.
        let failure = match self.segments.begin(self.next_id) {
            Ok(()) => SpoolError::NotKept(error),
            Err(_) => SpoolError::InDoubt(error),
        };
        for (_, token) in std::mem::take(&mut self.staged) {
            self.results.extend(token.map(|token| (token, Err(failure.clone()))));
        }
        (self.staged_messages, self.staged_bytes) = (0, 0);
        failure
    }

    fn check_shape(&self, envelope: &[u8], recipients: &[State]) -> Result<(), SpoolError> {
        at_most(Measure::Envelope, envelope.len(), self.limits.envelope_bytes)?;
        at_most(Measure::Recipients, recipients.len(), self.limits.recipients)?;
        recipients
            .iter()
            .try_for_each(|state| at_most(Measure::State, state.bytes.len(), self.limits.state_bytes))
    }

    /// Whether `bytes` more of a message may be taken.
    fn check_room(&self, bytes: usize) -> Result<(), SpoolError> {
        let (used, limit) = (self.used(), self.limits.message_room());
        if used + wide(bytes) > limit {
            return Err(SpoolError::Full { used, limit });
        }
        let (used, limit) = (self.segments.bytes(), self.limits.append_room());
        if used + wide(bytes) > limit {
            return Err(SpoolError::Full { used, limit });
        }
        Ok(())
    }

    /// Bytes of messages, those that are on their way included.
    fn used(&self) -> u64 {
        self.index.bytes() + self.staged_bytes + self.draft_bytes
    }

    fn note(&mut self, damage: Damage) {
        if self.damage.len() < DAMAGE_MAX {
            self.damage.push(damage);
        }
    }
}

fn slots_of<'a>(states: impl Iterator<Item = (u32, &'a State)>) -> Vec<Slot<'a>> {
    states.map(|(recipient, state)| Slot { recipient, due: state.due, state: &state.bytes }).collect()
}

fn at_most(what: Measure, given: usize, limit: usize) -> Result<(), SpoolError> {
    if given <= limit {
        Ok(())
    } else {
        Err(SpoolError::TooLarge { what, given: wide(given), limit: wide(limit) })
    }
}

#[cfg(test)]
mod tests;
