//! Which level's turn it is.
//!
//! Each level has a selector of its own over the one list of unhealthy targets. The first level that offers a target is
//! used. A later one is asked only when every target before it is unhealthy or out of service: while a target of the
//! first level still proves itself (H9), connections wait for it and do not run over to the next level.

use std::net::SocketAddr;

use weir_balance::{Attempt, Health, Pick, Selector, SelectorError, Settings, Target};
use weir_units::Tick;

use super::resolution::Level;

/// The targets of a next hop, level by level.
#[derive(Debug)]
pub struct Levels(Vec<Selector>);

/// The answer to "where does the next connection go".
#[derive(Debug)]
#[must_use = "an attempt that is dropped was never made"]
pub enum Choice {
    /// There, by the selector of that level.
    Target {
        /// The level's place, for [`Levels::selector`].
        level: usize,
        /// What is to be reported to its selector.
        attempt: Attempt,
    },
    /// Nowhere before that moment, as far as is known.
    NoneUntil(Tick),
}

impl Levels {
    /// Selectors of `levels`, each of which goes on with the rotation of `before` where it has one of that place.
    ///
    /// # Errors
    /// [`SelectorError`] where there are too many targets.
    pub fn new(
        levels: &[Level],
        before: Option<&Self>,
        settings: Settings,
        health: &Health,
    ) -> Result<Self, SelectorError> {
        let selector = |(place, level): (usize, &Level)| {
            let targets = level.targets.iter().cloned();
            match before.and_then(|before| before.selector(place)) {
                Some(before) => before.renewed(targets, settings, health),
                None => Selector::new(targets, settings, health),
            }
        };
        levels.iter().enumerate().map(selector).collect::<Result<_, _>>().map(Self)
    }

    /// Where the next connection goes.
    pub fn pick(&self, now: Tick) -> Choice {
        let mut wait = Tick::NEVER;
        for (level, selector) in self.0.iter().enumerate() {
            match selector.pick(now) {
                Pick::Target(attempt) => return Choice::Target { level, attempt },
                Pick::NoneUntil(until) => wait = wait.min(until),
            }
            if selector.is_proving(now) {
                break;
            }
        }
        Choice::NoneUntil(wait)
    }

    /// Whether `address` is a target of this next hop: when it recovers, what waits here goes (H6).
    pub fn has(&self, address: SocketAddr) -> bool {
        self.targets().any(|target| target.address == address)
    }

    /// Its targets, those of the first level at the front.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        self.0.iter().flat_map(Selector::targets)
    }

    /// The selector of a level.
    pub fn selector(&self, level: usize) -> Option<&Selector> {
        self.0.get(level)
    }
}

#[cfg(test)]
mod tests;
