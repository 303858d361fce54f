//! What a budget counts besides calls that run: items found, hanging calls, subscriptions (T7, T10, T25).

use std::cell::Cell;

use weir_units::{Part, Refusal, Tick};

use super::{Budget, held_by};
use crate::call::{Call, State};
use crate::clock::Hand;
use crate::holdings::{Counts, HANGING, PLACES_MAX};
use crate::limits::ComponentLimits;
use crate::sync::Ordering;

impl Budget {
    /// How many items and folders a find may still return; nothing where there is no limit (T10).
    #[inline]
    pub fn find_left(&self, limits: &ComponentLimits) -> Option<u32> {
        limits.find_count.map(|limit| limit.saturating_sub(self.holdings.read().found()))
    }

    /// Counts `n` items and folders that `call` is about to return, whatever is left (T10).
    #[inline]
    pub fn charge_found(&self, call: &mut Call, n: u32) {
        let n = n.min(Counts::FOUND_MAX - call.found);
        self.holdings.add(Counts::found_items(n));
        call.found += n;
    }

    /// Counts as many of `n` items and folders as are left, at least `least`, and says how many: the rest is dropped
    /// because another call was faster (T10, T11).
    #[inline]
    pub fn take_found(&self, call: &mut Call, limits: &ComponentLimits, n: u32, least: u32) -> u32 {
        let limit = limits.find_count.unwrap_or(u32::MAX);
        let taken = self.take(|counts| {
            let left = limit.saturating_sub(counts.found()).max(least);
            Counts::found_items(n.min(left).min(counts.found_room()).min(Counts::FOUND_MAX - call.found))
        });
        call.found += taken.found();
        taken.found()
    }

    /// Gives back `n` of the items and folders that `call` counts, or all if it counts fewer.
    pub fn release_found(&self, call: &mut Call, n: u32) {
        let n = n.min(call.found);
        if n > 0 {
            self.holdings.give(Counts::found_items(n));
            call.found -= n;
        }
    }

    /// Turns a call into a hanging one: it gives its place and its items back and is charged no longer (T25). Answers how
    /// many hung before.
    ///
    /// # Errors
    /// As many calls hang as may; the call goes on as it was.
    pub fn hang(&self, call: &mut Call, limits: &ComponentLimits, now: Tick) -> Result<u32, Refusal> {
        if matches!(call.state, State::Hanging | State::Ended) {
            return Ok(0);
        }
        let before = self.take_hanging(limits)?;
        if call.state == State::Running {
            self.stand(call, now);
        }
        if call.ticket != 0 {
            self.line.leave(call.ticket);
        }
        self.holdings.give(held_by(call));
        (call.state, call.hand, call.phase) = (State::Hanging, Hand::Shared, None);
        (call.ticket, call.found) = (0, 0);
        Ok(before)
    }

    /// A call that hangs from its beginning, and so never takes a place (T25); with how many hung before.
    ///
    /// # Errors
    /// As many calls hang as may.
    pub fn arrive_hanging(&self, limits: &ComponentLimits, now: Tick) -> Result<(Call, u32), Refusal> {
        let before = self.take_hanging(limits)?;
        Ok((Call::new(State::Hanging, Hand::Shared, 0, now), before))
    }

    fn take_hanging(&self, limits: &ComponentLimits) -> Result<u32, Refusal> {
        let before = Cell::new(0);
        let limit = limits.hanging.min(PLACES_MAX);
        let refused = |used: u32| Refusal {
            component: limits.component,
            part: Part::HangingConnections,
            limit: limit.into(),
            used: used.into(),
            retry_after: None,
        };
        let hang = |counts: Counts| {
            before.set(counts.hanging());
            if counts.hanging() < limit { Ok(HANGING) } else { Err(refused(counts.hanging())) }
        };
        self.holdings.take(hang)?;
        Ok(before.get())
    }

    /// Counts one more subscription (T7).
    ///
    /// # Errors
    /// As many subscriptions live as may.
    pub fn add_subscription(&self, limits: &ComponentLimits) -> Result<(), Refusal> {
        let limit = limits.max_subscriptions.unwrap_or(u32::MAX);
        let more = |used: u32| (used < limit).then(|| used.saturating_add(1));
        let refused = |used: u32| Refusal {
            component: limits.component,
            part: Part::MaxSubscriptions,
            limit: limit.into(),
            used: used.into(),
            retry_after: None,
        };
        let subscriptions = &self.minute.subscriptions;
        subscriptions.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).map(drop).map_err(refused)
    }

    /// Counts `n` subscriptions no longer. One that was forgotten twice is counted off once: the count stops at none.
    pub fn remove_subscriptions(&self, n: u32) {
        let fewer = |used: u32| Some(used.saturating_sub(n));
        let subscriptions = &self.minute.subscriptions;
        subscriptions.fetch_update(Ordering::AcqRel, Ordering::Acquire, fewer).unwrap_or_default();
    }
}
