//! Work that may block, and changes: one at a time, in force when answered, and written down.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use serde::Serialize;
use serde_json::Value;
use weir_units::{Event, EventId, Level};

use super::AdminState;
use super::failure::Failure;
use crate::audit::{Actor, Change};
use crate::types::{KeyChange, Reloaded};

/// Runs `act` on a thread that may block. It runs to its end even if the asker hangs up.
pub(crate) async fn blocking<T: Send + 'static>(
    state: &Arc<AdminState>,
    act: impl FnOnce(&AdminState) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let state = Arc::clone(state);
    let done = tokio::task::spawn_blocking(move || act(&state)).await;
    done.map_err(|_| Failure::unavailable("the request failed within the server; its log says why"))?
}

/// As [`blocking`], while nobody else makes a change.
pub(crate) async fn alone<T: Send + 'static>(
    state: &Arc<AdminState>,
    act: impl FnOnce(&AdminState) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    blocking(state, move |state| {
        let _alone = state.changing.lock().unwrap_or_else(PoisonError::into_inner);
        act(state)
    })
    .await
}

/// As [`alone`], and whatever `act` did to the directory is in force for the next request (T14).
pub(crate) async fn changing<T: Send + 'static>(
    state: &Arc<AdminState>,
    act: impl FnOnce(&AdminState) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    alone(state, move |state| {
        let done = act(state);
        state.cache.invalidate();
        done
    })
    .await
}

impl AdminState {
    /// Reads the configuration again because `actor` asks for it: what changed, or why all stays as it was.
    /// Blocks for as long as the files take.
    ///
    /// # Errors
    /// The configuration is refused; the sentence says why.
    pub fn reload(&self, actor: Actor) -> Result<Reloaded, String> {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let reloaded = (self.gateway.reload)()?;
        let side = |value: fn(&KeyChange) -> &str| -> BTreeMap<&str, &str> {
            reloaded.changes.iter().map(|change| (change.key.as_str(), value(change))).collect()
        };
        let (before, after) = (side(|change| &change.before), side(|change| &change.after));
        self.record_as(actor, "configuration.reload", "configuration", Some(&before), Some(&after));
        Ok(reloaded)
    }

    /// Writes a change that was made into the audit log. A log that cannot be written is an event: the change
    /// is in force and cannot be taken back.
    pub(crate) fn record(
        &self,
        action: &'static str,
        target: &str,
        before: Option<&impl Serialize>,
        after: Option<&impl Serialize>,
    ) {
        self.record_as(Actor::AdminToken, action, target, before, after);
    }

    /// Writes into the audit log that somebody logged in at the page.
    pub(crate) fn record_login(&self, actor: Actor) {
        self.record_as(actor, "page.login", "the administration page", None::<&()>, None::<&()>);
    }

    fn record_as(
        &self,
        actor: Actor,
        action: &'static str,
        target: &str,
        before: Option<&impl Serialize>,
        after: Option<&impl Serialize>,
    ) {
        let change = Change {
            action,
            target: target.to_owned(),
            before: before.map(document),
            after: after.map(document),
        };
        if let Err(error) = self.audit.record(actor, &change, (self.gateway.wall)()) {
            self.events.emit(Event {
                id: EventId::AUDIT_UNWRITABLE,
                level: Level::Error,
                text: format!(
                    "the change {action} of {target:?} is made but not in the audit log: {error}; \
                     make room for log/audit.jsonl"
                ),
                fields: vec![("action", action.to_owned()), ("target", target.to_owned())],
            });
        }
    }
}

/// What the log shows of a thing: what the API shows of it.
fn document(view: &impl Serialize) -> Value {
    serde_json::to_value(view).unwrap_or_else(|error| Value::String(error.to_string()))
}
