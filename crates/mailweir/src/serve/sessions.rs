//! What the API shows of MAPI sessions and their servers, in the gateway's words and in its own (R2, R13, R17).

use weir_admin::types::{MapiOrigin, MapiSession, timestamp};
use weir_gateway::Gateway;
use weir_gateway::mapi::{OriginRpc, SessionView};
use weir_throttle::rpc::{GOAL, SessionState};
use weir_units::{Micros, Owner};

/// The sessions of `owner`, or all.
pub(super) fn list(gateway: &Gateway, owner: Option<&Owner>) -> Vec<MapiSession> {
    let sessions = owner.map_or_else(|| gateway.sessions(), |owner| gateway.sessions_of(owner));
    sessions.into_iter().map(session).collect()
}

/// The servers that sessions are at.
pub(super) fn origins(gateway: &Gateway) -> Vec<MapiOrigin> {
    gateway.origin_rpc().into_iter().map(origin).collect()
}

fn origin(rpc: OriginRpc) -> MapiOrigin {
    MapiOrigin {
        origin: rpc.origin,
        average_latency_us: (rpc.packets > 0).then_some(rpc.latency.count()),
        goal_us: GOAL.count(),
        packets: rpc.packets,
        sessions: rpc.sessions,
        active: rpc.active,
        backed_off: rpc.backed_off,
    }
}

fn session(view: SessionView) -> MapiSession {
    let SessionState { last_minute, rops, backoffs, handed_out, debt, active, backed_off } = view.state;
    MapiSession {
        id: view.id,
        owner: view.owner.to_string(),
        origin: view.origin,
        client: view.client,
        version: view.version,
        process: view.process,
        machine: view.machine,
        address: view.address.to_string(),
        since: timestamp(view.opened),
        idle_ms: view.idle.floor_millis().count(),
        mailboxes: view.mailboxes,
        rops_last_minute: last_minute.count(),
        mean_gap_us: last_minute.mean_gap().map(Micros::count),
        rops,
        backoffs,
        backoff_ms: handed_out.count(),
        owes_ms: debt.ceil_millis().count(),
        active,
        backed_off,
        seen_latency_us: view.seen_latency.map(Micros::count),
        rpc_latency_us: view.rpc_latency.map(Micros::count),
    }
}
