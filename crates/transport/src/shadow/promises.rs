//! The side of who took the message: promises to keep, and notices of those that were kept.
//!
//! A notice is there when its message has gone onward to everybody, and goes when its holder has shown that it read it:
//! an answer that is lost loses no notice. Cursors only ever grow, also over a restart – they begin at the time of day
//! – so that a holder's old cursor never sweeps away a newer notice.

use std::collections::{BTreeMap, VecDeque};

use weir_units::{Micros, WallTime};

use super::record::{Notice, Promise, ShadowId};
use super::settings::ShadowSettings;

/// The notices of one process.
#[derive(Clone, Debug)]
pub struct Promises {
    settings: ShadowSettings,
    holders: BTreeMap<ShadowId, VecDeque<Notice>>,
    next: u64,
    overflowed: u64,
}

/// What a holder is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Where these end: what the holder says next time. 0 is before all notices.
    pub cursor: u64,
    /// How many more there are.
    pub left: usize,
    /// The messages that went onward.
    pub shadows: Vec<ShadowId>,
    /// Notices that were read, and may go from the durable queue.
    pub read: Vec<Notice>,
}

impl Promises {
    /// The notices that the durable queue kept, in whatever order, or none.
    pub fn new(settings: ShadowSettings, kept: impl IntoIterator<Item = Notice>, now: WallTime) -> Self {
        let mut kept: Vec<Notice> = kept.into_iter().collect();
        kept.sort_by_key(|notice| notice.cursor);
        let after = kept.last().map_or(0, |notice| notice.cursor.saturating_add(1));
        let mut holders: BTreeMap<ShadowId, VecDeque<Notice>> = BTreeMap::new();
        for notice in kept {
            holders.entry(notice.promise.holder.clone()).or_default().push_back(notice);
        }
        let clock = u64::try_from(now.unix_micros()).unwrap_or(0);
        Self { settings, holders, next: after.max(clock).max(1), overflowed: 0 }
    }

    /// A message went onward to everybody: the notice of it, to be written down, and one that had to make room.
    pub fn onward(&mut self, promise: Promise, now: WallTime) -> (Notice, Option<Notice>) {
        let notices = self.holders.entry(promise.holder.clone()).or_default();
        let notice = Notice { promise, cursor: self.next, since: now };
        self.next = self.next.saturating_add(1);
        notices.push_back(notice.clone());
        let dropped = if notices.len() > self.settings.notices { notices.pop_front() } else { None };
        self.overflowed += u64::from(dropped.is_some());
        (notice, dropped)
    }

    /// Answers `holder`, who wants at most `most` notices and has read those up to `seen`.
    pub fn answer(&mut self, holder: &ShadowId, most: usize, seen: Option<u64>) -> Answer {
        let notices = self.holders.entry(holder.clone()).or_default();
        let count =
            notices.iter().take_while(|notice| seen.is_some_and(|seen| notice.cursor <= seen)).count();
        let read: Vec<Notice> = notices.drain(..count).collect();
        let told = most.min(self.settings.notices_in_answer).min(notices.len());
        let cursor = told.checked_sub(1).and_then(|last| notices.get(last)).map(|notice| notice.cursor);
        let shadows = notices.iter().take(told).map(|notice| notice.promise.shadow.clone()).collect();
        let left = notices.len() - told;
        if notices.is_empty() {
            self.holders.remove(holder);
        }
        Answer { cursor: cursor.or(seen).unwrap_or(0), left, shadows, read }
    }

    /// Notices that nobody asked about for so long that their holders have discarded the shadows themselves.
    pub fn expired(&mut self, now: WallTime) -> Vec<Notice> {
        let limit: Micros = self.settings.shadow_message_auto_discard_interval;
        let mut expired = Vec::new();
        self.holders.retain(|_, notices| {
            let count = notices.iter().take_while(|notice| now.since(notice.since) >= limit).count();
            expired.extend(notices.drain(..count));
            !notices.is_empty()
        });
        expired
    }

    /// How many notices wait.
    pub fn waiting(&self) -> usize {
        self.holders.values().map(VecDeque::len).sum()
    }

    /// How many had to make room since the process began: their holders will discard them by age, or send again.
    pub const fn overflowed(&self) -> u64 {
        self.overflowed
    }
}

#[cfg(test)]
mod tests;
