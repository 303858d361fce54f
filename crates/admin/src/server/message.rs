//! Messages of the mail transport: look at, and remove.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::AdminState;
use super::change::{alone, blocking};
use super::failure::Failure;
use super::input::{Name, Options};
use super::queue::transport;
use crate::types::{MessageRemoval, MessageView, RemovedMessage};

type Shared = State<Arc<AdminState>>;

pub(crate) async fn show(State(state): Shared, Name(name): Name) -> Result<Json<MessageView>, Failure> {
    blocking(&state, move |state| find(state, &name)).await.map(Json)
}

pub(crate) async fn remove(
    State(state): Shared,
    Name(name): Name,
    Options(how): Options<MessageRemoval>,
) -> Result<Json<RemovedMessage>, Failure> {
    let removed = alone(&state, move |state| {
        let message = find(state, &name)?;
        let was_there = (transport(state)?.remove_message)(message.id, how.report);
        if !was_there.map_err(Failure::unavailable)? {
            return Err(unknown(&name));
        }
        let removed = RemovedMessage { message, report: how.report };
        state.record("message.remove", &name, Some(&removed), None::<&()>);
        Ok(removed)
    });
    removed.await.map(Json)
}

/// The message whose number is `name`.
fn find(state: &AdminState, name: &str) -> Result<MessageView, Failure> {
    let transport = transport(state)?;
    let id: Option<u64> = name.parse().ok();
    id.and_then(|id| (transport.message)(id)).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> Failure {
    Failure::not_found(format!(
        "there is no message {name:?}: it was delivered or removed, or never was; look into a queue to see those there are"
    ))
}
