//! MAPI sessions: list, and end (R13, R17).

use std::cmp::Reverse;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use weir_units::Owner;

use super::AdminState;
use super::change::{alone, blocking};
use super::failure::Failure;
use super::input::{Name, Options};
use super::log::owner_named;
use crate::types::{MapiSession, MapiSessions, SessionFilter, SessionSort};

type Shared = State<Arc<AdminState>>;

/// How many sessions are listed where nobody says.
const USUAL_TOP: usize = 50;
/// How many can be asked for.
const MOST_TOP: usize = 10_000;

pub(crate) async fn list(
    State(state): Shared,
    Options(which): Options<SessionFilter>,
) -> Result<Json<MapiSessions>, Failure> {
    let top = which.top.unwrap_or(USUAL_TOP);
    if !(1..=MOST_TOP).contains(&top) {
        return Err(Failure::bad_request(format!("top is {top}; allowed is 1 to {MOST_TOP}")));
    }
    let listed = blocking(&state, move |state| {
        let owner = which.owner.map(|name| owner_named(state, &name));
        let mut items = (state.gateway.sessions)(owner.as_ref());
        sort(&mut items, which.sort);
        let total = items.len();
        items.truncate(top);
        Ok(MapiSessions { origins: (state.gateway.mapi_origins)(), total, items })
    });
    listed.await.map(Json)
}

pub(crate) async fn close(State(state): Shared, Name(name): Name) -> Result<Json<MapiSession>, Failure> {
    let closed = alone(&state, move |state| {
        let session = find(state, &name)?;
        // It may have ended by itself meanwhile, which is as well.
        let _ended = (state.gateway.close_session)(session.id);
        state.record("session.close", &session.owner, Some(&session), None::<&()>);
        Ok(session)
    });
    closed.await.map(Json)
}

/// The sessions of `owner`, the one with most operations in the last minute first.
pub(super) fn of_owner(state: &AdminState, owner: &Owner) -> Vec<MapiSession> {
    let mut sessions = (state.gateway.sessions)(Some(owner));
    sort(&mut sessions, SessionSort::Rops);
    sessions
}

/// The session whose number is `name`.
pub(crate) fn find(state: &AdminState, name: &str) -> Result<MapiSession, Failure> {
    let id: Option<u64> = name.parse().ok();
    let found = (state.gateway.sessions)(None).into_iter().find(|session| Some(session.id) == id);
    found.ok_or_else(|| {
        Failure::not_found(format!(
            "there is no MAPI session {name:?}; list the sessions to see their numbers"
        ))
    })
}

fn sort(sessions: &mut [MapiSession], order: SessionSort) {
    match order {
        SessionSort::Rops => {
            sessions.sort_by_key(|session| (Reverse(session.rops_last_minute), session.id));
        }
        SessionSort::Backoffs => sessions.sort_by_key(|session| (Reverse(session.backoffs), session.id)),
        SessionSort::Latency => {
            sessions.sort_by_key(|session| (Reverse(session.seen_latency_us), session.id));
        }
        SessionSort::Owner => {
            sessions.sort_by(|one, other| one.owner.cmp(&other.owner).then(one.id.cmp(&other.id)));
        }
    }
}
