//! `[transport.pressure]`: when mail is slowed down or refused because queue, disk or memory is short (H16).

use weir_transport::pressure::{Marks, MarksError, PressureSettings, Resource};

use super::super::key::Effect::Restart;
use super::super::kind::{Count, Kind, Share};
use super::super::reader::Section;
use super::kinds::Span;

/// The keys of one resource: its four marks, and how long a value has to be below.
type Keys = [&'static str; 5];

const QUEUE_LENGTH: Keys = [
    "queue_length_low_to_medium",
    "queue_length_medium_to_high",
    "queue_length_high_to_medium",
    "queue_length_medium_to_low",
    "queue_length_calm",
];
const DISK: Keys =
    ["disk_low_to_medium", "disk_medium_to_high", "disk_high_to_medium", "disk_medium_to_low", "disk_calm"];
const MEMORY: Keys = [
    "memory_low_to_medium",
    "memory_medium_to_high",
    "memory_high_to_medium",
    "memory_medium_to_low",
    "memory_calm",
];
const CALM: Span = Span::seconds(0, 86_400);
const WAIT: Span = Span::seconds(0, 240);

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> PressureSettings {
    let d = PressureSettings::default();
    let messages = Count(0, 100_000_000);
    let percent = Percent(Share(0, 100));
    let settings = PressureSettings {
        queue_length: marks(s, QUEUE_LENGTH, &messages, d.queue_length),
        disk: marks(s, DISK, &percent, d.disk),
        memory: marks(s, MEMORY, &percent, d.memory),
        tarpit: s.value("tarpit", Restart, &WAIT, d.tarpit),
        tarpit_step: s.value("tarpit_step", Restart, &WAIT, d.tarpit_step),
        tarpit_every: s.value("tarpit_every", Restart, &Span::seconds(1, 86_400), d.tarpit_every),
        tarpit_max: s.value("tarpit_max", Restart, &WAIT, d.tarpit_max),
    };
    for resource in Resource::ALL {
        if let Err(error) = settings.marks(resource).checked(resource) {
            let mark = match error {
                MarksError::Order { .. } => "low_to_medium",
                MarksError::Flicker { falls, .. } => falls,
            };
            s.mistake_at(&format!("{}_{mark}", resource.name()), format!("transport.pressure: {error}"));
        }
    }
    if settings.tarpit > settings.tarpit_max {
        s.mistake_at("tarpit", "transport.pressure.tarpit is longer than tarpit_max; lower it");
    }
    settings
}

fn marks<K: Kind<Value = u64>>(s: &mut Section<'_, '_, '_>, keys: Keys, kind: &K, d: Marks) -> Marks {
    let [low_to_medium, medium_to_high, high_to_medium, medium_to_low, calm] = keys;
    Marks {
        low_to_medium: s.value(low_to_medium, Restart, kind, d.low_to_medium),
        medium_to_high: s.value(medium_to_high, Restart, kind, d.medium_to_high),
        high_to_medium: s.value(high_to_medium, Restart, kind, d.high_to_medium),
        medium_to_low: s.value(medium_to_low, Restart, kind, d.medium_to_low),
        calm: s.value(calm, Restart, &CALM, d.calm),
    }
}

/// A share, counted as the transport counts it.
struct Percent(Share);

impl Kind for Percent {
    type Value = u64;

    fn allowed(&self) -> String {
        self.0.allowed()
    }

    fn read(&self, written: &toml::de::DeValue<'_>) -> Result<u64, String> {
        self.0.read(written).map(u64::from)
    }

    fn write(&self, value: &u64) -> String {
        format!("\"{value}%\"")
    }
}
