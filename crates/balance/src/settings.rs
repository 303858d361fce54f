//! How one next hop is served: rotation, schedule, the all-down rule, and who pays for probes.

use weir_units::Micros;

use crate::schedule::Schedule;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rotation {
    /// Unhealthy targets are filtered out before the rotation; among the rest the least recently chosen goes next (H3).
    #[default]
    Healthy,
    /// The old fault, for comparison: the head of the list moves to the tail when it is chosen, and when it fails the
    /// next one is tried without moving (H2). It keeps no memory of failures and heeds no weight.
    Rtm,
}

/// What happens when every target in service is unhealthy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AllDown {
    /// None is chosen until the next due retry (H8).
    #[default]
    Wait,
    /// All are used as though none were marked (`panic = "use-all"`).
    UseAll,
    /// The one that was marked last stays in use: the last origin is never filtered out (H10).
    KeepLast,
}

/// Who makes the first connection and the due retries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Probes {
    /// Whoever picks when one is due (H6, H9).
    #[default]
    InTurn,
    /// A task that asks [`Selector::probe`](crate::Selector::probe): nobody's call pays for one (H10). Until one
    /// target has proved itself, calls go to those that have not.
    Background,
}

/// How one next hop is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whose turn it is.
    pub rotation: Rotation,
    /// When an unhealthy target is tried again.
    pub schedule: Schedule,
    /// What happens when all are unhealthy.
    pub all_down: AllDown,
    /// Who makes first connections and retries.
    pub probes: Probes,
    /// How long the share of a target grows that came back or was enabled; zero gives it its whole share at once.
    pub slow_start: Micros,
    /// How long the right to a first connection or a retry may be held. Longer than the caller's own time limit for
    /// connecting, it only frees rights that got lost.
    pub attempt_timeout: Micros,
}

impl Settings {
    /// Message transport inside the organisation.
    pub const fn hub() -> Self {
        Self {
            rotation: Rotation::Healthy,
            schedule: Schedule::hub(),
            all_down: AllDown::Wait,
            probes: Probes::InTurn,
            slow_start: Micros::ZERO,
            attempt_timeout: Micros::MINUTE.times(10),
        }
    }

    /// Message transport at the edge.
    pub const fn edge() -> Self {
        Self { schedule: Schedule::edge(), ..Self::hub() }
    }

    /// The gateway's origins (H10).
    pub const fn origin() -> Self {
        Self {
            rotation: Rotation::Healthy,
            schedule: Schedule::origin(),
            all_down: AllDown::KeepLast,
            probes: Probes::Background,
            slow_start: Micros::SECOND.times(30),
            attempt_timeout: Micros::MINUTE,
        }
    }
}
