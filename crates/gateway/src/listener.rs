//! Connections: accepted within their bounds, served, and ended in good order.
//!
//! One task a connection. A trusted proxy's says first whose it is, where the PROXY protocol is switched on. A
//! connection counts in all and for its client's address (one /64 of IPv6), unless that is a trusted proxy's; it may
//! not stay silent, and a client that reads nothing of its answer is cut off. One that became a web socket counts for
//! as long as somebody holds what is remembered of it.
//!
//! When the gateway is told to stop, connections that idle between requests end at once and busy ones after their
//! answer, at the latest after the drain time. One that was only just accepted has a moment for its first request: its
//! client has nobody else to send it to, since a successor on the same socket never sees that connection.

mod announcement;
mod gate;

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use weir_wire::forwarded::TrustedProxies;
use weir_wire::proxy::Announced;

use crate::body::Answer;
use crate::client_address::Trust;
use crate::gateway::Gateway;
use crate::metrics::Connected;
use crate::remote::Bound;
use crate::settings::{ConnectionLimits, Settings};
use crate::timed_io::TimedIo;
use crate::workers::{Load, Workers};
use announcement::AnnouncementError;
use gate::AddressPlace;

pub(crate) use gate::Gate;

/// Who is at the other end of a connection, and where he came in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    /// The other end's address, or that of the client whom a trusted proxy announced by the PROXY protocol. Requests
    /// may come from somebody further away: see [`Connection::client`].
    pub(crate) client: SocketAddr,
    /// Our address.
    pub(crate) server: SocketAddr,
}

/// What a listener goes by, at its start.
pub(crate) trait Configured {
    /// The settings in force.
    fn settings(&self) -> Arc<Settings>;
}

impl Configured for Gateway {
    fn settings(&self) -> Arc<Settings> {
        Gateway::settings(self)
    }
}

/// What a listener hands requests to.
pub(crate) trait Handler: Configured + Send + Sync + 'static {
    /// Answers one request of a connection.
    fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: Arc<Connection>,
    ) -> impl Future<Output = Response<Answer>> + Send;

    /// A connection was opened; it counts until the returned value is dropped.
    fn connected(&self) -> Connected;

    /// Whether answers are somebody else's, so that nothing is added to them that he left out, a date for instance
    /// (T20).
    fn passes_answers_on(&self) -> bool {
        false
    }

    /// A client's address as a log may name it.
    fn logged(&self, client: IpAddr) -> IpAddr {
        client
    }
}

/// What is remembered of a connection from one request to the next.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Both ends.
    pub(crate) peer: Peer,
    /// Whether its last request was refused for `MaxConcurrency` (T7).
    pub(crate) refused: AtomicBool,
    /// What was bound to it by authentication before a remote origin.
    pub(crate) bound: tokio::sync::Mutex<Bound>,
    /// Whether a request has arrived on it.
    begun: AtomicBool,
    secure: bool,
    trust: Arc<Trust>,
    _place: Place,
}

/// A connection's place: given back when the last one who remembers the connection lets go of it.
#[derive(Debug)]
struct Place {
    _among_all: OwnedSemaphorePermit,
    /// None for a trusted proxy's connection.
    _of_address: Option<AddressPlace>,
    _counted: Connected,
}

impl Connection {
    /// The client that a request with these headers is from, as far as it can be believed.
    pub(crate) fn client(&self, headers: &HeaderMap) -> IpAddr {
        self.trust.client(headers, self.peer.client.ip())
    }

    /// Whose word about the way of requests is believed.
    pub(crate) fn trusted_proxies(&self) -> &TrustedProxies {
        self.trust.proxies()
    }

    /// Whether it came by TLS.
    pub(crate) const fn is_secure(&self) -> bool {
        self.secure
    }
}

/// The socket of the listener `name`: the one that was given, else one that is bound to `address`.
pub(crate) async fn open(
    name: &'static str,
    address: SocketAddr,
    given: &mut BTreeMap<&'static str, std::net::TcpListener>,
) -> io::Result<TcpListener> {
    let Some(socket) = given.remove(name) else { return TcpListener::bind(address).await };
    socket.set_nonblocking(true)?;
    TcpListener::from_std(socket)
}

/// Accepts connections until `stop` turns true, then waits until all have ended.
pub(crate) async fn serve<H: Handler>(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    gate: Arc<Gate>,
    handler: Arc<H>,
    workers: Arc<Workers>,
    mut stop: watch::Receiver<bool>,
) {
    let trust = Arc::new(Trust::new(&handler.settings().listen));
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Some(place) = gate.place().await else { break };
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, from)) => {
                // It is taken from this thread's event loop, for the one where it will be served.
                let Ok(stream) = stream.into_std() else { continue };
                let (gate, trust) = (Arc::clone(&gate), Arc::clone(&trust));
                let door =
                    Door { tls: tls.clone(), gate, trust, handler: Arc::clone(&handler), stop: stop.clone() };
                workers.spawn(&mut connections, |load| door.let_in(stream, from, place, load));
            }
            Err(error) => pause_after(&error).await,
        }
    }
    drop(listener);
    let drained = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(gate.limits.drain_time, drained).await.is_err() {
        tracing::warn!(after = ?gate.limits.drain_time, "connections cut off: their requests took longer than drain_time");
    }
}

/// A failed accept concerns one connection (it is gone already) or the process (it has no descriptor left): the
/// latter would fail again at once.
async fn pause_after(error: &io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// What one connection passes on its way from the socket to the handler.
struct Door<H> {
    tls: Option<TlsAcceptor>,
    gate: Arc<Gate>,
    trust: Arc<Trust>,
    handler: Arc<H>,
    stop: watch::Receiver<bool>,
}

impl<H: Handler> Door<H> {
    /// Serves a connection that `from` opened, to its end.
    async fn let_in(
        mut self,
        stream: std::net::TcpStream,
        from: SocketAddr,
        among_all: OwnedSemaphorePermit,
        _load: Load,
    ) {
        let Ok(mut stream) = TcpStream::from_std(stream) else { return };
        let Ok(server) = stream.local_addr() else { return };
        if stream.set_nodelay(true).is_err() {
            return;
        }
        let Some(client) = self.client(&mut stream, from).await else { return };
        let of_address = if self.trust.trusts(client.ip()) {
            None
        } else {
            let place = self.gate.enter(client.ip());
            if place.is_none() {
                let client = self.handler.logged(client.ip());
                tracing::debug!(%client, "connection closed: its address has connections_per_address already");
                return;
            }
            place
        };
        let counted = self.handler.connected();
        let place = Place { _among_all: among_all, _of_address: of_address, _counted: counted };
        let about = Connection {
            peer: Peer { client, server },
            refused: false.into(),
            bound: tokio::sync::Mutex::default(),
            begun: false.into(),
            secure: self.tls.is_some(),
            trust: Arc::clone(&self.trust),
            _place: place,
        };
        self.shake_hands(stream, Arc::new(about)).await;
    }

    /// Whose connection it is; nothing where it has to be closed.
    async fn client(&mut self, stream: &mut TcpStream, from: SocketAddr) -> Option<SocketAddr> {
        if !self.trust.expects_header(from.ip()) {
            return Some(from);
        }
        let header = announcement::read(stream, self.gate.limits.first_byte_time);
        let announced = tokio::select! {
            announced = header => announced,
            () = stopped_for_a_moment(&mut self.stop) => return None,
        };
        match announced {
            Ok(Announced::Proxied { client, .. }) => Some(client),
            Ok(Announced::Local) => Some(from),
            Err(error @ AnnouncementError::Malformed(_)) => {
                tracing::warn!(proxy = %from, %error, "connection closed; see listen.proxy_protocol");
                None
            }
            Err(
                error @ (AnnouncementError::Ended | AnnouncementError::Late | AnnouncementError::Broken(_)),
            ) => {
                tracing::debug!(proxy = %from, %error, "connection closed");
                None
            }
        }
    }

    async fn shake_hands(self, stream: TcpStream, about: Arc<Connection>) {
        let client = self.handler.logged(about.peer.client.ip());
        let outcome = match &self.tls {
            None => self.speak_http(stream, about).await,
            Some(tls) => {
                match tokio::time::timeout(self.gate.limits.tls_handshake, tls.accept(stream)).await {
                    Ok(Ok(stream)) => self.speak_http(stream, about).await,
                    Ok(Err(error)) => {
                        tracing::debug!(%client, %error, "TLS handshake failed");
                        Ok(())
                    }
                    Err(_) => {
                        tracing::debug!(%client, "TLS handshake took longer than tls_handshake");
                        Ok(())
                    }
                }
            }
        };
        if let Err(error) = outcome {
            tracing::debug!(%client, %error, "connection ended");
        }
    }

    async fn speak_http<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        &self,
        stream: S,
        about: Arc<Connection>,
    ) -> Result<(), hyper::Error> {
        let service = service_fn(|request| {
            about.begun.store(true, Ordering::Relaxed);
            let answer = Arc::clone(&self.handler).handle(request, Arc::clone(&about));
            async move { Ok::<_, std::convert::Infallible>(answer.await) }
        });
        let limits = &self.gate.limits;
        let io = TokioIo::new(TimedIo::new(stream, limits.first_byte_time, limits.write_idle_time));
        let http1 = http1_with(limits, !self.handler.passes_answers_on());
        let mut connection = std::pin::pin!(http1.serve_connection(io, service).with_upgrades());
        let mut stop = self.stop.clone();
        let stopped = async {
            let _ = stop.wait_for(|stop| *stop).await;
            if !about.begun.load(Ordering::Relaxed) {
                tokio::time::sleep(FIRST_REQUEST).await;
            }
        };
        tokio::select! {
            outcome = connection.as_mut() => return outcome,
            () = stopped => connection.as_mut().graceful_shutdown(),
        }
        connection.await
    }
}

fn http1_with(limits: &ConnectionLimits, dates: bool) -> http1::Builder {
    let mut http1 = http1::Builder::new();
    http1
        .timer(TokioTimer::new())
        .preserve_header_case(true)
        .auto_date_header(dates)
        .header_read_timeout(limits.idle_time)
        .max_headers(limits.headers)
        .max_header_size(limits.head_bytes)
        .max_buf_size(limits.head_bytes.max(MIN_BUFFER));
    http1
}

/// Done a moment after `stop` has turned true: as long as a connection without a request is waited for.
async fn stopped_for_a_moment(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
    tokio::time::sleep(FIRST_REQUEST).await;
}

/// How long a connection that was accepted just before the stop has until its first request: the network's delay, not
/// a person's.
const FIRST_REQUEST: Duration = Duration::from_secs(1);

/// The smallest buffer that hyper takes.
const MIN_BUFFER: usize = 8 << 10;

#[cfg(test)]
mod tests;
