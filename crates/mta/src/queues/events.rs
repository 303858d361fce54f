//! What an administrator hears about targets and messages (T16, H4).

use weir_balance::Transition;
use weir_spool::MessageId;
use weir_transport::connectivity::Clock;
use weir_transport::shadow::ShadowId;
use weir_units::{Event, EventId, Level};

/// The event that a transition of the target called `name` is; none where a retry failed like the one before, or a target
/// showed for the first time that it is there.
pub(super) fn target(transition: &Transition, name: &str, clock: Clock) -> Option<Event> {
    match transition {
        Transition::BecameUnhealthy(mark) => Some(Event {
            id: EventId::TARGET_UNHEALTHY,
            level: Level::Warning,
            text: format!(
                "no mail is sent to {name} at {address}, since it failed: {}. It is tried again by itself; `mailweir \
                 target list` shows when, `mailweir target retry {address}` does it at once.",
                mark.failure,
                address = mark.address,
            ),
            fields: vec![
                ("target", mark.address.to_string()),
                ("server", name.to_owned()),
                ("failure", mark.failure.to_string()),
                ("failures", mark.failures.to_string()),
                ("next_retry_in_ms", mark.next_retry.since(clock.tick).ceil_millis().count().to_string()),
            ],
        }),
        Transition::HealthyAgain { mark, after } => Some(Event {
            id: EventId::TARGET_HEALTHY,
            level: Level::Information,
            text: format!("{name} at {} answers again; mail that waited for it is sent.", mark.address),
            fields: vec![
                ("target", mark.address.to_string()),
                ("server", name.to_owned()),
                ("failures", mark.failures.to_string()),
                ("unhealthy_for_ms", after.floor_millis().count().to_string()),
            ],
        }),
        Transition::StillUnhealthy(_) | Transition::Proved(_) => None,
    }
}

/// A message was set aside, because the process failed over it time and again (H15).
pub(super) fn poison(id: MessageId, crashes: u32) -> Event {
    Event {
        id: EventId::MESSAGE_SET_ASIDE,
        level: Level::Error,
        text: format!(
            "message {id} is set aside, since handling it failed {crashes} times by a fault of Mailweir's own. It waits \
             in the queue Unreachable: `mailweir queue show {id}` shows it, `mailweir queue retry Unreachable` tries it \
             once more, `mailweir queue remove {id}` sends it back."
        ),
        fields: vec![("message", id.to_string()), ("crashes", crashes.to_string())],
    }
}

/// A partner was silent for too long (H12).
pub(super) fn taken_over(partner: &ShadowId, messages: usize) -> Event {
    Event {
        id: EventId::SHADOWS_TAKEN_OVER,
        level: Level::Warning,
        text: format!(
            "{partner} has been silent for so long that it is taken to be dead: {messages} messages that it had and said \
             nothing of are sent again. Where it comes back with its queue, some will arrive twice."
        ),
        fields: vec![("partner", partner.to_string()), ("messages", messages.to_string())],
    }
}

/// A partner was silent for too long, and nobody else could take what it has (H12).
pub(super) fn no_other_way(partner: &ShadowId) -> Event {
    Event {
        id: EventId::SHADOWS_WITHOUT_WAY,
        level: Level::Warning,
        text: format!(
            "{partner} has been silent for so long that it is taken to be dead, and no other server could take the \
             messages that it had. They are kept, and it is asked on; bring it back, with its queue if there is one."
        ),
        fields: vec![("partner", partner.to_string())],
    }
}

/// A partner came back with another queue database (H12).
pub(super) fn partner_lost(partner: &ShadowId, messages: usize) -> Event {
    Event {
        id: EventId::SHADOW_PARTNER_LOST,
        level: Level::Warning,
        text: format!(
            "{partner} came back with another queue than it had: {messages} messages that were lost with the old one are \
             sent again."
        ),
        fields: vec![("partner", partner.to_string()), ("messages", messages.to_string())],
    }
}
