//! How long one request may be made to wait in all (T6).
//!
//! Waits of every kind – for the budget, for the find count, for the processor – draw on one account. Once it is spent
//! the request is refused, or runs in debt where it has had an effect (T26); a delay for the processor is then left
//! out and never refuses (T9).

use weir_units::{Micros, Millis, Tick};

/// What is left of the time that one request may be made to wait.
///
/// ```
/// use weir_throttle::Patience;
/// use weir_units::{Micros, Tick};
/// let mut patience = Patience::new(Micros::new(60_000_000));
/// let until = patience.until(Tick::NEVER, Tick::START);
/// assert_eq!(until, Tick::new(60_000_000));
/// patience.spend(Micros::new(59_000_000));
/// assert_eq!(patience.left(), Micros::SECOND);
/// assert!(!patience.is_spent());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    left: Micros,
    waited: Micros,
}

impl Patience {
    /// The patience for a request that may be made to wait for `max_delay`.
    pub const fn new(max_delay: Micros) -> Self {
        Self { left: max_delay, waited: Micros::ZERO }
    }

    /// Until when a wait that begins at `now` and would rather last until `then` may last.
    pub fn until(&self, then: Tick, now: Tick) -> Tick {
        then.min(now.plus(self.left))
    }

    /// How much of a delay of `wanted` for the processor is due: at the cap the rest is left out (T9).
    pub fn delay(&self, wanted: Millis) -> Micros {
        wanted.micros().min(self.left)
    }

    /// Takes the time that a wait lasted.
    pub const fn spend(&mut self, waited: Micros) {
        self.left = self.left.minus(waited);
        self.waited = self.waited.plus(waited);
    }

    /// What is left.
    pub const fn left(&self) -> Micros {
        self.left
    }

    /// How long the request has been made to wait.
    pub const fn waited(&self) -> Micros {
        self.waited
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left == Micros::ZERO
    }
}

#[cfg(test)]
mod tests;
