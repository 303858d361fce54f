//! What the API shows and is told of the servers of remote origins, in the gateway's words and in its own.

use std::net::SocketAddr;

use weir_admin::gateway::TargetChange;
use weir_admin::types::{TargetView, UsedBy};
use weir_gateway::Gateway;
use weir_gateway::remote::{Remotes, TargetOrder};
use weir_units::{Component, Tick};

/// The components that owners are held to before this origin.
pub(super) fn components(gateway: &Gateway) -> Vec<Component> {
    match gateway.remotes() {
        None => vec![Component::Ews, Component::Rca],
        Some(_) => vec![Component::Ews, Component::Eas, Component::Owa, Component::Rca],
    }
}

/// Every server, by address, as it is at `now`; none before the embedded origin.
pub(super) fn list(gateway: &Gateway, now: Tick) -> Vec<TargetView> {
    let listed = gateway.remotes().map(Remotes::targets).unwrap_or_default().into_iter();
    let view = listed.map(|target| TargetView {
        address: target.address.to_string(),
        name: target.name.to_string(),
        used_by: UsedBy::Origin,
        state: target.state.name().to_owned(),
        error: target.mark.map(|mark| mark.failure.to_string()),
        retries: target.mark.map_or(0, |mark| mark.retries()),
        last_attempt_ms: target.mark.map(|mark| now.since(mark.last_attempt).floor_millis().count()),
        next_retry_ms: target.mark.map(|mark| mark.next_retry.since(now).ceil_millis().count()),
        probing: target.probing,
    });
    view.collect()
}

/// Carries out `change` of the server at `address`, and shows it afterwards.
pub(super) fn change(
    gateway: &Gateway,
    address: &str,
    change: TargetChange,
    now: Tick,
) -> Result<TargetView, String> {
    let order = match change {
        TargetChange::Disable => TargetOrder::Disable,
        TargetChange::Drain => TargetOrder::Drain,
        TargetChange::Enable => TargetOrder::Enable,
        TargetChange::Retry => TargetOrder::Retry,
    };
    let gone = || format!("no origin has a server at {address}; list the targets to see those there are");
    let at: SocketAddr = address.parse().map_err(|_| gone())?;
    let remotes = gateway.remotes().ok_or_else(gone)?;
    remotes.order(at, order).map_err(|error| error.to_string())?;
    list(gateway, now).into_iter().find(|target| target.address == address).ok_or_else(gone)
}
