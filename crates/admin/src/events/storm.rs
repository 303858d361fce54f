//! How many lines of one event a minute may have.
//!
//! Per id a window of one minute begins with the first event; so many pass, the rest are counted. The next
//! line that passes carries the count. Where none comes, the writer asks for [`Storm::overdue`] counts and
//! writes a line of its own, so that a storm's size is never lost. Ids are constants of the code, so their
//! number is bounded by it.

use std::collections::BTreeMap;

use weir_units::{EventId, Level, Micros, WallTime};

/// The windows of all ids.
#[derive(Debug)]
pub(super) struct Storm {
    per_minute: u32,
    windows: BTreeMap<EventId, Window>,
}

#[derive(Debug)]
struct Window {
    since: WallTime,
    passed: u32,
    suppressed: u64,
    level: Level,
}

/// A storm that is over, and how many events of it were left out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Overdue {
    pub(super) id: EventId,
    pub(super) level: Level,
    pub(super) suppressed: u64,
}

impl Storm {
    /// Lets `per_minute` events of each id pass in a minute, at least one.
    pub(super) fn new(per_minute: u32) -> Self {
        Self { per_minute: per_minute.max(1), windows: BTreeMap::new() }
    }

    /// Whether an event of this id passes at `now`; if so, how many were left out before it.
    pub(super) fn admit(&mut self, id: EventId, level: Level, now: WallTime) -> Option<u64> {
        let window = self.windows.entry(id).or_insert(Window { since: now, passed: 0, suppressed: 0, level });
        if over(window.since, now) {
            (window.since, window.passed) = (now, 0);
        }
        window.level = level;
        if window.passed >= self.per_minute {
            window.suppressed = window.suppressed.saturating_add(1);
            return None;
        }
        window.passed = window.passed.saturating_add(1);
        Some(std::mem::take(&mut window.suppressed))
    }

    /// Counts `count` events of this id as left out after all.
    pub(super) fn give_back(&mut self, id: EventId, count: u64) {
        if let Some(window) = self.windows.get_mut(&id) {
            window.suppressed = window.suppressed.saturating_add(count);
        }
    }

    /// The ids whose minute is over at `now` – or all, where `now` is nothing – and that left events out.
    /// Each count is told once.
    pub(super) fn overdue(&mut self, now: Option<WallTime>) -> Vec<Overdue> {
        self.windows
            .iter_mut()
            .filter(|(_, window)| window.suppressed > 0 && now.is_none_or(|now| over(window.since, now)))
            .map(|(id, window)| Overdue {
                id: *id,
                level: window.level,
                suppressed: std::mem::take(&mut window.suppressed),
            })
            .collect()
    }
}

/// Whether a window that began at `since` is over. A clock set back ends it too.
fn over(since: WallTime, now: WallTime) -> bool {
    now < since || now >= since.plus(Micros::MINUTE)
}
