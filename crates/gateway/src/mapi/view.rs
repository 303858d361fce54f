//! Sessions and origin servers as an administrator sees them (R2, R12, R13, R17).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use weir_throttle::rpc::{Crowd, SessionState};
use weir_units::{Micros, Owner, WallTime};

use super::rpc_server::RpcServer;
use super::session::Session;
use crate::gateway::{Gateway, Origin};

/// One session.
#[derive(Clone, Debug)]
pub struct SessionView {
    /// Its number, by which it can be closed.
    pub id: u64,
    /// Whose it is.
    pub owner: Owner,
    /// The server that it is at; empty until that has answered.
    pub origin: String,
    /// What the client calls itself, as `Outlook/16.0.5000.1000`.
    pub client: String,
    /// The client's version, where it says so.
    pub version: Option<String>,
    /// The client's process, as it says (R17).
    pub process: Option<String>,
    /// The client's machine, as it says.
    pub machine: Option<String>,
    /// Where it came from.
    pub address: IpAddr,
    /// When it began.
    pub opened: WallTime,
    /// How long ago it was used last.
    pub idle: Micros,
    /// Mailboxes that it has used.
    pub mailboxes: u32,
    /// What it did, and what it owes.
    pub state: SessionState,
    /// How long its calls took, as it says: the mean of its last report (R17).
    pub seen_latency: Option<Micros>,
    /// How long the origin worked on its last packet.
    pub rpc_latency: Option<Micros>,
}

/// One origin server, and its sessions.
#[derive(Clone, Debug)]
pub struct OriginRpc {
    /// What it is called, as the configuration has it.
    pub origin: String,
    /// The RPC average latency (R2).
    pub latency: Micros,
    /// RPC packets that it has answered.
    pub packets: u64,
    /// Sessions at it.
    pub sessions: usize,
    /// Those that asked anything in the last minute.
    pub active: u64,
    /// Those of them that were backed off in the last minute.
    pub backed_off: u64,
}

impl Gateway {
    /// Every MAPI session, in the order of their opening.
    pub fn sessions(&self) -> Vec<SessionView> {
        self.views(&self.sessions.all())
    }

    /// The MAPI sessions of `owner`, in the order of their opening.
    pub fn sessions_of(&self, owner: &Owner) -> Vec<SessionView> {
        self.views(&self.sessions.of_owner(owner))
    }

    fn views(&self, sessions: &[Arc<Session>]) -> Vec<SessionView> {
        let now = self.clock.tick();
        sessions.iter().map(|session| view(session, session.rpc.state(now), now)).collect()
    }

    /// Every server that carries out MAPI requests.
    pub fn origin_rpc(&self) -> Vec<OriginRpc> {
        let crowds = self.crowds().into_iter();
        let view = crowds.map(|Crowded { server, crowd, sessions }| OriginRpc {
            origin: server.name().to_owned(),
            latency: server.latency(),
            packets: server.packets(),
            sessions,
            active: crowd.active(),
            backed_off: crowd.backed_off(),
        });
        view.collect()
    }

    /// Ends a session: its client has to connect anew. Whether there was one of that number.
    pub fn close_session(&self, id: u64) -> bool {
        self.sessions.end(id)
    }

    /// Sets the gauges that speak of sessions.
    pub(crate) fn refresh_rpc_metrics(&self) {
        for Crowded { server, sessions, .. } in self.crowds() {
            self.metrics.rpc_latency(server.name(), server.latency());
            self.metrics.rpc_sessions(server.name(), sessions);
        }
    }

    /// Looks again and again whether something is to be said about an origin server (R2, R13).
    pub(crate) async fn watch_rpc(&self) {
        let mut ticks = tokio::time::interval(LOOK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.look_at_rpc();
        }
    }

    /// Says what is to be said about the origin servers at this moment.
    pub(crate) fn look_at_rpc(&self) {
        let now = self.clock.tick();
        for Crowded { server, crowd, .. } in self.crowds() {
            server.look(&crowd, now).for_each(|event| self.events.emit(event));
        }
    }

    fn crowds(&self) -> Vec<Crowded> {
        let now = self.clock.tick();
        let mut crowds: Vec<Crowded> = self.rpc_servers().into_iter().map(Crowded::new).collect();
        for session in self.sessions.all() {
            let at = session.server();
            let crowd =
                crowds.iter_mut().find(|crowd| at.as_ref().is_some_and(|at| Arc::ptr_eq(at, &crowd.server)));
            if let Some(Crowded { crowd, sessions, .. }) = crowd {
                *sessions += 1;
                crowd.add(&session.rpc.state(now), || name(&session));
            }
        }
        crowds
    }

    fn rpc_servers(&self) -> Vec<Arc<RpcServer>> {
        match &self.origin {
            Origin::Embedded(_) => vec![Arc::clone(&self.embedded_rpc)],
            Origin::Remote(remotes) => {
                remotes.all().into_iter().flat_map(|origin| origin.rpc_servers()).collect()
            }
        }
    }
}

/// A server and what its sessions add up to.
struct Crowded {
    server: Arc<RpcServer>,
    crowd: Crowd,
    sessions: usize,
}

impl Crowded {
    fn new(server: Arc<RpcServer>) -> Self {
        Self { server, crowd: Crowd::default(), sessions: 0 }
    }
}

/// How often somebody looks at the origin servers.
const LOOK: Duration = Duration::from_secs(5);

/// What an event calls a session.
fn name(session: &Session) -> String {
    format!("{} ({}, session {})", session.new.owner, session.new.application, session.id)
}

fn view(session: &Session, state: SessionState, now: weir_units::Tick) -> SessionView {
    let changing = session.state();
    SessionView {
        id: session.id,
        owner: session.new.owner.clone(),
        origin: changing.server.as_ref().map(|server| server.name().to_owned()).unwrap_or_default(),
        client: session.new.application.clone(),
        version: session.new.version.map(|version| version.to_string()),
        process: changing.process,
        machine: changing.machine,
        address: session.new.address,
        opened: session.new.opened,
        idle: now.since(changing.last),
        mailboxes: u32::try_from(changing.named.iter().count()).unwrap_or(u32::MAX),
        state,
        seen_latency: changing.seen_latency,
        rpc_latency: changing.took,
    }
}

#[cfg(test)]
mod tests;
