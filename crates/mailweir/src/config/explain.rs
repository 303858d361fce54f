//! `[explain]`: how much is remembered of each owner, so that it can be told why he was slow (T21).

use weir_gateway::history::HistorySettings;

use super::key::Effect::Restart;
use super::kind::Count;
use super::reader::Section;

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> HistorySettings {
    let d = HistorySettings::default();
    HistorySettings {
        owners: s.value("owners", Restart, &Count(64, 10_000_000), d.owners),
        programs: s.value("programs", Restart, &Count(1, 100), d.programs),
        throttled: s.value("throttled", Restart, &Count(1, 1_000), d.throttled),
    }
}
