//! Whether it is the server's fault: many sessions backed off at once (R13).
//!
//! One session that is backed off does too much. Where half of all those of an origin are, none of them can be blamed:
//! the server is slow, and what holds it up is to be found there. [`Crowd`] adds up the sessions of one origin at one
//! moment, keeping the five that do most; [`CrowdWatch`] remembers what was said, so that it is said once.

use std::fmt::Write as _;

use weir_units::{Event, EventId, Level, Micros, Tick};

use super::rate::RopsInMinute;
use super::session::SessionState;

/// How many sessions the event names.
pub const TOP: usize = 5;
/// One session alone is no crowd, though it is all there are.
pub const CROWD_MIN: u64 = 2;
/// The time between two events of one origin at least.
pub const QUIET: Micros = Micros::MINUTE;

/// The sessions of one origin at one moment.
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    active: u64,
    backed_off: u64,
    /// The busiest sessions, busiest first.
    top: Vec<(RopsInMinute, String)>,
}

impl Crowd {
    /// Adds a session; `name` is asked for if it is among the busiest so far.
    pub fn add(&mut self, session: &SessionState, name: impl FnOnce() -> String) {
        if !session.active {
            return;
        }
        self.active += 1;
        self.backed_off += u64::from(session.backed_off);
        let place = self.top.partition_point(|(rops, _)| *rops >= session.last_minute);
        if place < TOP {
            self.top.truncate(TOP - 1);
            self.top.insert(place, (session.last_minute, name()));
        }
    }

    /// Sessions that asked anything in the last minute.
    pub fn active(&self) -> u64 {
        self.active
    }

    /// Those of them that were backed off in the last minute.
    pub fn backed_off(&self) -> u64 {
        self.backed_off
    }

    /// Whether at least half of the active sessions are backed off, and they are more than one.
    pub fn blames_the_server(&self) -> bool {
        self.backed_off >= CROWD_MIN && self.backed_off.saturating_mul(2) >= self.active
    }

    fn event(&self, origin: &str, latency: Micros) -> Event {
        let (active, backed_off, latency) = (self.active, self.backed_off, latency.floor_millis());
        let mut top = String::new();
        for (rops, name) in &self.top {
            // Writing to a string cannot fail.
            let _ = write!(top, "{}{name}:{}", if top.is_empty() { "" } else { ", " }, rops.count());
        }
        let text = format!(
            "{backed_off} of {active} MAPI sessions at {origin} that were active in the last minute were told to back \
             off: where so many are, the server is the problem and not a client. Its RPC average latency is {latency}; \
             look for its bottleneck first. Most operations in that minute: {top}"
        );
        let fields = vec![
            ("origin", origin.to_owned()),
            ("backed_off", backed_off.to_string()),
            ("active", active.to_string()),
            ("latency_ms", latency.count().to_string()),
            ("top", top),
        ];
        Event { id: EventId::MANY_SESSIONS_BACKED_OFF, level: Level::Warning, text, fields }
    }
}

/// Says once when many sessions of an origin are backed off, and again only after that was over.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrowdWatch {
    blaming: bool,
    told: Option<Tick>,
}

impl CrowdWatch {
    /// Looks at the sessions of the server `origin`, whose RPC average latency is `latency`, at `now`.
    pub fn look(&mut self, crowd: &Crowd, origin: &str, latency: Micros, now: Tick) -> Option<Event> {
        let begins = crowd.blames_the_server() && !self.blaming;
        if begins && self.told.is_some_and(|told| now.since(told) < QUIET) {
            return None;
        }
        self.blaming = crowd.blames_the_server();
        begins.then(|| {
            self.told = Some(now);
            crowd.event(origin, latency)
        })
    }
}

#[cfg(test)]
mod tests;
