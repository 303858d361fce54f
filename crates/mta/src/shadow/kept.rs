//! The holder's side: copies that a partner has and that are kept here (H12).
//!
//! [`Holdings`] decide; here stands which recipients of which message a copy is. A partner may be faster than our disk:
//! what follows for a copy whose state is still being written is done when it is.

use std::collections::BTreeMap;

use weir_spool::MessageId;
use weir_transport::routing::NextHopKey;
use weir_transport::shadow::{Discarded, Holdings, HoldingsFull, Shadow, ShadowId, ShadowSettings, Silence};
use weir_units::{Tick, WallTime};

/// A copy that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Handle(u64);

/// The recipients of a message that a copy went to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub(crate) id: MessageId,
    pub(crate) places: Vec<u32>,
    /// By which next hop it went.
    pub(crate) next_hop: NextHopKey,
}

/// What follows for copies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Follows {
    /// Their shadows go.
    pub(crate) done: Vec<Copy>,
    /// They are sent again.
    pub(crate) resubmit: Vec<Copy>,
}

/// All copies that are kept.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) holdings: Holdings<Handle>,
    copies: BTreeMap<Handle, Entry>,
    next: u64,
    /// Whether the last copy found no room.
    pub(super) is_full: bool,
}

#[derive(Debug)]
struct Entry {
    copy: Copy,
    /// Whether its state is on disk.
    written: bool,
    /// What is to be done when it is.
    fate: Option<Fate>,
}

#[derive(Clone, Copy, Debug)]
enum Fate {
    Done,
    Resubmit,
}

impl Kept {
    pub(super) const fn new(settings: ShadowSettings) -> Self {
        Self { holdings: Holdings::new(settings), copies: BTreeMap::new(), next: 0, is_full: false }
    }

    /// Keeps a copy, of which the state is `written` or not yet.
    pub(super) fn hold(
        &mut self,
        shadow: Shadow,
        copy: Copy,
        written: bool,
        now: Tick,
    ) -> Result<Handle, HoldingsFull> {
        let handle = Handle(self.next);
        self.holdings.hold(shadow, handle, now)?;
        self.next += 1;
        self.copies.insert(handle, Entry { copy, written, fate: None });
        Ok(handle)
    }

    /// The states of these copies are on disk.
    pub(super) fn written(&mut self, handles: impl IntoIterator<Item = Handle>) -> Follows {
        let mut follows = Follows::default();
        for handle in handles {
            let Some(entry) = self.copies.get_mut(&handle) else { continue };
            entry.written = true;
            if let Some(fate) = entry.fate {
                self.follow(handle, fate, &mut follows);
            }
        }
        follows
    }

    /// A session with `partner` is open.
    pub(super) fn contact(&mut self, partner: &ShadowId, database: &ShadowId, now: Tick) -> Follows {
        let lost = self.holdings.contact(partner, database, now).resubmit;
        self.all(lost, Fate::Resubmit)
    }

    /// `partner` answered that these went onward; how many of them had been sent again before.
    pub(super) fn discard(
        &mut self,
        partner: &ShadowId,
        shadows: &[ShadowId],
        cursor: u64,
    ) -> (Follows, usize) {
        let Discarded { done, duplicates } = self.holdings.discard(partner, shadows, cursor);
        (self.all(done, Fate::Done), duplicates)
    }

    /// A heartbeat to `partner` was in vain; `other_way` says of a next hop whether it has another target.
    pub(super) fn heartbeat_failed(
        &mut self,
        partner: &ShadowId,
        other_way: impl Fn(&NextHopKey) -> bool,
        now: Tick,
    ) -> (Follows, Silence<Handle>) {
        let copies = &self.copies;
        let may_go =
            |handle| copies.get(&handle).is_some_and(|entry: &Entry| other_way(&entry.copy.next_hop));
        let silence = self.holdings.heartbeat_failed(partner, may_go, now);
        let follows = match &silence {
            Silence::TakeOver(handles) => self.all(handles.clone(), Fate::Resubmit),
            Silence::Wait { .. } | Silence::NoOtherWay { .. } => Follows::default(),
        };
        (follows, silence)
    }

    /// Shadows that are too old to matter.
    pub(super) fn expired(&mut self, now: WallTime) -> Follows {
        let expired = self.holdings.expired(now);
        self.all(expired, Fate::Done)
    }

    fn all(&mut self, handles: Vec<Handle>, fate: Fate) -> Follows {
        let mut follows = Follows::default();
        for handle in handles {
            self.follow(handle, fate, &mut follows);
        }
        follows
    }

    fn follow(&mut self, handle: Handle, fate: Fate, follows: &mut Follows) {
        let Some(entry) = self.copies.get_mut(&handle) else { return };
        if !entry.written {
            entry.fate = Some(fate);
            return;
        }
        let Some(Entry { copy, .. }) = self.copies.remove(&handle) else { return };
        match fate {
            Fate::Done => follows.done.push(copy),
            Fate::Resubmit => follows.resubmit.push(copy),
        }
    }
}

#[cfg(test)]
mod tests;
