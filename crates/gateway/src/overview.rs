//! What whoever runs the gateway sees at a glance: how it goes at this moment and went in the last minutes, who waits at each
//! origin (T23), and what is remembered of one owner (T21).

use std::sync::atomic::Ordering;
use std::time::Duration;

use weir_throttle::Busy;
use weir_throttle::fair::{Holding, Load};
use weir_units::Owner;

use crate::gateway::Gateway;
use crate::history::History;
use crate::places::Places;
use crate::pulse::Beat;

/// How often the pulse is taken.
const BEAT: Duration = Duration::from_secs(1);

/// How the gateway goes.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Whether owners are held to their budgets: neither by configuration nor by a bypass only observed.
    pub enforces: bool,
    /// Connections that are open.
    pub connections: u64,
    /// The processor's load, over all processors and about the last ten seconds.
    pub cpu: Busy,
    /// Budgets in the table.
    pub budgets: usize,
    /// Calls that wait for their owner's budget.
    pub waiting: u32,
    /// The last ten minutes, second by second, the oldest first.
    pub beats: Vec<Beat>,
}

/// What goes on at one origin (T23).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtOrigin {
    /// What the origin is called.
    pub origin: String,
    /// How many calls run there, how many may, and how many wait.
    pub load: Load,
    /// Whether more calls than may run are made to wait.
    pub is_limited: bool,
}

impl Gateway {
    /// How it goes.
    pub fn overview(&self) -> Overview {
        Overview {
            enforces: self.enforces(&self.settings().throttle),
            connections: self.metrics.connections(),
            cpu: self.cpu.busy(),
            budgets: self.budgets.len(),
            waiting: self.waiting.load(Ordering::Relaxed),
            beats: self.pulse.beats(),
        }
    }

    /// What goes on at each origin.
    pub fn origins(&self) -> Vec<AtOrigin> {
        self.places().map(|places| self.at_origin(places)).collect()
    }

    /// What goes on at each origin, and what of `owner`'s calls runs and waits there.
    pub fn origins_of(&self, owner: &Owner) -> Vec<(AtOrigin, Holding)> {
        self.places().map(|places| (self.at_origin(places), places.of(owner))).collect()
    }

    fn at_origin(&self, places: &Places) -> AtOrigin {
        let is_limited = self.settings().throttle.fair_share.is_some();
        AtOrigin { origin: places.origin().to_owned(), load: places.load(), is_limited }
    }

    /// What is remembered of `owner`; nothing where he was not seen for long.
    pub fn history(&self, owner: &Owner) -> Option<History> {
        self.histories.of(owner, self.clock.wall())
    }

    /// Takes the pulse once a second, for ever.
    pub(crate) async fn keep_beating(&self) {
        let mut ticks = tokio::time::interval(BEAT);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.pulse.beat(self.metrics.connections(), self.cpu.busy(), self.clock.wall());
        }
    }
}

#[cfg(test)]
mod tests;
