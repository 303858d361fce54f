//! The side of who took the message: notices that it went onward, and where the durable queue has them (H12).
//!
//! [`Promises`] decide; here stands which message of the durable queue holds which notice. Until the durable queue was
//! read after a start, nobody is told anything, since notices of before have to stand in front; what goes onward
//! meanwhile waits for that. A holder may have read a notice before it is on disk: then it goes as soon as it is.

use std::collections::{BTreeMap, BTreeSet};

use weir_spool::MessageId;
use weir_transport::shadow::{Notice, Promise, Promises, ShadowId, ShadowSettings};
use weir_units::WallTime;
use weir_wire::smtp::{DiscardNotices, DiscardQuery, Token};

/// Where the durable queue has a notice.
pub(super) type Place = (MessageId, u32);

/// All notices.
#[derive(Debug)]
pub(super) struct Told {
    settings: ShadowSettings,
    /// None before the durable queue was read.
    promises: Option<Promises>,
    /// What it held, as far as it was read.
    before: Vec<Notice>,
    /// What went onward meanwhile.
    early: Vec<Promise>,
    places: BTreeMap<u64, Place>,
    /// Notices that are being written down, and whether they are over already.
    writing: BTreeMap<u64, bool>,
}

impl Told {
    pub(super) const fn new(settings: ShadowSettings) -> Self {
        Self {
            settings,
            promises: None,
            before: Vec::new(),
            early: Vec::new(),
            places: BTreeMap::new(),
            writing: BTreeMap::new(),
        }
    }

    /// The durable queue holds this notice since before the start.
    pub(super) fn recovered(&mut self, notice: Notice, place: Place) {
        self.places.insert(notice.cursor, place);
        self.before.push(notice);
    }

    /// The durable queue was read: the notices of what went onward meanwhile, which are to be written down, and what goes
    /// for them.
    pub(super) fn ready(&mut self, now: WallTime) -> (Vec<Notice>, Vec<Place>) {
        let before = std::mem::take(&mut self.before);
        let known: BTreeSet<Promise> = before.iter().map(|notice| notice.promise.clone()).collect();
        self.promises = Some(Promises::new(self.settings, before, now));
        let early = std::mem::take(&mut self.early).into_iter().filter(|promise| !known.contains(promise));
        let (mut notices, mut gone) = (Vec::new(), Vec::new());
        for (notice, places) in early.filter_map(|promise| self.onward(promise, now)) {
            notices.push(notice);
            gone.extend(places);
        }
        (notices, gone)
    }

    /// A message went onward to everybody: the notice of it, which is to be written down, and what goes for it.
    pub(super) fn onward(&mut self, promise: Promise, now: WallTime) -> Option<(Notice, Vec<Place>)> {
        let Some(promises) = &mut self.promises else {
            self.early.push(promise);
            return None;
        };
        let (notice, dropped) = promises.onward(promise, now);
        self.writing.insert(notice.cursor, false);
        Some((notice, self.gone(dropped)))
    }

    /// A notice is on disk: whether it is over already.
    pub(super) fn written(&mut self, cursor: u64, place: Place) -> bool {
        let is_over = self.writing.remove(&cursor).unwrap_or(false);
        if !is_over {
            self.places.insert(cursor, place);
        }
        is_over
    }

    /// A notice could not be written down: it is told all the same, until the process ends.
    pub(super) fn not_written(&mut self, cursor: u64) {
        self.writing.remove(&cursor);
    }

    /// Answers `holder`; with what goes from the durable queue.
    pub(super) fn answer(&mut self, holder: &ShadowId, query: DiscardQuery) -> (DiscardNotices, Vec<Place>) {
        let Some(promises) = &mut self.promises else {
            let cursor = query.seen.unwrap_or(0);
            return (DiscardNotices { cursor, left: 0, messages: Vec::new() }, Vec::new());
        };
        let answer = promises.answer(holder, query.most, query.seen);
        let messages = answer.shadows.iter().filter_map(|shadow| Token::new(shadow.as_str())).collect();
        let left = u64::try_from(answer.left).unwrap_or(u64::MAX);
        (DiscardNotices { cursor: answer.cursor, left, messages }, self.gone(answer.read))
    }

    /// Notices that nobody asked about for too long.
    pub(super) fn expired(&mut self, now: WallTime) -> Vec<Place> {
        let expired = self.promises.as_mut().map_or_else(Vec::new, |promises| promises.expired(now));
        self.gone(expired)
    }

    fn gone(&mut self, notices: impl IntoIterator<Item = Notice>) -> Vec<Place> {
        let mut places = Vec::new();
        for notice in notices {
            if let Some(is_over) = self.writing.get_mut(&notice.cursor) {
                *is_over = true;
            }
            places.extend(self.places.remove(&notice.cursor));
        }
        places
    }
}

#[cfg(test)]
mod tests;
