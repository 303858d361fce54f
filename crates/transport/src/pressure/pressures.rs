//! All resources together, the verdict, and events.

use weir_units::{Event, EventId, Micros, Tick};

use super::gauge::{Change, Gauge, Level};
use super::settings::{PressureSettings, Resource};
use crate::receive::{Standing, Words};

/// What was measured; nothing of what could not be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// Messages in the queues.
    pub queue_length: Option<u64>,
    /// The disk in use, in percent.
    pub disk: Option<u64>,
    /// The memory in use, in percent.
    pub memory: Option<u64>,
}

/// What becomes of a command that begins a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on.
    Take,
    /// It waits so long first.
    Slow(Micros),
    /// It is refused in these words.
    Refuse(Words),
}

/// All resources.
#[derive(Clone, Copy, Debug)]
pub struct Pressures {
    settings: PressureSettings,
    gauges: [(Resource, Gauge); 3],
    /// Since when the level has been medium or more.
    since: Option<Tick>,
}

impl Pressures {
    /// Enough of everything.
    pub fn new(settings: PressureSettings) -> Self {
        let gauges = Resource::ALL.map(|resource| (resource, Gauge::new(settings.marks(resource))));
        Self { settings, gauges, since: None }
    }

    /// Sees what was measured, and answers what changed, as events.
    pub fn observe(&mut self, observation: &Observation, now: Tick) -> Vec<Event> {
        let mut events = Vec::new();
        for (resource, gauge) in &mut self.gauges {
            let value = observation.of(*resource);
            if let Some(change) = value.and_then(|value| gauge.observe(value, now)) {
                events.push(event(*resource, change));
            }
        }
        self.since = if self.level() == Level::Low { None } else { self.since.or(Some(now)) };
        events
    }

    /// The level of the resource that is shortest.
    pub fn level(&self) -> Level {
        self.gauges.iter().map(|(_, gauge)| gauge.level()).max().unwrap_or_default()
    }

    /// Each resource with its level and its last value.
    pub fn levels(&self) -> [(Resource, Level, u64); 3] {
        self.gauges.map(|(resource, gauge)| (resource, gauge.level(), gauge.value()))
    }

    /// What becomes of a command of such a client that begins a message.
    pub fn verdict(&self, standing: Standing, now: Tick) -> Verdict {
        match (self.level(), standing) {
            (Level::High, _) => Verdict::Refuse(Words::NO_RESOURCES),
            (Level::Medium, Standing::Stranger) => Verdict::Slow(self.tarpit(now)),
            (Level::Medium, Standing::OwnClient | Standing::OwnServer) | (Level::Low, _) => Verdict::Take,
        }
    }

    fn tarpit(&self, now: Tick) -> Micros {
        let PressureSettings { tarpit, tarpit_step, tarpit_every, tarpit_max, .. } = self.settings;
        let lasted = self.since.map_or(Micros::ZERO, |since| now.since(since));
        let steps = lasted.count().checked_div(tarpit_every.count()).unwrap_or(0);
        tarpit.plus(tarpit_step.times(steps)).min(tarpit_max)
    }
}

impl Observation {
    const fn of(&self, resource: Resource) -> Option<u64> {
        match resource {
            Resource::QueueLength => self.queue_length,
            Resource::Disk => self.disk,
            Resource::Memory => self.memory,
        }
    }
}

fn event(resource: Resource, change: Change) -> Event {
    let Change { from, to, value } = change;
    let (id, level, follows) = match to {
        Level::Low => {
            (EventId::BACK_PRESSURE_FELL, weir_units::Level::Information, "mail is taken from everybody")
        }
        Level::Medium => (
            if from == Level::High { EventId::BACK_PRESSURE_FELL } else { EventId::BACK_PRESSURE_ROSE },
            weir_units::Level::Warning,
            "strangers are slowed down",
        ),
        Level::High => {
            (EventId::BACK_PRESSURE_ROSE, weir_units::Level::Error, "all mail is refused for the time being")
        }
    };
    let (name, unit) = (resource.name(), resource.unit());
    Event {
        id,
        level,
        text: format!(
            "{name} went from {} to {} at {value} {unit}: as far as it decides, {follows}",
            from.name(),
            to.name()
        ),
        fields: vec![
            ("resource", name.to_owned()),
            ("from", from.name().to_owned()),
            ("to", to.name().to_owned()),
            ("value", value.to_string()),
            ("unit", unit.to_owned()),
        ],
    }
}

#[cfg(test)]
mod tests;
