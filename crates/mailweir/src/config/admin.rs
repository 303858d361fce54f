//! `[admin]`: the bounds of the listener of administration API and page.

use std::time::Duration;

use weir_admin::page::PageSettings;
use weir_admin::server::AdminSettings;

use super::key::Effect::Restart;
use super::kind::{Count, ListOf, Memory, Text, Time};
use super::reader::Section;

const KIB: usize = 1 << 10;

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> (AdminSettings, PageSettings) {
    (listener(s), page(s))
}

fn listener(s: &mut Section<'_, '_, '_>) -> AdminSettings {
    let d = AdminSettings::default();
    AdminSettings {
        max_body: s.value("max_body", Restart, &Memory(64 * KIB, 64 * 1024 * KIB), d.max_body),
        max_head: s.value("max_head", Restart, &Memory(8 * KIB, 1024 * KIB), d.max_head),
        max_headers: s.value("max_headers", Restart, &Count(16, 1_000), d.max_headers),
        max_connections: s.value("max_connections", Restart, &Count(1, 10_000), d.max_connections),
        arrival: s.value("arrival", Restart, &Time::seconds(1, 600), d.arrival),
        lifetime: s.value("lifetime", Restart, &Time::seconds(1, 86_400), d.lifetime),
        grace: s.value("grace", Restart, &Time::seconds(1, 600), d.grace),
    }
}

fn page(s: &mut Section<'_, '_, '_>) -> PageSettings {
    let d = PageSettings::default();
    let pause = Time(Duration::ZERO, Duration::from_mins(1));
    PageSettings {
        names: s.value("names", Restart, &ListOf(Text), d.names),
        max_sessions: s.value("max_sessions", Restart, &Count(1, 10_000), d.max_sessions),
        session_idle: s.value("session_idle", Restart, &Time::seconds(60, 86_400), d.session_idle),
        session_lifetime: s.value(
            "session_lifetime",
            Restart,
            &Time::seconds(60, 2_592_000),
            d.session_lifetime,
        ),
        failed_login_pause: s.value("failed_login_pause", Restart, &pause, d.failed_login_pause),
        max_streams: s.value("max_streams", Restart, &Count(0, 10_000), d.max_streams),
    }
}
