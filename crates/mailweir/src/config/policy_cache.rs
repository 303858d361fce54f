//! `[policy_cache]`: how long a policy that was looked up is believed (T14).

use weir_directory::CacheSettings;

use super::key::Effect::Restart;
use super::kind::{Count, Time, duration};
use super::reader::Section;

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> CacheSettings {
    let d = CacheSettings::default();
    let times = Time::seconds(1, 86_400);
    let settings = CacheSettings {
        idle: s.value("idle", Restart, &times, duration(d.idle)).into(),
        max_age: s.value("max_age", Restart, &times, duration(d.max_age)).into(),
        max_entries: s.value("entries", Restart, &Count(100, 10_000_000), d.max_entries),
    };
    if settings.idle > settings.max_age {
        let text = "policy_cache.idle is longer than policy_cache.max_age, which ends every entry before; lower idle or \
                    raise max_age";
        s.mistake_at("idle", text);
    }
    settings
}
