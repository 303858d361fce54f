//! What one call has cost so far: the same time that its owner's budget is charged, for the log (T4, T22).

use weir_units::{Micros, Tick, TimePart};

/// The time that a call was charged, by [`TimePart::index`], and what its finds brought.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meter {
    cost: [Micros; 4],
    /// Since when the call runs; none while it stands.
    since: Option<Tick>,
    /// Items and folders found, and whether the client pages; none where nothing was looked for.
    found: Option<(u64, bool)>,
}

impl Meter {
    /// The call runs from `now` on.
    pub(super) fn run(&mut self, now: Tick) {
        self.since = self.since.or(Some(now));
    }

    /// The call stands from `now` on.
    pub(super) fn stand(&mut self, now: Tick) {
        if let Some(since) = self.since.take() {
            self.add(TimePart::Cas, now.since(since));
        }
    }

    /// The call has spent `time` in `part`.
    pub(super) fn add(&mut self, part: TimePart, time: Micros) {
        if let Some(cost) = self.cost.get_mut(part.index()) {
            *cost = cost.plus(time);
        }
    }

    /// A find has brought `count` items and folders.
    pub(super) fn found(&mut self, count: u64, paged: bool) {
        let before = self.found.map_or(0, |(before, _)| before);
        self.found = Some((before.saturating_add(count), paged));
    }

    /// A find that wants all at once would have brought `count`.
    pub(super) fn found_whole(&mut self, count: u64) {
        let before = self.found.map_or(0, |(before, _)| before);
        self.found = Some((before.max(count), false));
    }

    /// `count` items and folders were not returned after all.
    pub(super) fn released(&mut self, count: u64) {
        if let Some((found, _)) = &mut self.found {
            *found = found.saturating_sub(count);
        }
    }

    /// What the call has cost until `now`.
    pub(super) fn cost(mut self, now: Tick) -> [Micros; 4] {
        self.stand(now);
        self.cost
    }

    /// What its finds have brought, and whether the client pages.
    pub(super) const fn findings(&self) -> Option<(u64, bool)> {
        self.found
    }
}
