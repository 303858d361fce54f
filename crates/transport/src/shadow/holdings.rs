//! The holder's side: what is kept for whom, and when it is sent again.

use std::collections::BTreeMap;

use weir_units::{Tick, WallTime};

use super::record::{Shadow, ShadowId};
use super::settings::ShadowSettings;

/// As many shadows are kept as may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bound} shadows are kept already, and this message goes without one")]
pub struct HoldingsFull {
    /// How many may be kept.
    pub bound: usize,
}

/// What follows from a session with a partner, or a heartbeat that connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact<Id> {
    /// The partner lost these with its old database: they are sent again at once.
    pub resubmit: Vec<Id>,
    /// Messages that were sent again and that the partner has as well, as far as is known.
    pub expected_duplicates: usize,
}

/// What follows from discard notices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discarded<Id> {
    /// These went onward: their shadows may go.
    pub done: Vec<Id>,
    /// So many had been sent again before: they have arrived twice.
    pub duplicates: usize,
}

/// What follows from a heartbeat that did not connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Silence<Id> {
    /// It is tried again.
    Wait {
        /// Heartbeats in vain so far.
        failures: u32,
    },
    /// The partner is taken to be dead: these are sent again. Those that only it could take are kept.
    TakeOver(Vec<Id>),
    /// The partner is taken to be dead, and only it could take what is left: that is kept, and it is asked on.
    NoOtherWay {
        /// Heartbeats in vain so far.
        failures: u32,
    },
}

/// All shadows of one process. `Id` is how the durable queue calls a message.
#[derive(Clone, Debug)]
pub struct Holdings<Id> {
    settings: ShadowSettings,
    partners: BTreeMap<ShadowId, Partner<Id>>,
    duplicates: u64,
}

#[derive(Clone, Debug)]
struct Partner<Id> {
    held: BTreeMap<ShadowId, Held<Id>>,
    /// What was sent again, while it may still be in the partner's database, and since when it was held.
    taken_over: BTreeMap<ShadowId, (ShadowId, WallTime)>,
    database: Option<ShadowId>,
    /// What is said to the partner: notices up to here were read.
    cursor: Option<u64>,
    failures: u32,
    /// The last session, or the last heartbeat.
    tried: Tick,
}

#[derive(Clone, Debug)]
struct Held<Id> {
    id: Id,
    database: ShadowId,
    since: WallTime,
}

impl<Id: Copy> Holdings<Id> {
    /// Nothing is held.
    pub const fn new(settings: ShadowSettings) -> Self {
        Self { settings, partners: BTreeMap::new(), duplicates: 0 }
    }

    /// The message `id` was handed to a partner, and is kept; also for each record that the durable queue kept, after a
    /// start.
    ///
    /// # Errors
    /// [`HoldingsFull`] where as many are kept as may be: the message is over, and has no shadow.
    pub fn hold(&mut self, shadow: Shadow, id: Id, now: Tick) -> Result<(), HoldingsFull> {
        let bound = self.settings.shadows;
        if self.held() + self.taken_over() >= bound {
            return Err(HoldingsFull { bound });
        }
        let Shadow { partner, shadow, database, since } = shadow;
        let partner = self.partners.entry(partner).or_insert_with(|| Partner::new(now));
        partner.held.insert(shadow, Held { id, database, since });
        Ok(())
    }

    /// A session with `partner` is open, whose queue database is `database`; also a heartbeat that connected.
    pub fn contact(&mut self, partner: &ShadowId, database: &ShadowId, now: Tick) -> Contact<Id> {
        let Some(partner) = self.partners.get_mut(partner) else {
            return Contact { resubmit: Vec::new(), expected_duplicates: 0 };
        };
        (partner.failures, partner.tried) = (0, now);
        if partner.database.replace(database.clone()).is_some_and(|before| before != *database) {
            partner.cursor = None;
        }
        partner.taken_over.retain(|_, (lost_with, _)| lost_with == database);
        let lost = partner.held.extract_if(.., |_, held| held.database != *database);
        let resubmit = lost.map(|(_, held)| held.id).collect();
        Contact { resubmit, expected_duplicates: partner.taken_over.len() }
    }

    /// Whether there is anything to ask `partner` about.
    pub fn knows(&self, partner: &ShadowId) -> bool {
        self.partners.contains_key(partner)
    }

    /// What to say to `partner` in the next query: notices up to here were read.
    pub fn seen(&self, partner: &ShadowId) -> Option<u64> {
        self.partners.get(partner).and_then(|partner| partner.cursor)
    }

    /// `partner` answered that these went onward. Names that mean nothing here are passed over.
    pub fn discard(&mut self, partner: &ShadowId, shadows: &[ShadowId], cursor: u64) -> Discarded<Id> {
        let mut discarded = Discarded { done: Vec::new(), duplicates: 0 };
        let Some(partner) = self.partners.get_mut(partner) else { return discarded };
        for shadow in shadows {
            if let Some(held) = partner.held.remove(shadow) {
                discarded.done.push(held.id);
            } else if partner.taken_over.remove(shadow).is_some() {
                discarded.duplicates += 1;
            }
        }
        partner.cursor = Some(cursor);
        self.duplicates += u64::try_from(discarded.duplicates).unwrap_or(u64::MAX);
        discarded
    }

    /// Partners that hold something for us and were silent for too long: each gets a heartbeat.
    pub fn heartbeats_due(&self, now: Tick) -> Vec<ShadowId> {
        let due = |partner: &Partner<Id>| partner.next_heartbeat(&self.settings) <= now;
        self.partners.iter().filter(|(_, partner)| due(partner)).map(|(name, _)| name.clone()).collect()
    }

    /// When the next heartbeat is due; [`Tick::NEVER`] where nothing is held.
    pub fn next_heartbeat(&self) -> Tick {
        let next = self.partners.values().map(|partner| partner.next_heartbeat(&self.settings));
        next.min().unwrap_or(Tick::NEVER)
    }

    /// A heartbeat to `partner` is on its way: the next one is due an interval later.
    pub fn heartbeat_sent(&mut self, partner: &ShadowId, now: Tick) {
        if let Some(partner) = self.partners.get_mut(partner) {
            partner.tried = now;
        }
    }

    /// A heartbeat to `partner` did not connect. `other_way` says of a message whether it could go elsewhere.
    pub fn heartbeat_failed(
        &mut self,
        partner: &ShadowId,
        other_way: impl Fn(Id) -> bool,
        now: Tick,
    ) -> Silence<Id> {
        let Some(partner) = self.partners.get_mut(partner) else { return Silence::Wait { failures: 0 } };
        partner.failures = partner.failures.saturating_add(1);
        partner.tried = now;
        let failures = partner.failures;
        if failures < self.settings.shadow_heartbeat_retry_count {
            return Silence::Wait { failures };
        }
        let ids = partner.take_over(other_way);
        if ids.is_empty() { Silence::NoOtherWay { failures } } else { Silence::TakeOver(ids) }
    }

    /// Shadows that are too old to matter, which go; names of what was sent again go as well.
    pub fn expired(&mut self, now: WallTime) -> Vec<Id> {
        let limit = self.settings.shadow_message_auto_discard_interval;
        let mut expired = Vec::new();
        self.partners.retain(|_, partner| {
            let old = partner.held.extract_if(.., |_, held| now.since(held.since) >= limit);
            expired.extend(old.map(|(_, held)| held.id));
            partner.taken_over.retain(|_, (_, since)| now.since(*since) < limit);
            !partner.held.is_empty() || !partner.taken_over.is_empty() || partner.cursor.is_some()
        });
        expired
    }

    /// How many shadows are held.
    pub fn held(&self) -> usize {
        self.partners.values().map(|partner| partner.held.len()).sum()
    }

    /// How many arrived twice since the process began, as far as partners told.
    pub const fn duplicates(&self) -> u64 {
        self.duplicates
    }

    fn taken_over(&self) -> usize {
        self.partners.values().map(|partner| partner.taken_over.len()).sum()
    }
}

impl<Id: Copy> Partner<Id> {
    fn new(now: Tick) -> Self {
        Self {
            held: BTreeMap::new(),
            taken_over: BTreeMap::new(),
            database: None,
            cursor: None,
            failures: 0,
            tried: now,
        }
    }

    fn next_heartbeat(&self, settings: &ShadowSettings) -> Tick {
        if self.held.is_empty() {
            Tick::NEVER
        } else {
            self.tried.plus(settings.shadow_heartbeat_timeout_interval)
        }
    }

    fn take_over(&mut self, other_way: impl Fn(Id) -> bool) -> Vec<Id> {
        let mut ids = Vec::new();
        for (shadow, held) in self.held.extract_if(.., |_, held| other_way(held.id)) {
            ids.push(held.id);
            self.taken_over.insert(shadow, (held.database, held.since));
        }
        if self.held.is_empty() {
            self.failures = 0;
        }
        ids
    }
}

#[cfg(test)]
mod tests;
