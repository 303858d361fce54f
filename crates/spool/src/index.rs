//! What the spool knows of its messages without looking at the disk: where each one is, and when each of its recipients is
//! due.
//!
//! It is changed only by what is synced, in the same way while the spool runs and when it is read again after a crash. A
//! message that nobody waits for is gone from it. For each segment it counts the messages whose oldest record is there; a
//! segment before which nobody's is has nothing that anybody needs.

use std::collections::{BTreeMap, BTreeSet};

use weir_units::WallTime;

use crate::disk::wide;
use crate::message::{Due, MessageId};
use crate::record::{HEAD, Part, Place, Slot, UpdateRecord};

mod entry;

use entry::{Entry, Spot, When};
pub(crate) use entry::{Located, Standing};

/// A message as its record says it.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) id: u64,
    pub(crate) place: Place,
    /// The oldest segment that has a part of it.
    pub(crate) oldest: u32,
    /// Bytes of its records.
    pub(crate) bytes: u64,
    /// When each recipient is due.
    pub(crate) dues: Vec<Option<WallTime>>,
}

impl Placed {
    /// What a message's record of `record_bytes` bytes at `place` says.
    pub(crate) fn new(
        id: u64,
        place: Place,
        record_bytes: u64,
        parts: &[Part],
        dues: Vec<Option<WallTime>>,
    ) -> Self {
        let places = parts.iter().filter_map(|part| part.place);
        let oldest = places.map(|place| place.segment).min().unwrap_or(place.segment).min(place.segment);
        let bytes = parts.iter().map(Part::record_bytes).sum::<u64>() + record_bytes;
        Self { id, place, oldest, bytes, dues }
    }
}

/// What an update says of one recipient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Updated {
    pub(crate) recipient: u32,
    pub(crate) due: Option<WallTime>,
    /// Bytes of the state.
    pub(crate) length: u32,
}

impl Updated {
    pub(crate) fn of(slot: &Slot<'_>) -> Self {
        let length = u32::try_from(slot.state.len()).unwrap_or(u32::MAX);
        Self { recipient: slot.recipient, due: slot.due, length }
    }

    /// Bytes that it takes on disk, the update counted whole for each of its recipients.
    pub(crate) fn bytes(&self) -> u64 {
        wide(HEAD + UpdateRecord::BYTES + Slot::BYTES) + u64::from(self.length)
    }
}

/// All messages of a spool.
#[derive(Debug, Default)]
pub(crate) struct Index {
    messages: BTreeMap<u64, Entry>,
    /// When each message that waits is to be looked at first.
    waiting: BTreeSet<(When, u64)>,
    /// How many messages have their oldest record in a segment.
    holders: BTreeMap<u32, u64>,
    bytes: u64,
}

impl Index {
    /// How many messages there are.
    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Bytes of all their records.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The oldest segment that anybody needs.
    pub(crate) fn oldest_held(&self) -> Option<u32> {
        self.holders.keys().next().copied()
    }

    /// How many recipients the message has.
    pub(crate) fn recipients(&self, id: u64) -> Option<u32> {
        self.messages.get(&id).map(|entry| u32::try_from(entry.spots().len()).unwrap_or(u32::MAX))
    }

    /// Where the message's records are.
    pub(crate) fn locate(&self, id: u64) -> Option<Located> {
        self.messages.get(&id).map(Entry::located)
    }

    /// Puts a message in, in the place of what was known of it.
    pub(crate) fn insert(&mut self, placed: &Placed) {
        let entry = Entry::new(placed);
        self.replace(placed.id, |_| Some(entry));
    }

    /// A message's record and parts are elsewhere now; when its recipients are due does not change.
    pub(crate) fn relocate(&mut self, placed: &Placed) {
        self.replace(placed.id, |entry| entry.map(|entry| entry.relocated(placed)));
    }

    /// Some recipients' states changed. Whoever is not known is left alone: a message that is done may have updates that
    /// outlive it on disk.
    pub(crate) fn update(&mut self, id: u64, place: Place, changes: &[Updated]) {
        self.change(id, |entry| {
            for change in changes {
                if let Some(spot) = entry.spot_mut(change.recipient) {
                    *spot = Spot::new(When::of(change.due), place, change.bytes());
                }
            }
        });
    }

    /// Forgets a message.
    pub(crate) fn remove(&mut self, id: u64) {
        self.replace(id, |_| None);
    }

    /// When the next message is due.
    pub(crate) fn next_due(&self) -> Option<WallTime> {
        self.waiting.first().and_then(|(when, _)| when.time())
    }

    /// Hands out at most `most` messages whose time has come by `now`, in the order of their times and then of their
    /// numbers. A recipient that was handed out is not due again until it is updated or reminded of.
    pub(crate) fn take_due(&mut self, most: usize, now: WallTime) -> Vec<Due> {
        let latest = When::of(Some(now));
        let ids: Vec<u64> = self
            .waiting
            .iter()
            .take(most)
            .take_while(|(when, _)| *when <= latest)
            .map(|(_, id)| *id)
            .collect();
        ids.into_iter().map(|id| self.take(id, latest)).collect()
    }

    fn take(&mut self, id: u64, latest: When) -> Due {
        let mut recipients = Vec::new();
        self.change(id, |entry| {
            for (spot, number) in entry.spots_mut().iter_mut().zip(0..) {
                if spot.when <= latest {
                    spot.when = When::TAKEN;
                    recipients.push(number);
                }
            }
        });
        Due { id: MessageId::new(id), recipients }
    }

    /// Sets when a recipient that is not done is looked at next, without a trace on disk.
    pub(crate) fn remind(&mut self, id: u64, recipient: u32, at: WallTime) {
        self.change(id, |entry| {
            if let Some(spot) = entry.spot_mut(recipient).filter(|spot| spot.when != When::FINISHED) {
                spot.when = When::of(Some(at));
            }
        });
    }

    /// The messages after `after`, at most `most`.
    pub(crate) fn ids_after(&self, after: Option<u64>, most: usize) -> Vec<MessageId> {
        let from = after.map_or(0, |id| id.saturating_add(1));
        self.messages.range(from..).take(most).map(|(id, _)| MessageId::new(*id)).collect()
    }

    /// Looks at `visits` messages from `from` on for the first whose oldest record is in `segment`.
    pub(crate) fn holder(&self, segment: u32, from: u64, visits: usize) -> Search {
        let mut last = None;
        for (id, entry) in self.messages.range(from..).take(visits) {
            if entry.oldest == segment {
                return Search::Found(*id);
            }
            last = Some(*id);
        }
        match last {
            Some(last) if self.messages.range(last.saturating_add(1)..).next().is_some() => {
                Search::GoOn(last.saturating_add(1))
            }
            Some(_) | None => Search::End,
        }
    }

    /// Changes the entry of a message that is known.
    fn change(&mut self, id: u64, change: impl FnOnce(&mut Entry)) {
        self.replace(id, |entry| {
            entry.map(|mut entry| {
                change(&mut entry);
                entry
            })
        });
    }

    /// The one place where an entry comes, changes or goes, so that the counts are always right.
    fn replace(&mut self, id: u64, change: impl FnOnce(Option<Entry>) -> Option<Entry>) {
        let before = self.messages.remove(&id);
        if let Some(before) = &before {
            self.bytes -= before.bytes();
            self.waiting.remove(&(before.first(), id));
            if let Some(count) = self.holders.get_mut(&before.oldest) {
                *count -= 1;
                if *count == 0 {
                    self.holders.remove(&before.oldest);
                }
            }
        }
        let after = change(before).filter(|entry| !entry.is_finished());
        let Some(after) = after else { return };
        self.bytes += after.bytes();
        if after.first() < When::TAKEN {
            self.waiting.insert((after.first(), id));
        }
        *self.holders.entry(after.oldest).or_default() += 1;
        self.messages.insert(id, after);
    }
}

/// How a look for a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// With this one.
    Found(u64),
    /// Not yet: it goes on here.
    GoOn(u64),
    /// There is none.
    End,
}

#[cfg(test)]
mod tests;
