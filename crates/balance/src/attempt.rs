//! What a caller holds between being told a target and reporting how it went.
//!
//! Most attempts are nothing but a number. One that is a first connection (H9) or a due retry (H6) holds the right to
//! it, which nobody else has meanwhile; dropping the attempt, for whatever reason, gives the right back.

use std::net::SocketAddr;

use weir_units::Tick;

use crate::record::Right;
use crate::transition::Transition;

/// The answer to "where does the next connection go".
#[derive(Debug)]
#[must_use = "an attempt that is dropped was never made"]
pub enum Pick {
    /// There, with what is to be handed back in the report.
    Target(Attempt),
    /// Nowhere before that moment, as far as is known; a [`Transition`] that says a target is back comes before it.
    NoneUntil(Tick),
}

impl Pick {
    /// The attempt, if there is one.
    pub fn attempt(self) -> Option<Attempt> {
        match self {
            Self::Target(attempt) => Some(attempt),
            Self::NoneUntil(_) => None,
        }
    }
}

/// Why a target was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It was its turn.
    Turn,
    /// It has not proved itself, and this connection is to do so (H9).
    First,
    /// It is unhealthy, and its retry is due (H6).
    Retry,
    /// The caller asked for this very target: a heartbeat or an active check (H7, H10).
    Asked,
}

/// One attempt to connect, from the choice to the report.
#[derive(Debug)]
#[must_use = "an attempt is to be reported: `connected` or `failed`"]
pub struct Attempt {
    pub(crate) member: u16,
    pub(crate) address: SocketAddr,
    pub(crate) kind: Kind,
    /// The generation of the health list when it began: what it reports may be older than what is known.
    pub(crate) begun: u64,
    pub(crate) again: Again,
    pub(crate) right: Option<Right>,
}

impl Attempt {
    /// Where to connect to.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Why it was chosen.
    pub const fn kind(&self) -> Kind {
        self.kind
    }
}

/// Where a connection that failed goes on: what the old rotation needs to try the next target without moving (H2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    pub(crate) turn: u64,
    pub(crate) tries: u16,
}

impl Again {
    pub(crate) const fn at(turn: u64) -> Self {
        Self { turn, tries: 1 }
    }
}

/// What follows from a failed attempt.
#[derive(Clone, Copy, Debug)]
pub struct Failed {
    /// What changed.
    pub transition: Option<Transition>,
    /// To be handed to [`Selector::pick_again`](crate::Selector::pick_again) for the same connection's next try.
    pub again: Again,
}
