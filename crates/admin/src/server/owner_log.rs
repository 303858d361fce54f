//! What the request log's files say of one owner around a time, or since then (T21).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use jiff::civil::Time;
use jiff::tz::Offset;
use weir_directory::Directory;
use weir_units::{Micros, Owner, WallTime};

use super::AdminState;
use super::change::blocking;
use super::failure::Failure;
use super::input::{Name, Options};
use super::log::since;
use crate::types::{OwnerLog, OwnerLogFilter};

/// How far around a time is looked, beside the minute that begins with it: what was slow then may have ended later.
const AROUND: Micros = Micros::MINUTE;
const DAY: i64 = 86_400_000_000;

pub(crate) async fn show(
    State(state): State<Arc<AdminState>>,
    Name(name): Name,
    Options(when): Options<OwnerLogFilter>,
) -> Result<Json<OwnerLog>, Failure> {
    let found = blocking(&state, move |state| {
        let (from, to) = span(&when, (state.gateway.wall)())?;
        let account = state.store.resolve(&name)?;
        let owner = account.map_or_else(|| Owner::new(&name), |account| account.owner);
        (state.gateway.owner_log)(&owner, from, to).map_err(Failure::unavailable)
    });
    found.await.map(Json)
}

/// From when to when the log is looked at.
fn span(when: &OwnerLogFilter, now: WallTime) -> Result<(WallTime, WallTime), Failure> {
    match (when.at.as_deref(), when.since.as_deref()) {
        (Some(at), None) => {
            let at = point(at.trim(), now)?;
            let before = i64::try_from(AROUND.count()).unwrap_or(i64::MAX);
            let from = WallTime::from_unix_micros(at.unix_micros().saturating_sub(before));
            Ok((from, at.plus(Micros::MINUTE).plus(AROUND)))
        }
        (None, Some(ago)) => Ok((since(Some(ago), now)?.unwrap_or(now), now)),
        (None, None) | (Some(_), Some(_)) => {
            Err(Failure::bad_request("name a time, either with at or with since; see docs/api.md"))
        }
    }
}

/// The point in time that `text` means at `now`: one with a date, or a time of day in UTC, the last that has come.
fn point(text: &str, now: WallTime) -> Result<WallTime, Failure> {
    let dated = text.parse::<Timestamp>().ok().map(Timestamp::as_microsecond);
    let of_day = || {
        let time: Time = text.parse().ok()?;
        let today = Offset::UTC.to_datetime(Timestamp::from_microsecond(now.unix_micros()).ok()?).date();
        let at = Offset::UTC.to_timestamp(today.to_datetime(time)).ok()?.as_microsecond();
        Some(if at > now.unix_micros() { at.saturating_sub(DAY) } else { at })
    };
    dated.or_else(of_day).map(WallTime::from_unix_micros).ok_or_else(|| {
        Failure::bad_request(format!(
            "{text:?} is no time; write 10:14 or 2026-11-30T10:14:00Z, in UTC as the log"
        ))
    })
}

#[cfg(test)]
mod tests;
