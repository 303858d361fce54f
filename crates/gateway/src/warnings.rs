//! What ended calls show about their owners, told as events (T16).
//!
//! What is worth an event, `weir_throttle::warnings` decides; here each call that ends is shown to it, and the minute is
//! closed – by the next call over budget, or by housekeeping where none comes.

use std::sync::{Mutex, PoisonError};

use weir_throttle::warnings::{WarningSettings, Watch, is_over_budget, long_charge};
use weir_units::{Component, EventSink, Micros, Owner, Part, Tick};

use crate::gateway::Gateway;
use crate::request_log::RequestId;

/// A call that has ended.
pub(crate) struct Ended<'c> {
    pub(crate) id: RequestId,
    pub(crate) owner: &'c Owner,
    pub(crate) component: Component,
    /// The policy that it was held to, or would have been; none where there was no budget for it.
    pub(crate) policy: Option<&'c str>,
    /// What refused or delayed it, or would have.
    pub(crate) held_by: Option<Part>,
    /// What it was charged, by [`weir_units::TimePart::index`].
    pub(crate) cost: [Micros; 4],
}

/// Who is watched, and where warnings go.
pub(crate) struct Warner {
    watch: Mutex<Watch>,
    events: EventSink,
}

impl Warner {
    pub(crate) fn new(events: EventSink) -> Self {
        Self { watch: Mutex::default(), events }
    }
}

impl Gateway {
    /// Takes note of a call that ended at `now`.
    pub(crate) fn warn(&self, call: &Ended<'_>, settings: &WarningSettings, now: Tick) {
        if let (Some(part), Some(policy)) = (call.held_by, call.policy) {
            self.note_over_budget(call.owner, call.component, part, policy, settings, now);
        }
        let long = settings.long_charge;
        if let Some(mut event) =
            long.and_then(|expected| long_charge(call.owner, call.component, call.cost, expected))
        {
            event.fields.push(("request", call.id.to_string()));
            self.warner.events.emit(event);
        }
    }

    /// Takes note of an owner whom `part` has held at `now` by this policy, where that says that he is over budget.
    pub(crate) fn note_over_budget(
        &self,
        owner: &Owner,
        component: Component,
        part: Part,
        policy: &str,
        settings: &WarningSettings,
        now: Tick,
    ) {
        if is_over_budget(part) {
            self.close_minute(settings, now);
            let mut watch = self.warner.watch.lock().unwrap_or_else(PoisonError::into_inner);
            watch.note(owner, component, part, policy, settings.watched, now);
        }
    }

    /// Tells what the minute showed, once it is over at `now`.
    pub(crate) fn close_minute(&self, settings: &WarningSettings, now: Tick) {
        let closed = self.warner.watch.lock().unwrap_or_else(PoisonError::into_inner).close(now);
        let Some(minute) = closed else { return };
        let budgets = |component: Component| {
            if component == Component::Smtp {
                return self.submissions.len();
            }
            let mut count = 0;
            self.budgets.for_each(|account| count += usize::from(account.component == component));
            count
        };
        for event in minute.events(settings, budgets) {
            self.warner.events.emit(event);
        }
    }
}

#[cfg(test)]
mod tests;
