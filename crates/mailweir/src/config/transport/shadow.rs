//! Shadow redundancy: how long a partner may be silent, and how much is kept of what it may have lost (H12).

use weir_transport::shadow::ShadowSettings;

use super::super::key::Effect::Restart;
use super::super::kind::Count;
use super::super::reader::Section;
use super::kinds::Span;

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> ShadowSettings {
    let d = ShadowSettings::default();
    let interval = Span::seconds(1, 86_400);
    ShadowSettings {
        shadow_heartbeat_timeout_interval: s.value(
            "shadow_heartbeat_timeout_interval",
            Restart,
            &interval,
            d.shadow_heartbeat_timeout_interval,
        ),
        shadow_heartbeat_retry_count: s.value(
            "shadow_heartbeat_retry_count",
            Restart,
            &Count(1, 1_000),
            d.shadow_heartbeat_retry_count,
        ),
        shadow_message_auto_discard_interval: s.value(
            "shadow_message_auto_discard_interval",
            Restart,
            &Span::seconds(1, 90 * 86_400),
            d.shadow_message_auto_discard_interval,
        ),
        shadows: s.value("shadow_messages", Restart, &Count(1, 100_000_000), d.shadows),
        notices: s.value("shadow_notices", Restart, &Count(1, 100_000_000), d.notices),
        notices_in_answer: s.value(
            "shadow_notices_in_answer",
            Restart,
            &Count(1, 1_000),
            d.notices_in_answer,
        ),
    }
}
