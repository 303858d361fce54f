//! The bounds of a fair queue and of its limit, and how much of an origin an owner gets (T6, T23).
//!
//! All of them are arguments: a queue has the bounds that it was made with, and an owner the weight that came with his
//! last call.

use weir_units::Micros;

/// How much of an origin an owner gets beside another: the policy's `FairShareWeight`, 1 to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(u32);

impl Weight {
    /// What everybody has whose policy says nothing.
    pub const ONE: Self = Self(1);
    /// The largest.
    pub const MAX: Self = Self(1000);

    /// The weight, which is brought into the range.
    ///
    /// ```
    /// use weir_throttle::fair::Weight;
    /// assert_eq!(Weight::new(0), Weight::ONE);
    /// assert_eq!(Weight::new(3).count(), 3);
    /// ```
    pub const fn new(weight: u32) -> Self {
        match weight {
            0 => Self::ONE,
            1..1000 => Self(weight),
            1000.. => Self::MAX,
        }
    }

    /// The number.
    pub const fn count(self) -> u32 {
        self.0
    }
}

impl Default for Weight {
    fn default() -> Self {
        Self::ONE
    }
}

/// What a fair queue may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FairBounds {
    /// How many calls of one owner may wait.
    pub per_owner: u32,
    /// How many calls may wait in all.
    pub in_all: u32,
    /// How many owners are known at once: those with calls that wait or run, and those that have used up more than
    /// their share lately, of whom the one that has been away for longest is forgotten first.
    pub owners: u32,
    /// The most that one call is charged, and the largest quantum. What took longer than that did so because the
    /// origin stood still, and a long round would make everybody wait for whoever happened to be there.
    pub cost_max: Micros,
}

impl Default for FairBounds {
    fn default() -> Self {
        Self { per_owner: 100, in_all: 10_000, owners: 100_000, cost_max: Micros::new(5_000_000) }
    }
}

/// How the limit of an origin is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitRules {
    pub(crate) min: u32,
    pub(crate) initial: u32,
    pub(crate) max: u32,
    pub(crate) goal: Micros,
}

/// Rules that are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a limit that begins at {initial} and stays between {min} and {max} is none; these must rise, and begin at 1"
)]
pub struct LimitRulesError {
    /// The least.
    pub min: u32,
    /// Where it begins.
    pub initial: u32,
    /// The most.
    pub max: u32,
}

impl LimitRules {
    /// A limit that begins at `initial` and stays between `min` and `max`; where all are one number it is fixed. While
    /// calls take less than `goal`, more of them may queue at the origin than where they take longer.
    ///
    /// # Errors
    /// [`LimitRulesError`] unless 1 ≤ `min` ≤ `initial` ≤ `max`.
    pub const fn new(min: u32, initial: u32, max: u32, goal: Micros) -> Result<Self, LimitRulesError> {
        if 1 <= min && min <= initial && initial <= max {
            Ok(Self { min, initial, max, goal })
        } else {
            Err(LimitRulesError { min, initial, max })
        }
    }

    /// The same, where never more than so many are worked on at once, at least one.
    ///
    /// ```
    /// use weir_throttle::fair::LimitRules;
    /// let rules = LimitRules::default().at_most(4);
    /// assert_eq!((rules.min(), rules.initial(), rules.max()), (1, 4, 4));
    /// ```
    #[must_use]
    pub fn at_most(self, places: u32) -> Self {
        let most = |places: u32, count: u32| count.min(places.max(1));
        let [min, initial, max] = [self.min, self.initial, self.max].map(|count| most(places, count));
        Self { min, initial, max, ..self }
    }

    /// The least that the limit may be.
    pub const fn min(&self) -> u32 {
        self.min
    }

    /// Where it begins.
    pub const fn initial(&self) -> u32 {
        self.initial
    }

    /// The most that it may be.
    pub const fn max(&self) -> u32 {
        self.max
    }

    /// Below which time a call is not too slow for more of them to queue at the origin.
    pub const fn goal(&self) -> Micros {
        self.goal
    }

    /// A limit that stays as it is.
    ///
    /// # Errors
    /// [`LimitRulesError`] for none at all.
    pub const fn fixed(places: u32) -> Result<Self, LimitRulesError> {
        Self::new(places, places, places, Micros::ZERO)
    }
}

impl Default for LimitRules {
    /// From 1 to 1000, beginning at 16, with the 100 ms below which users are content.
    fn default() -> Self {
        Self { min: 1, initial: 16, max: 1000, goal: Micros::new(100_000) }
    }
}

/// Why a call may not even wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Crowded {
    /// The owner has as many waiting calls as he may.
    #[error("{limit} calls of this owner wait for the server already, and no more may")]
    Owner {
        /// The bound.
        limit: u32,
    },
    /// There are as many waiting calls as there may be.
    #[error("{limit} calls wait for the server already, and no more may")]
    All {
        /// The bound.
        limit: u32,
    },
    /// There are as many owners as there may be.
    #[error("calls of {limit} owners wait for the server already, and nobody else's may")]
    Owners {
        /// The bound.
        limit: u32,
    },
}

impl Crowded {
    /// The bound that is reached.
    pub const fn limit(self) -> u32 {
        match self {
            Self::Owner { limit } | Self::All { limit } | Self::Owners { limit } => limit,
        }
    }
}

#[cfg(test)]
mod tests;
