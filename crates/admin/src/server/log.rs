//! The event log and the audit log, asked (T16).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::{SpanRelativeTo, Timestamp};
use weir_directory::Directory;
use weir_units::{EventId, Owner, WallTime};

use super::AdminState;
use super::change::blocking;
use super::failure::Failure;
use super::input::Options;
use crate::audit::AuditQuery;
use crate::events::EventQuery;
use crate::types::{AuditFilter, AuditRecord, EventFilter, EventRecord, Excerpt};

type Shared = State<Arc<AdminState>>;

/// How many lines are answered where nobody says how many.
const USUAL_LIMIT: usize = 100;
/// How many lines one answer holds at most.
const MOST_LINES: usize = 10_000;

pub(crate) async fn events(
    State(state): Shared,
    Options(which): Options<EventFilter>,
) -> Result<Json<Excerpt<EventRecord>>, Failure> {
    let found = blocking(&state, move |state| {
        let query = EventQuery {
            id: which.id.map(EventId),
            since: since(which.since.as_deref(), (state.gateway.wall)())?,
            owner: which.owner.map(|name| owner_named(state, &name)),
            limit: limit(which.limit)?,
        };
        query.run(&state.logs).map_err(|error| unreadable(&error))
    });
    found.await.map(Json)
}

pub(crate) async fn changes(
    State(state): Shared,
    Options(which): Options<AuditFilter>,
) -> Result<Json<Excerpt<AuditRecord>>, Failure> {
    let found = blocking(&state, move |state| {
        let query = AuditQuery {
            since: since(which.since.as_deref(), (state.gateway.wall)())?,
            target: which.target,
            limit: limit(which.limit)?,
        };
        query.run(&state.logs).map_err(|error| unreadable(&error))
    });
    found.await.map(Json)
}

/// Whom `name` means. What is asked here is worth most when something is broken: without the directory the name is taken
/// as it is.
pub(super) fn owner_named(state: &AdminState, name: &str) -> Owner {
    match state.store.resolve(name) {
        Ok(Some(account)) => account.owner,
        Ok(None) | Err(_) => Owner::new(name),
    }
}

fn limit(asked: Option<usize>) -> Result<usize, Failure> {
    let limit = asked.unwrap_or(USUAL_LIMIT);
    if (1..=MOST_LINES).contains(&limit) {
        return Ok(limit);
    }
    Err(Failure::bad_request(format!("the limit is {limit}; allowed is 1 to {MOST_LINES}")))
}

/// The time that `text` means at `now`: a point in time, or how long ago.
pub(super) fn since(text: Option<&str>, now: WallTime) -> Result<Option<WallTime>, Failure> {
    let Some(text) = text.map(str::trim) else { return Ok(None) };
    let point = text.parse::<Timestamp>().ok().map(Timestamp::as_microsecond);
    let ago = || {
        let span = text.parse::<jiff::Span>().ok()?;
        let span = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
        let ago = i64::try_from(span.as_micros()).ok().filter(|ago| *ago >= 0)?;
        now.unix_micros().checked_sub(ago)
    };
    let found = point.or_else(ago).map(WallTime::from_unix_micros);
    found.map(Some).ok_or_else(|| {
        Failure::bad_request(format!(
            "{text:?} is no time; write how long ago, as 30m, 1h or 2d, or a time, as 2026-11-30T10:00:00Z"
        ))
    })
}

fn unreadable(error: &std::io::Error) -> Failure {
    Failure::unavailable(format!("the log cannot be read: {error}; let this user read the log folder"))
}
