//! What must not be sent yet, and until when (R11, R14).
//!
//! A `RopBackoff` holds back all ROPs of a logon, or some types of them; a server that is too busy holds back everything.
//! A hold is never shortened: who is told to wait while he waits, waits for whichever is longer.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use weir_units::{Millis, Tick};
use weir_wire::mapi::rop::{Backoff, RopId};

#[derive(Clone, Debug, Default)]
pub(super) struct Holds {
    /// Everything.
    session: Tick,
    /// All ROPs of a logon.
    logons: BTreeMap<u8, Tick>,
    /// ROPs of a logon and a type.
    types: BTreeMap<(u8, RopId), Tick>,
}

impl Holds {
    /// Holds back everything for that long.
    pub(super) fn all(&mut self, duration: Millis, now: Tick) {
        self.session = self.session.max(now.plus(duration.micros()));
    }

    /// Holds back what a server said.
    pub(super) fn back_off(&mut self, backoff: &Backoff, now: Tick) {
        self.drop_what_is_over(now);
        if backoff.rop_types.is_empty() {
            self.logon(backoff.logon, backoff.duration, now);
        }
        for (id, duration) in &backoff.rop_types {
            let until = self.types.entry((backoff.logon, *id)).or_default();
            *until = now.plus(duration.micros()).max(*until);
        }
    }

    /// Holds back all ROPs of a logon for that long.
    pub(super) fn logon(&mut self, logon: u8, duration: Millis, now: Tick) {
        let until = self.logons.entry(logon).or_default();
        *until = now.plus(duration.micros()).max(*until);
    }

    /// When everything that is held back as a whole may be sent.
    pub(super) const fn of_all(&self) -> Tick {
        self.session
    }

    /// When a ROP of that logon and type may be sent.
    pub(super) fn of(&self, logon: u8, id: RopId) -> Tick {
        let logons = self.logons.get(&logon).copied().unwrap_or_default();
        let types = self.types.get(&(logon, id)).copied().unwrap_or_default();
        self.session.max(logons).max(types)
    }

    /// What is over is forgotten, so that there is no more than was said lately.
    fn drop_what_is_over(&mut self, now: Tick) {
        self.logons.retain(|_, until| *until > now);
        self.types.retain(|_, until| *until > now);
    }
}
