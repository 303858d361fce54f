//! A remote HTTP origin: its servers, which of them gets the next call, and the connections that are kept for it.
//!
//! The healthy server selector chooses (H10): calls of one owner stay with one server while it is healthy, and the last
//! server is never filtered out. Here its choice meets sockets: an idle connection where there is one, a fresh one
//! otherwise, the next server where that fails. A failure to connect is reported to the selector; retries are made in the
//! background (`probe`), so that no user's call pays for one.
//!
//! Where active checks are set, only they say that a server is well: one that accepts connections and does nothing else
//! would come back with every user's call.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response};
use rustls::ClientConfig;
use tokio::sync::Notify;
use weir_balance::{Attempt, Health, Listing, Pick, Selector, State, Target, Transition};
use weir_throttle::rpc::RpcLatency;
use weir_units::{EventSink, Micros, Owner, Tick};

use super::error::RemoteError;
use super::events;
use super::failure::{Failure, FailureKind};
use super::pool::Pool;
use super::server::Server;
use super::server_url::ServerUrl;
use super::settings::RemoteSettings;
use super::trust;
use super::upstream::{Outgoing, Upstream};
use crate::mapi::rpc_server::RpcServer;
use crate::places::Places;
use crate::settings::ThrottleSettings;
use weir_clock::Clock;

/// A remote HTTP origin.
pub(crate) struct RemoteOrigin {
    pub(super) settings: RemoteSettings,
    pub(super) members: Box<[Member]>,
    pub(super) selector: Selector,
    pub(super) clock: Clock,
    /// How long it takes over a call that is none of MAPI's.
    pub(super) latency: RpcLatency,
    /// How many calls it works on at once, all servers together.
    pub(crate) places: Arc<Places>,
    /// Told when a retry may be due earlier than the background task believes.
    pub(super) changed: Notify,
    health: Health,
    events: EventSink,
}

/// One server with its idle connections.
pub(crate) struct Member {
    /// The server.
    pub(crate) server: Arc<Server>,
    /// Its idle connections.
    pub(crate) pool: Pool,
}

impl RemoteOrigin {
    /// Sets the origin up: names are looked up, trusted certificates read; nothing is connected to yet. `health` is the
    /// process's one list of unhealthy targets. [`RemoteOrigin::tend`] is to run beside it.
    ///
    /// # Errors
    /// What in the settings cannot be used; see [`RemoteError`].
    pub(crate) async fn new(
        settings: RemoteSettings,
        throttle: &ThrottleSettings,
        health: &Health,
        clock: Clock,
        events: EventSink,
    ) -> Result<Self, RemoteError> {
        let secure = settings.servers.iter().any(ServerUrl::is_secure);
        let tls = if secure { Some(trust::client_config(settings.ca.as_deref())?) } else { None };
        let members = members(&settings, tls.as_ref()).await?;
        let targets = members.iter().map(|member| target(&member.server));
        let selector = Selector::new(targets, weir_balance::Settings::origin(), health)?;
        let health = health.clone();
        let members = members.into();
        let latency = RpcLatency::new();
        let name = settings.servers.first().map(ToString::to_string).unwrap_or_default();
        let places = Arc::new(Places::remote(&name, throttle, clock));
        let changed = Notify::new();
        Ok(Self { settings, members, selector, clock, latency, places, changed, health, events })
    }

    /// Sends `request` to the server that serves `owner`, and waits for its answer to begin, at most `head_time`. The
    /// connection comes back with the answer, to be given back once the answer was read to its end.
    ///
    /// A kept connection that turns out to be closed, before a byte of the request was written, is replaced by a fresh
    /// one, once. Nothing else is tried again.
    ///
    /// # Errors
    /// [`Failure`]; it says whether the call may have had an effect.
    pub(crate) async fn exchange(
        &self,
        owner: Option<&Owner>,
        request: Request<Outgoing>,
        head_time: Duration,
    ) -> Result<(Response<Incoming>, Upstream), Failure> {
        let upstream = self.take(owner).await?;
        self.send_or_replace(upstream, owner, request, head_time).await
    }

    /// A connection to the server that serves `owner`: an idle one, or a fresh one. Where connecting fails the next server
    /// is tried, each once.
    ///
    /// # Errors
    /// How the last attempt failed, or that no server is in service; nothing was sent.
    pub(crate) async fn take(&self, owner: Option<&Owner>) -> Result<Upstream, Failure> {
        self.connection(owner, true).await
    }

    /// A fresh connection for somebody who will authenticate on it, and keep it to himself.
    ///
    /// # Errors
    /// As [`RemoteOrigin::take`].
    pub(crate) async fn connect_for(&self, owner: Option<&Owner>) -> Result<Upstream, Failure> {
        self.connection(owner, false).await
    }

    /// Takes back a connection whose answer was read to its end, for another call of anybody. Never one that somebody
    /// authenticated on, nor one that switched its protocol.
    pub(crate) fn give_back(&self, upstream: Upstream) {
        if let Some(member) = self.member(upstream.server().address) {
            member.pool.put(upstream, self.clock.tick());
        }
    }

    /// What the origin was told.
    pub(crate) const fn settings(&self) -> &RemoteSettings {
        &self.settings
    }

    /// Its servers, as far as MAPI is concerned.
    pub(crate) fn rpc_servers(&self) -> impl Iterator<Item = Arc<RpcServer>> {
        self.members.iter().map(|member| Arc::clone(&member.server.rpc))
    }

    /// How its servers are, for `target list`.
    pub(crate) fn targets(&self) -> Vec<Listing> {
        let mut listed = self.health.list(self.clock.tick());
        listed.retain(|target| self.member(target.address).is_some());
        listed
    }

    /// Says that the administrator enabled, disabled or retried a target: the background task looks at once, and idle
    /// connections to a target out of service are closed.
    pub(crate) fn targets_changed(&self) {
        for target in self.targets() {
            let out = matches!(target.state, State::Disabled | State::Draining);
            if let Some(member) = self.member(target.address).filter(|_| out) {
                member.pool.clear();
            }
        }
        self.changed.notify_one();
    }

    pub(super) fn member(&self, address: SocketAddr) -> Option<&Member> {
        self.members.iter().find(|member| member.server.address == address)
    }

    /// Reports that `attempt` succeeded.
    pub(super) fn succeeded(&self, attempt: Attempt) {
        let transition = self.selector.connected(attempt, self.clock.tick());
        self.note(transition, "");
    }

    /// Reports how `attempt` failed.
    pub(super) fn failed(&self, attempt: Attempt, how: weir_balance::Failure, detail: &str) {
        tracing::debug!(address = %attempt.address(), %how, detail, "a server of the origin did not answer");
        let failed = self.selector.failed(attempt, how, self.clock.tick());
        self.note(failed.transition, detail);
    }

    fn note(&self, transition: Option<Transition>, detail: &str) {
        let Some(transition) = transition else { return };
        if let Some(member) = self.member(transition.address())
            && let Some(event) = events::of(&transition, &member.server.url, detail)
        {
            self.events.emit(event);
        }
        self.changed.notify_one();
    }

    async fn send_or_replace(
        &self,
        mut upstream: Upstream,
        owner: Option<&Owner>,
        request: Request<Outgoing>,
        head_time: Duration,
    ) -> Result<(Response<Incoming>, Upstream), Failure> {
        let reused = upstream.is_reused();
        let mut failure = match upstream.send(request, head_time).await {
            Ok(answer) => return Ok((answer, upstream)),
            Err(failure) => failure,
        };
        if !(reused && failure.retry()) {
            return Err(failure);
        }
        let Some(request) = failure.request.take() else { return Err(failure) };
        let mut fresh = self.connect_for(owner).await?;
        let answer = fresh.send(*request, head_time).await?;
        Ok((answer, fresh))
    }

    async fn connection(&self, owner: Option<&Owner>, kept: bool) -> Result<Upstream, Failure> {
        let mut tried: Vec<SocketAddr> = Vec::new();
        let mut failure = None;
        while tried.len() < self.members.len() {
            let now = self.clock.tick();
            let picked =
                owner.map_or_else(|| self.selector.pick(now), |owner| self.selector.pick_for(owner, now));
            let attempt = match picked {
                Pick::Target(attempt) if !tried.contains(&attempt.address()) => attempt,
                Pick::Target(_) => break,
                Pick::NoneUntil(until) => return Err(failure.unwrap_or_else(|| no_server(until))),
            };
            let Some(member) = self.member(attempt.address()) else { break };
            if kept && let Some(upstream) = member.pool.take(now) {
                return Ok(upstream);
            }
            tried.push(attempt.address());
            match self.connect(member, attempt).await {
                Ok(upstream) => return Ok(upstream),
                Err(unconnected) => failure = Some(unconnected),
            }
        }
        Err(failure.unwrap_or_else(|| no_server(Tick::NEVER)))
    }

    async fn connect(&self, member: &Member, attempt: Attempt) -> Result<Upstream, Failure> {
        // Boxed, because a TLS handshake is large and most calls need none.
        let outcome = Box::pin(Upstream::connect(&member.server, self.clock)).await;
        match &outcome {
            Ok(_) if self.settings.check.is_none() => self.succeeded(attempt),
            Ok(_) => drop(attempt),
            Err(failure) => self.report(attempt, failure),
        }
        outcome
    }

    /// Reports a connection that did not come about; a bound of our own says nothing about the server.
    pub(super) fn report(&self, attempt: Attempt, failure: &Failure) {
        match &failure.kind {
            FailureKind::Connect { failure, detail } => self.failed(attempt, *failure, detail),
            FailureKind::NoServer { .. }
            | FailureKind::TooMany { .. }
            | FailureKind::ClosedBeforeHead
            | FailureKind::Broken { .. }
            | FailureKind::SilentBeforeHead { .. }
            | FailureKind::BadAnswer { .. }
            | FailureKind::BrokenOff
            | FailureKind::SilentInAnswer { .. }
            | FailureKind::ClientGone => drop(attempt),
        }
    }
}

fn no_server(until: Tick) -> Failure {
    Failure::unsent(None, FailureKind::NoServer { until })
}

fn target(server: &Server) -> Target {
    Target::new(server.address, &server.url.to_string())
}

async fn members(
    settings: &RemoteSettings,
    tls: Option<&Arc<ClientConfig>>,
) -> Result<Vec<Member>, RemoteError> {
    if settings.servers.is_empty() {
        return Err(RemoteError::NoServer);
    }
    let mut members: Vec<Member> = Vec::with_capacity(settings.servers.len());
    for url in &settings.servers {
        let address = look_up(url).await?;
        if members.iter().any(|member| member.server.address == address) {
            return Err(RemoteError::Twice { server: url.clone(), address });
        }
        let server = Arc::new(Server::new(url, address, tls, settings)?);
        let pool = Pool::new(settings.idle_per_server, Micros::from(settings.idle_time));
        members.push(Member { server, pool });
    }
    Ok(members)
}

/// What the selector knows a server by: its address, or the first one that its name has.
async fn look_up(url: &ServerUrl) -> Result<SocketAddr, RemoteError> {
    if let Some(ip) = url.ip() {
        return Ok(SocketAddr::new(ip, url.port()));
    }
    let found = tokio::net::lookup_host((url.host(), url.port())).await;
    let mut found = found.map_err(|reason| RemoteError::Unresolvable { server: url.clone(), reason })?;
    found.next().ok_or_else(|| RemoteError::NoAddress { server: url.clone() })
}

#[cfg(test)]
mod tests;
