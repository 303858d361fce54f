//! `[guard]` and `[credentials]`: how wrong passwords slow down further tries, and how right ones are remembered (T8).

use std::time::Duration;

use weir_gateway::credentials::CredentialSettings;
use weir_gateway::guard::GuardSettings;

use super::key::Effect::Restart;
use super::kind::{Count, Time, duration};
use super::reader::Section;

/// Reads `[guard]`.
pub(super) fn read(s: &mut Section<'_, '_, '_>) -> GuardSettings {
    let d = GuardSettings::default();
    let pause = Time(Duration::from_millis(1), Duration::from_secs(10));
    let settings = GuardSettings {
        first_pause: s.value("first_pause", Restart, &pause, duration(d.first_pause)).into(),
        longest_pause: s.value("longest_pause", Restart, &pause, duration(d.longest_pause)).into(),
        quiet: s.value("quiet", Restart, &Time::seconds(1, 86_400), duration(d.quiet)).into(),
        verification: s
            .value("verification", Restart, &Time::seconds(1, 60), duration(d.verification))
            .into(),
        at_once: s.value("at_once", Restart, &Count(1, 10_000), d.at_once),
        waiting: s.value("waiting", Restart, &Count(1, 10_000), d.waiting),
        addresses: s.value("addresses", Restart, &Count(100, 10_000_000), d.addresses),
    };
    if settings.first_pause > settings.longest_pause {
        s.mistake_at("first_pause", "guard.first_pause is longer than guard.longest_pause; lower it");
    }
    settings
}

/// Reads `[credentials]`. Five minutes from acceptance are the most: so long a changed password at a remote origin can
/// go unnoticed.
pub(super) fn credentials(s: &mut Section<'_, '_, '_>) -> CredentialSettings {
    let d = CredentialSettings::default();
    CredentialSettings {
        lifetime: s.value("lifetime", Restart, &Time::seconds(1, 300), duration(d.lifetime)).into(),
        lapsed: s.value("lapsed", Restart, &Time::seconds(0, 86_400), duration(d.lapsed)).into(),
        entries: s.value("entries", Restart, &Count(1, 10_000_000), d.entries),
    }
}
