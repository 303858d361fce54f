//! Targets – servers of remote origins and those that mail goes to: list, and what the administrator says about one
//! (H4, H10).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::AdminState;
use super::change::alone;
use super::failure::Failure;
use super::input::Name;
use crate::gateway::{ChangeTarget, TargetChange};
use crate::types::{ChangedTarget, Listing, TargetView, UsedBy};

type Shared = State<Arc<AdminState>>;
type Changed = Result<Json<ChangedTarget>, Failure>;

pub(crate) async fn list(State(state): Shared) -> Json<Listing<TargetView>> {
    Json(Listing { items: all(&state) })
}

pub(crate) async fn disable(State(state): Shared, Name(name): Name) -> Changed {
    change(&state, name, TargetChange::Disable).await
}

pub(crate) async fn drain(State(state): Shared, Name(name): Name) -> Changed {
    change(&state, name, TargetChange::Drain).await
}

pub(crate) async fn enable(State(state): Shared, Name(name): Name) -> Changed {
    change(&state, name, TargetChange::Enable).await
}

pub(crate) async fn retry(State(state): Shared, Name(name): Name) -> Changed {
    change(&state, name, TargetChange::Retry).await
}

/// Those of the origin, and behind them those of the mail transport.
fn all(state: &AdminState) -> Vec<TargetView> {
    let mut targets = (state.gateway.targets)();
    targets.extend(state.transport.iter().flat_map(|transport| (transport.targets)()));
    targets
}

/// Who is to be told about a target.
fn told(state: &AdminState, used_by: UsedBy) -> Option<&ChangeTarget> {
    match used_by {
        UsedBy::Origin => Some(&state.gateway.change_target),
        UsedBy::Transport => state.transport.as_ref().map(|transport| &transport.change_target),
    }
}

async fn change(state: &Arc<AdminState>, name: String, wanted: TargetChange) -> Changed {
    let changed = alone(state, move |state| {
        let (mut changed, mut refused) = (Vec::new(), None);
        for before in find(all(state), &name)? {
            let Some(told) = told(state, before.used_by) else { continue };
            match told(&before.address, wanted) {
                Ok(after) => {
                    state.record(wanted.action(), &before.address, Some(&before), Some(&after));
                    changed.push(after);
                }
                Err(why) => refused = refused.or(Some(why)),
            }
        }
        let mut changed = changed.into_iter();
        let target = changed.next().ok_or_else(|| Failure::conflict(refused.unwrap_or_default()))?;
        Ok(ChangedTarget { target, also: changed.next() })
    });
    changed.await.map(Json)
}

/// What `name` means: an address, or what the configuration calls it where only one address is called so. Both origin
/// and mail transport may use it.
fn find(targets: Vec<TargetView>, name: &str) -> Result<Vec<TargetView>, Failure> {
    let wanted = name.trim_end_matches('/');
    let is_it = |target: &TargetView| {
        target.address == wanted || target.name.trim_end_matches('/').eq_ignore_ascii_case(wanted)
    };
    let found: Vec<TargetView> = targets.into_iter().filter(is_it).collect();
    let is_one = found.first().is_some_and(|first| found.iter().all(|other| other.address == first.address));
    if is_one {
        return Ok(found);
    }
    Err(Failure::not_found(format!(
        "there is no target {name:?}, or more than one; list the targets, and name one by its address"
    )))
}
