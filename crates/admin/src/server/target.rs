//! Servers of remote origins: list, and what the administrator says about one (H10).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::AdminState;
use super::change::alone;
use super::failure::Failure;
use super::input::Name;
use crate::gateway::TargetChange;
use crate::types::{Listing, TargetView};

type Shared = State<Arc<AdminState>>;
type Changed = Result<Json<TargetView>, Failure>;

pub(crate) async fn list(State(state): Shared) -> Json<Listing<TargetView>> {
    Json(Listing { items: (state.gateway.targets)() })
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

async fn change(state: &Arc<AdminState>, name: String, wanted: TargetChange) -> Changed {
    let changed = alone(state, move |state| {
        let before = find((state.gateway.targets)(), &name)?;
        let after = (state.gateway.change_target)(&before.address, wanted).map_err(Failure::conflict)?;
        state.record(wanted.action(), &before.address, Some(&before), Some(&after));
        Ok(after)
    })
    .await?;
    Ok(Json(changed))
}

/// The target that `name` means: its address, or what the configuration calls it where only one is called so.
fn find(targets: Vec<TargetView>, name: &str) -> Result<TargetView, Failure> {
    let wanted = name.trim_end_matches('/');
    let is_it = |target: &TargetView| {
        target.address == wanted || target.name.trim_end_matches('/').eq_ignore_ascii_case(wanted)
    };
    let mut found = targets.into_iter().filter(is_it);
    let one = found.next();
    one.filter(|_| found.next().is_none()).ok_or_else(|| {
        Failure::not_found(format!(
            "there is no target {name:?}, or more than one; list the targets, and name one by its address"
        ))
    })
}
