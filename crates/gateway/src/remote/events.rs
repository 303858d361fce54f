//! What an administrator hears about the servers of an origin (T16): one went, one came back.

use weir_balance::Transition;
use weir_units::{Event, EventId, Level};

use super::server_url::ServerUrl;

/// The event that `transition` of the server `url` is, with what the system or the check said in `detail`; none where a
/// retry failed like the one before, or a server showed for the first time that it is there.
pub(crate) fn of(transition: &Transition, url: &ServerUrl, detail: &str) -> Option<Event> {
    match transition {
        Transition::BecameUnhealthy(mark) => Some(Event {
            id: EventId::TARGET_UNHEALTHY,
            level: Level::Warning,
            text: format!(
                "{url} gets no calls, since it failed: {}. It is tried again by itself; `mailweir target list` shows \
                 when, `mailweir target retry {}` does it at once.",
                mark.failure, mark.address
            ),
            fields: vec![
                ("target", mark.address.to_string()),
                ("server", url.to_string()),
                ("failure", mark.failure.to_string()),
                ("detail", detail.to_owned()),
                ("failures", mark.failures.to_string()),
                (
                    "next_retry_in_ms",
                    mark.next_retry.since(mark.last_attempt).ceil_millis().count().to_string(),
                ),
            ],
        }),
        Transition::HealthyAgain { mark, after } => Some(Event {
            id: EventId::TARGET_HEALTHY,
            level: Level::Information,
            text: format!("{url} answers again and gets calls again."),
            fields: vec![
                ("target", mark.address.to_string()),
                ("server", url.to_string()),
                ("failures", mark.failures.to_string()),
                ("unhealthy_for_ms", after.floor_millis().count().to_string()),
            ],
        }),
        Transition::StillUnhealthy(_) | Transition::Proved(_) => None,
    }
}
