//! The bypass: everybody passes, at once, until it is taken back (T20).
//!
//! It is kept in memory only, so that a start never forgets to throttle.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use weir_units::{Event, EventId, Level};

use super::AdminState;
use super::change::alone;
use super::failure::Failure;
use super::input::Body;
use crate::types::Bypass;

type Shared = State<Arc<AdminState>>;

pub(crate) async fn show(State(state): Shared) -> Json<Bypass> {
    Json(present(&state))
}

pub(crate) async fn set(State(state): Shared, Body(wanted): Body<Bypass>) -> Result<Json<Bypass>, Failure> {
    let set = alone(&state, move |state| {
        let before = present(state);
        if before != wanted {
            (state.gateway.set_bypass)(wanted.on);
            let action = if wanted.on { "bypass.on" } else { "bypass.off" };
            state.record(action, "everybody", Some(&before), Some(&wanted));
            state.events.emit(event(wanted.on));
        }
        Ok(wanted)
    })
    .await?;
    Ok(Json(set))
}

fn present(state: &AdminState) -> Bypass {
    Bypass { on: (state.gateway.bypass)() }
}

fn event(on: bool) -> Event {
    let (id, level, text) = if on {
        let text = "the bypass is on: nothing is refused, delayed or rewritten until `mailweir bypass off` or the next \
                    start";
        (EventId::BYPASS_ON, Level::Warning, text)
    } else {
        let text = "the bypass is off: configuration and policies hold again";
        (EventId::BYPASS_OFF, Level::Information, text)
    };
    Event { id, level, text: text.to_owned(), fields: Vec::new() }
}
