//! Who may be chosen: one server of a next hop.
//!
//! A target is an IP address **and port**; its name is for people. The weight says how many turns it gets beside the
//! others of its next hop, and belongs to that next hop. What the administrator said about it – in service, draining,
//! disabled – and its health belong to the address, wherever it is named, and live in the [`Health`](crate::Health) list.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

/// How many turns a target gets beside the others of its next hop: 1–100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(u8);

/// A weight outside its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a weight is 1 to {}, and {given} is not; disable a target to give it nothing", Weight::MAX.turns())]
pub struct WeightError {
    /// What was asked for.
    pub given: u32,
}

impl Weight {
    /// The weight of a target that has none of its own.
    pub const ONE: Self = Self(1);
    /// The largest weight.
    pub const MAX: Self = Self(100);

    /// A weight of `turns`.
    ///
    /// # Errors
    /// [`WeightError`] unless it is within 1–100.
    pub fn new(turns: u32) -> Result<Self, WeightError> {
        match u8::try_from(turns) {
            Ok(turns @ 1..=100) => Ok(Self(turns)),
            Ok(_) | Err(_) => Err(WeightError { given: turns }),
        }
    }

    /// The number of turns.
    pub const fn turns(self) -> u8 {
        self.0
    }
}

/// One server of a next hop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where it is: what makes it the same target wherever it is named.
    pub address: SocketAddr,
    /// What people call it, such as its host name.
    pub name: Arc<str>,
    /// Its share of the connections.
    pub weight: Weight,
}

impl Target {
    /// The target at `address`, of weight 1.
    pub fn new(address: SocketAddr, name: &str) -> Self {
        Self { address, name: name.into(), weight: Weight::ONE }
    }

    /// The same target with another weight.
    #[must_use]
    pub fn weighing(self, weight: Weight) -> Self {
        Self { weight, ..self }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.address, self.name)
    }
}

/// What the administrator said about a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Service {
    /// It is to be used.
    #[default]
    Enabled,
    /// It gets no further connection; those it has go on, and heartbeats still reach it.
    Draining,
    /// Nothing goes there, not even a heartbeat; its connections are to be closed after the message in hand.
    Disabled,
}

/// What a list of targets shows of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// No connection has succeeded yet (H9).
    Unproved,
    /// It is in the rotation.
    Healthy,
    /// It waits for its next retry (H4).
    Unhealthy,
    /// The administrator lets it run empty.
    Draining,
    /// The administrator took it out.
    Disabled,
}

impl State {
    /// Every state, in the order of a listing.
    pub const ALL: [Self; 5] =
        [Self::Unproved, Self::Healthy, Self::Unhealthy, Self::Draining, Self::Disabled];

    /// The word for it, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unproved => "unproved",
            Self::Healthy => "healthy",
            Self::Unhealthy => "unhealthy",
            Self::Draining => "draining",
            Self::Disabled => "disabled",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
