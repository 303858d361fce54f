//! `[log]`: what is written down, and how long it is kept.

use weir_admin::audit::AuditSettings;
use weir_admin::events::EventSettings;
use weir_gateway::request_log::LogSettings;

use super::key::Effect::Restart;
use super::kind::{Count, Kind, Size, Switch, Time, text_of};
use super::reader::Section;

/// What is written down.
#[derive(Clone, Debug)]
pub struct Log {
    /// How much the program says on standard error: the directives of `RUST_LOG`, which wins where it is set.
    pub level: String,
    /// The request log (T17).
    pub requests: LogSettings,
    /// The event log (T16).
    pub events: EventSettings,
    /// The audit log.
    pub audit: AuditSettings,
}

impl Log {
    pub(super) fn read(s: &mut Section<'_, '_, '_>) -> Self {
        let level = s.value("level", Restart, &Directives, "info".to_owned());
        Self { level, requests: requests(s), events: events(s), audit: audit(s) }
    }
}

fn requests(s: &mut Section<'_, '_, '_>) -> LogSettings {
    let d = LogSettings::default();
    LogSettings {
        keep: s.value("keep", Restart, &Time::seconds(86_400, 3_660 * 86_400), d.keep),
        file_bytes: s.value("file_bytes", Restart, &Size(1 << 20, 1 << 40), d.file_bytes),
        compress: s.value("compress", Restart, &Switch, d.compress),
        queue: s.value("queue", Restart, &Count(100, 10_000_000), d.queue),
        anonymise_addresses: s.value("anonymise_addresses", Restart, &Switch, d.anonymise_addresses),
    }
}

fn events(s: &mut Section<'_, '_, '_>) -> EventSettings {
    let d = EventSettings::default();
    EventSettings {
        per_minute: s.value("events_per_minute", Restart, &Count(1, 10_000), d.per_minute),
        max_bytes: s.value("events_bytes", Restart, &Size(1 << 20, 1 << 40), d.max_bytes),
    }
}

fn audit(s: &mut Section<'_, '_, '_>) -> AuditSettings {
    let d = AuditSettings::default();
    AuditSettings { max_bytes: s.value("audit_bytes", Restart, &Size(1 << 20, 1 << 40), d.max_bytes) }
}

/// Levels of the program's own messages: one for all, or `target=level` with commas.
struct Directives;

impl Kind for Directives {
    type Value = String;

    fn allowed(&self) -> String {
        "error, warn, info, debug, trace, or target=level with commas".to_owned()
    }

    fn read(&self, written: &toml::de::DeValue<'_>) -> Result<String, String> {
        let text = text_of(written)?;
        let parsed = tracing_subscriber::EnvFilter::builder().parse(text);
        parsed
            .map(|_| text.to_owned())
            .map_err(|_| format!("{text:?} is not a level; allowed is {}", self.allowed()))
    }

    fn write(&self, value: &String) -> String {
        format!("{value:?}")
    }
}
