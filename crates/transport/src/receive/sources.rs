//! Connections and messages of each source, counted.
//!
//! A source is an address, or one /64 of IPv6. Whoever is connected is always counted; those who left are remembered as
//! long as their rate asks for it, up to a bound, past which the one that owes least is forgotten first. So a flood of
//! fresh addresses makes nobody uncounted who is here.

use std::collections::BTreeMap;
use std::net::IpAddr;

use weir_units::{Micros, Source, Tick};

use super::gcra::{Gcra, Rate};
use super::settings::ReceiveLimits;
use super::words::Words;

/// What a connector knows of its sources.
#[derive(Clone, Debug)]
pub struct Sources {
    limits: ReceiveLimits,
    by_source: BTreeMap<Source, Entry>,
    open: u32,
    /// Sources that are remembered and not connected.
    absent: usize,
    connections: Gcra,
}

/// What follows from a connection or a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It may be.
    Admitted,
    /// It may not be; after that time it might.
    Refused {
        /// What the client is told.
        words: Words,
        /// How long to wait; nothing where it depends on others.
        wait: Option<Micros>,
    },
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    open: u32,
    messages: Gcra,
}

impl Sources {
    /// No source yet.
    pub fn new(limits: ReceiveLimits) -> Self {
        Self { limits, by_source: BTreeMap::new(), open: 0, absent: 0, connections: Gcra::default() }
    }

    /// How many connections are open.
    pub const fn open(&self) -> u32 {
        self.open
    }

    /// How many sources are known.
    pub fn known(&self) -> usize {
        self.by_source.len()
    }

    /// Whether `address` may have one more connection at `now`; it is counted if so.
    pub fn connect(&mut self, address: IpAddr, now: Tick) -> Admission {
        self.admit(address, self.most_of_one(), now)
    }

    /// The same for a proxy, which comes for many and has no limit of its own.
    pub fn connect_proxy(&mut self, address: IpAddr, now: Tick) -> Admission {
        self.admit(address, u32::MAX, now)
    }

    fn admit(&mut self, address: IpAddr, most: u32, now: Tick) -> Admission {
        let source = Source::of(address);
        let mine = self.by_source.get(&source).map_or(0, |entry| entry.open);
        let refused = |words, wait| Admission::Refused { words, wait };
        if self.open >= self.limits.max_inbound_connection {
            return refused(Words::TOO_MANY_CONNECTIONS, None);
        }
        if mine >= most {
            return refused(Words::TOO_MANY_FROM_SOURCE, None);
        }
        let rate = self.limits.max_connection_rate_per_minute.map(Rate::per_minute);
        if let Some(Err(wait)) = rate.map(|rate| self.connections.pass(rate, now)) {
            return refused(Words::CONNECTION_RATE, Some(wait));
        }
        let is_back = self.by_source.get(&source).is_some_and(|entry| entry.open == 0);
        self.absent -= usize::from(is_back);
        self.open += 1;
        self.by_source.entry(source).or_default().open += 1;
        Admission::Admitted
    }

    /// A connection of `address` has ended.
    pub fn disconnect(&mut self, address: IpAddr, now: Tick) {
        let source = Source::of(address);
        let Some(entry) = self.by_source.get_mut(&source).filter(|entry| entry.open > 0) else { return };
        entry.open -= 1;
        self.open = self.open.saturating_sub(1);
        if entry.open == 0 {
            if entry.messages.is_clear(now) {
                self.by_source.remove(&source);
            } else {
                self.absent += 1;
                self.forget_beyond_the_bound(now);
            }
        }
    }

    /// Whether `address`, which is connected, may hand in one more message at `now`.
    pub fn message(&mut self, address: IpAddr, now: Tick) -> Admission {
        let entry = self.by_source.get_mut(&Source::of(address));
        let rate = self.limits.message_rate_limit.map(Rate::per_minute);
        match entry.zip(rate).map(|(entry, rate)| entry.messages.pass(rate, now)) {
            Some(Err(wait)) => Admission::Refused { words: Words::MESSAGE_RATE, wait: Some(wait) },
            Some(Ok(())) | None => Admission::Admitted,
        }
    }

    /// How many connections one source may have, as things are.
    fn most_of_one(&self) -> u32 {
        let left = u64::from(self.limits.max_inbound_connection.saturating_sub(self.open));
        let share = left * u64::from(self.limits.max_inbound_connection_percentage_per_source) / 100;
        let share = u32::try_from(share).unwrap_or(u32::MAX).max(1);
        self.limits.max_inbound_connection_per_source.map_or(share, |most| most.min(share))
    }

    /// Forgets sources that left and owe nothing any more, and of the others the one that owes least.
    fn forget_beyond_the_bound(&mut self, now: Tick) {
        if self.absent <= self.limits.sources {
            return;
        }
        self.by_source.retain(|_, entry| entry.open > 0 || !entry.messages.is_clear(now));
        let absent = || self.by_source.iter().filter(|(_, entry)| entry.open == 0);
        self.absent = absent().count();
        let least = absent().min_by_key(|(_, entry)| entry.messages.clear_at()).map(|(source, _)| *source);
        if let Some(source) = least.filter(|_| self.absent > self.limits.sources) {
            self.by_source.remove(&source);
            self.absent -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
