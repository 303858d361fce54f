//! How long mail waits, and how many connections carry it; and how targets take turns (H1–H8).

use weir_balance::{AllDown, Rotation, Schedule, Settings, Stage};
use weir_transport::queue::{QueueSettings, QueueSettingsError};
use weir_units::Micros;

use super::super::key::Effect::Restart;
use super::super::kind::{Count, OneOf};
use super::super::reader::Section;
use super::Role;
use super::kinds::Span;

const ROTATIONS: OneOf<Rotation> = OneOf(&[("healthy", Rotation::Healthy), ("rtm", Rotation::Rtm)]);
const PANIC: OneOf<AllDown> = OneOf(&[("wait", AllDown::Wait), ("use-all", AllDown::UseAll)]);
const INTERVAL: Span = Span::seconds(1, 86_400);
const AGE: Span = Span::seconds(1, 90 * 86_400);

/// Intervals and bounds of queues.
pub(super) fn read(s: &mut Section<'_, '_, '_>) -> QueueSettings {
    let d = QueueSettings::default();
    let connections = Count(1, 100_000);
    let settings = QueueSettings {
        message_retry_interval: s.value(
            "message_retry_interval",
            Restart,
            &INTERVAL,
            d.message_retry_interval,
        ),
        delay_notification_timeout: s.value(
            "delay_notification_timeout",
            Restart,
            &AGE,
            d.delay_notification_timeout,
        ),
        message_expiration_timeout: s.value(
            "message_expiration_timeout",
            Restart,
            &AGE,
            d.message_expiration_timeout,
        ),
        max_idle_time_before_resubmit: s.value(
            "max_idle_time_before_resubmit",
            Restart,
            &AGE,
            d.max_idle_time_before_resubmit,
        ),
        queue_max_idle_time: s.value("queue_max_idle_time", Restart, &INTERVAL, d.queue_max_idle_time),
        initial_connections: s.value("initial_connections", Restart, &connections, d.initial_connections),
        max_per_domain_outbound_connections: s.value(
            "max_per_domain_outbound_connections",
            Restart,
            &connections,
            d.max_per_domain_outbound_connections,
        ),
        max_outbound_connections: s.value(
            "max_outbound_connections",
            Restart,
            &connections,
            d.max_outbound_connections,
        ),
        smtp_max_messages_per_connection: s.value(
            "smtp_max_messages_per_connection",
            Restart,
            &Count(1, 1_000_000),
            d.smtp_max_messages_per_connection,
        ),
        queue_messages: s.value("queue_messages", Restart, &Count(1, 100_000_000), d.queue_messages),
    };
    settings.checked().unwrap_or_else(|error| {
        let key = match error {
            QueueSettingsError::Zero { key } => key,
            QueueSettingsError::NoticeAfterExpiry => "delay_notification_timeout",
            QueueSettingsError::MoreThanAll => "max_per_domain_outbound_connections",
        };
        s.mistake_at(key, format!("transport.{key}: {error}"));
        d
    })
}

/// How targets take turns, and when one that does not answer is tried again; `role` decides two of the defaults (H5).
pub(super) fn balance(s: &mut Section<'_, '_, '_>, role: Role) -> Settings {
    let d = match role {
        Role::Hub => Settings::hub(),
        Role::Edge => Settings::edge(),
    };
    Settings {
        rotation: s.value("rotation", Restart, &ROTATIONS, d.rotation),
        schedule: schedule(s, role, d.schedule),
        all_down: s.value("panic", Restart, &PANIC, d.all_down),
        slow_start: s.value("slow_start", Restart, &Span::seconds(0, 86_400), d.slow_start),
        attempt_timeout: s.value("attempt_timeout", Restart, &INTERVAL, d.attempt_timeout),
        ..d
    }
}

fn schedule(s: &mut Section<'_, '_, '_>, role: Role, default: Schedule) -> Schedule {
    let [transient, steady] = match role {
        Role::Hub => [5, 10],
        Role::Edge => [10, 30],
    }
    .map(|minutes| Micros::MINUTE.times(minutes));
    let count = Count(0, weir_balance::schedule::COUNT_MAX);
    let glitch = (
        s.value("queue_glitch_retry_interval", Restart, &INTERVAL, Micros::MINUTE),
        s.value("queue_glitch_retry_count", Restart, &count, 4),
    );
    let transient = (
        s.value("transient_failure_retry_interval", Restart, &INTERVAL, transient),
        s.value("transient_failure_retry_count", Restart, &count, 6),
    );
    let steady = s.value("outbound_connection_failure_retry_interval", Restart, &INTERVAL, steady);
    let stage = |(interval, count)| Stage::new(interval, count);
    let made = stage(glitch).and_then(|glitch| Schedule::new(glitch, stage(transient)?, steady));
    made.unwrap_or_else(|error| {
        s.mistake(format!("transport: {error}"));
        default
    })
}
