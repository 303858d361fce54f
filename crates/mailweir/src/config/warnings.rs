//! `[warnings]`: from when on something about a budget is worth an event (T16).

use std::time::Duration;

use weir_throttle::warnings::WarningSettings;

use super::key::Effect::Reload;
use super::kind::{Count, Share, Time};
use super::reader::Section;

const LONG: Time = Time(Duration::from_millis(1), Duration::from_hours(1));

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> WarningSettings {
    let d = WarningSettings::default();
    WarningSettings {
        over_budget: s.value("over_budget", Reload, &Count(0, 1_000_000), d.over_budget),
        many_owners: s.value("many_owners", Reload, &Share(0, 100), d.many_owners),
        many_owners_least: s.value("many_owners_least", Reload, &Count(1, 1_000_000), d.many_owners_least),
        long_charge: s.optional("long_charge", Reload, &LONG).map(Into::into),
        watched: s.value("watched", Reload, &Count(100, 10_000_000), d.watched),
    }
}
