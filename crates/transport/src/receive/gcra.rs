//! A rate, exact, in one number.
//!
//! The generic cell rate algorithm: whoever comes at the steady rate for ever pays nothing, whoever comes all at once
//! passes as often as a minute's worth and then at the steady rate. All that is kept is the moment at which everything
//! that passed would have been spent at the steady rate.

use weir_units::{Micros, Tick};

/// How often something may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Time between two, at the steady rate.
    gap: Micros,
    /// What may come at once.
    burst: u32,
}

/// What one source has used of a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gcra {
    spent_until: Tick,
}

impl Rate {
    /// So many a minute, all of which may come at once; 0 lets nothing pass but one a minute.
    pub fn per_minute(count: u32) -> Self {
        let burst = count.max(1);
        Self { gap: Micros::new(Micros::MINUTE.count().div_ceil(u64::from(burst))), burst }
    }

    /// The time that its whole burst is worth.
    fn worth(self) -> Micros {
        self.gap.times(u64::from(self.burst))
    }
}

impl Gcra {
    /// Whether one more passes at `now`.
    ///
    /// # Errors
    /// How long to wait until one would.
    pub fn pass(&mut self, rate: Rate, now: Tick) -> Result<(), Micros> {
        let spent = self.spent_until.max(now).plus(rate.gap);
        let ahead = spent.since(now);
        if ahead > rate.worth() {
            return Err(ahead.minus(rate.worth()));
        }
        self.spent_until = spent;
        Ok(())
    }

    /// Whether nothing is left to remember.
    pub fn is_clear(&self, now: Tick) -> bool {
        self.spent_until <= now
    }

    /// When nothing is left to remember.
    pub const fn clear_at(&self) -> Tick {
        self.spent_until
    }
}

#[cfg(test)]
mod tests;
