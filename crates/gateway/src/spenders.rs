//! Who uses most of what he may at this moment (T21).
//!
//! Every budget that is in use, or was in the last minute, is looked at; the others have nothing to tell. No lock that a
//! call waits for is held meanwhile but that of one shard of the table, for as long as it takes to pick out its busy
//! budgets. However many ask, the table is gone through once a second at most.

use std::cmp::Reverse;
use std::sync::{Arc, PoisonError};

use weir_directory::EffectivePolicy;
use weir_throttle::{Account, ComponentLimits, Snapshot};
use weir_units::{Component, Micros, Owner, Part, Tick};

use crate::gateway::{Gateway, Shell};

/// How many are listed at most.
pub const MOST_SPENDERS: usize = 1_000;

/// How long a ranking is good.
const FRESH: Micros = Micros::SECOND;

/// The last ranking.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    at: Tick,
    most: usize,
    spenders: Vec<Spender>,
}

/// One budget in use.
#[derive(Clone, Debug)]
pub struct Spender {
    /// Whose it is.
    pub owner: Owner,
    /// Where it is spent.
    pub component: Component,
    /// The policy that holds; nothing where no call has asked for it lately.
    pub policy: Option<Arc<EffectivePolicy>>,
    /// The limits that hold; none where the policy is not known.
    pub limits: ComponentLimits,
    /// How it stands.
    pub snapshot: Snapshot,
    /// The part of which the largest share is used, and that share in percent of what is allowed.
    pub fullest: Option<(Part, u64)>,
}

impl Gateway {
    /// The `most` budgets of which the largest share of any part is used at `now`, the fullest first; of two that are
    /// equally full the one that used more time. It may be a second old.
    pub fn spenders(&self, most: usize, now: Tick) -> Vec<Spender> {
        let most = most.min(MOST_SPENDERS);
        let mut last = self.ranking.lock().unwrap_or_else(PoisonError::into_inner);
        if last.most < most || now.since(last.at) >= FRESH {
            *last = Ranking { at: now, most, spenders: self.ranked(most, now) };
        }
        last.spenders.iter().take(most).cloned().collect()
    }

    fn ranked(&self, most: usize, now: Tick) -> Vec<Spender> {
        let mut spenders = Vec::new();
        self.budgets.for_each_busy(now, |account| {
            spenders.push(self.spender(account, now));
            // Sorted out from time to time, so that a million budgets need no memory for a million.
            if spenders.len() >= 4 * MOST_SPENDERS {
                keep_fullest(&mut spenders, most);
            }
        });
        keep_fullest(&mut spenders, most);
        spenders
    }

    fn spender(&self, account: &Account<Shell>, now: Tick) -> Spender {
        let policy = self.policies.peek(&account.owner, now).map(|known| known.policy);
        let limits = policy.as_ref().map(|policy| *policy.limits.component(account.component));
        let limits = limits.unwrap_or_else(|| ComponentLimits::unlimited(account.component));
        let snapshot = account.budget.snapshot(&limits, now);
        Spender {
            owner: account.owner.clone(),
            component: account.component,
            fullest: snapshot.fullest(&limits),
            policy,
            limits,
            snapshot,
        }
    }
}

fn keep_fullest(spenders: &mut Vec<Spender>, most: usize) {
    spenders.sort_by(|one, other| one.rank().cmp(&other.rank()));
    spenders.truncate(most);
}

impl Spender {
    /// The fullest first; names decide where nothing else does, so that a listing is always the same.
    fn rank(&self) -> (Reverse<u64>, Reverse<Micros>, &Owner, Component) {
        let share = self.fullest.map_or(0, |(_, share)| share);
        let [_, cas, _, _] = self.snapshot.time;
        (Reverse(share), Reverse(cas.used), &self.owner, self.component)
    }
}

#[cfg(test)]
mod tests;
