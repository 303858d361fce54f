//! One MAPI session, whatever mailboxes it opens (R7, R15).

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_mailbox::mapi::MapiSession;
use weir_throttle::rpc::RpcSession;
use weir_units::{Micros, Millis, Owner, Tick, WallTime};
use weir_wire::mapi::ClientVersion;
use weir_wire::mapi::auxiliary::Told;
use weir_wire::mapi::rop::{LogonSet, Logons};

use super::cookie::{Sequence, SessionKey};
use super::place::SessionPlace;
use super::rpc_server::RpcServer;

/// What is known of a session when it begins.
pub(crate) struct NewSession {
    /// Whose it is.
    pub(crate) owner: Owner,
    /// What the client calls it.
    pub(crate) client_info: Option<String>,
    /// What the client calls itself.
    pub(crate) application: String,
    /// The client's version, where it says so.
    pub(crate) version: Option<ClientVersion>,
    /// Where it comes from.
    pub(crate) address: IpAddr,
    /// When it began.
    pub(crate) opened: WallTime,
    /// Its place in its owner's budget; none where nobody is charged.
    pub(crate) place: Option<Arc<SessionPlace>>,
    /// The server that it is at, as far as that is known.
    pub(crate) server: Option<Arc<RpcServer>>,
    /// The embedded mailbox server's part of it.
    pub(crate) mailbox: Option<MapiSession>,
}

/// A session.
pub(crate) struct Session {
    /// Its number, for administrators.
    pub(crate) id: u64,
    /// What its cookie says.
    pub(crate) key: SessionKey,
    /// What it began with.
    pub(crate) new: NewSession,
    /// Whether it is told to back off.
    pub(crate) rpc: RpcSession,
    state: Mutex<State>,
}

/// What changes with its requests.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// When it was used last.
    pub(crate) last: Tick,
    /// The server that answered last.
    pub(crate) server: Option<Arc<RpcServer>>,
    /// What is known of its logons.
    pub(crate) logons: Logons,
    /// The logons that were named, each a mailbox or the public folders.
    pub(crate) named: LogonSet,
    /// The client's process, as it says.
    pub(crate) process: Option<String>,
    /// The client's machine, as it says.
    pub(crate) machine: Option<String>,
    /// How long its calls took, as it says: the mean of its last report.
    pub(crate) seen_latency: Option<Micros>,
    /// How long the origin worked on its last packet.
    pub(crate) took: Option<Micros>,
    /// Requests that are under way.
    under_way: u32,
    /// Until when it was told to back off.
    told_until: Tick,
    /// The number that its next request has to have.
    sequence: Sequence,
}

impl Session {
    /// A session that begins at `now`.
    pub(crate) fn new(id: u64, key: SessionKey, new: NewSession, now: Tick) -> Self {
        let state = State {
            last: now,
            server: new.server.clone(),
            logons: Logons::default(),
            named: LogonSet::default(),
            process: None,
            machine: None,
            seen_latency: None,
            took: None,
            under_way: 0,
            told_until: now,
            sequence: Sequence::default(),
        };
        Self { id, key, new, rpc: RpcSession::new(), state: Mutex::new(state) }
    }

    /// Everything that changes, at this moment.
    pub(crate) fn state(&self) -> State {
        self.lock().clone()
    }

    /// A request of it begins at `now`; while there is one it is not forgotten.
    pub(crate) fn begins(self: &Arc<Self>, now: Tick) -> InUse {
        let mut state = self.lock();
        (state.last, state.under_way) = (now, state.under_way + 1);
        InUse(Arc::clone(self))
    }

    /// Whether nobody has used it for `idle` at `now`.
    pub(crate) fn is_idle(&self, idle: Micros, now: Tick) -> bool {
        let state = self.lock();
        state.under_way == 0 && now.since(state.last) >= idle
    }

    /// The RPC average latency of the server that it is at; nothing while that is not known.
    pub(crate) fn latency(&self) -> Micros {
        self.server().map_or(Micros::ZERO, |server| server.latency())
    }

    /// The server that answered last.
    pub(crate) fn server(&self) -> Option<Arc<RpcServer>> {
        self.lock().server.clone()
    }

    /// What is known of its logons.
    pub(crate) fn logons(&self) -> Logons {
        self.lock().logons
    }

    /// The origin has carried out a request after which its logons are these, `named` among them.
    pub(crate) fn carried_out(&self, logons: Logons, named: &LogonSet) {
        let mut state = self.lock();
        state.logons = logons;
        state.named.join(named);
    }

    /// `server` has answered one of its packets after `took`.
    pub(crate) fn answered_by(&self, server: &Arc<RpcServer>, took: Micros) {
        let mut state = self.lock();
        state.server = Some(Arc::clone(server));
        state.took = Some(took);
    }

    /// The client has told this about itself (R17).
    pub(crate) fn hears(&self, told: Vec<Told>) {
        if told.is_empty() {
            return;
        }
        let mut state = self.lock();
        let (mut sum, mut calls) = (0_u64, 0_u64);
        for told in told {
            match told {
                Told::Process { name } => state.process = Some(name),
                Told::Client { machine, .. } => state.machine = Some(machine),
                Told::Call(call) if call.failed => {}
                Told::Call(call) => {
                    (sum, calls) = (sum.saturating_add(call.took.micros().count()), calls + 1);
                }
            }
        }
        if let Some(mean) = sum.checked_div(calls) {
            state.seen_latency = Some(Micros::new(mean));
        }
    }

    /// It is told at `now` to back off for `wait`.
    pub(crate) fn told(&self, wait: Millis, now: Tick) {
        self.lock().told_until = now.plus(wait.micros());
    }

    /// Whether a request at `now` comes before its client was told to come.
    pub(crate) fn is_early(&self, now: Tick) -> bool {
        now.plus(EARLY) < self.lock().told_until
    }

    /// The number that its next request has to have.
    pub(crate) fn sequence(&self) -> Sequence {
        self.lock().sequence
    }

    /// The request with the number `this` is carried out: gives the number of the next one; nothing where another one was
    /// faster.
    pub(crate) fn advance(&self, this: Sequence) -> Option<Sequence> {
        let mut state = self.lock();
        if state.sequence != this {
            return None;
        }
        state.sequence = Sequence(this.0 + 1);
        Some(state.sequence)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .field("owner", &self.new.owner)
            .finish_non_exhaustive()
    }
}

/// Clients' clocks tick, and requests travel: who comes so much before his time has waited.
const EARLY: Micros = Micros::new(5_000);

/// A request of a session that is under way.
#[derive(Debug)]
pub(crate) struct InUse(Arc<Session>);

impl Drop for InUse {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.under_way = state.under_way.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests;
