//! `[admin]`: the bounds of the administration API's listener.

use weir_admin::server::AdminSettings;

use super::key::Effect::Restart;
use super::kind::{Count, Memory, Time};
use super::reader::Section;

const KIB: usize = 1 << 10;

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> AdminSettings {
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
