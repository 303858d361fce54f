//! `[mapi]`: how many MAPI sessions there may be, and how long they live (R15).

use std::time::Duration;

use weir_gateway::mapi::SessionSettings;

use super::key::Effect::Reload;
use super::kind::{Count, Time};
use super::reader::Section;

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> SessionSettings {
    let d = SessionSettings::default();
    let mut time = |key, bounds: Time, default: weir_units::Micros| {
        s.value(key, Reload, &bounds, Duration::from_micros(default.count())).into()
    };
    let idle = time("session_idle", Time::seconds(60, 86_400), d.idle);
    let pending_period = time("pending_period", Time::seconds(1, 60), d.pending_period);
    let notification_wait = time("notification_wait", Time::seconds(1, 300), d.notification_wait);
    SessionSettings {
        sessions: s.value("sessions", Reload, &Count(1, 10_000_000), d.sessions),
        sessions_per_owner: s.value("sessions_per_owner", Reload, &Count(1, 100_000), d.sessions_per_owner),
        idle,
        pending_period,
        notification_wait,
    }
}
