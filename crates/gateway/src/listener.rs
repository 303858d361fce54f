//! Connections: accepted within their bounds, served, and ended in good order.
//!
//! One task a connection. A connection counts in all and for its address (one /64 of IPv6); it may not stay silent,
//! and a client that reads nothing of its answer is cut off. When the gateway is told to stop, idle connections end
//! at once and busy ones after their answer, at the latest after the drain time.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::body::Answer;
use crate::guard::Source;
use crate::metrics::Connected;
use crate::settings::ConnectionLimits;
use crate::timed_io::TimedIo;

/// Who is at the other end of a connection, and where he came in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    /// The client's address.
    pub(crate) client: SocketAddr,
    /// Our address.
    pub(crate) server: SocketAddr,
}

/// What a listener hands requests to.
pub(crate) trait Handler: Send + Sync + 'static {
    /// Answers one request of a connection.
    fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: Arc<Connection>,
    ) -> impl Future<Output = Response<Answer>> + Send;

    /// A connection was opened; it counts until the returned value is dropped.
    fn connected(&self) -> Connected;
}

/// What is remembered of a connection from one request to the next.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Both ends.
    pub(crate) peer: Peer,
    /// Whether its last request was refused for `MaxConcurrency` (T7).
    pub(crate) refused: std::sync::atomic::AtomicBool,
}

/// The bounds that all listeners share.
#[derive(Debug)]
pub(crate) struct Gate {
    limits: ConnectionLimits,
    places: Arc<Semaphore>,
    addresses: Mutex<HashMap<Source, usize>>,
}

impl Gate {
    pub(crate) fn new(limits: ConnectionLimits) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)));
        Arc::new(Self { limits, places, addresses: Mutex::default() })
    }

    /// Takes a place for one more connection of `address`; none where it has as many as it may.
    fn enter(self: &Arc<Self>, address: IpAddr, place: OwnedSemaphorePermit) -> Option<Place> {
        let source = Source::of(address);
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let count = addresses.entry(source).or_default();
        if *count >= self.limits.connections_per_address {
            return None;
        }
        *count += 1;
        drop(addresses);
        Some(Place { gate: Arc::clone(self), source, _among_all: place })
    }
}

/// A connection's place; it is given back on every way out.
#[derive(Debug)]
struct Place {
    gate: Arc<Gate>,
    source: Source,
    _among_all: OwnedSemaphorePermit,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut addresses = self.gate.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = addresses.get_mut(&self.source) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                addresses.remove(&self.source);
            }
        }
    }
}

/// Accepts connections until `stop` turns true, then waits until all have ended.
pub(crate) async fn serve<H: Handler>(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    gate: Arc<Gate>,
    handler: Arc<H>,
    mut stop: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok(place) = Arc::clone(&gate.places).acquire_owned().await else { break };
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, client)) => {
                let Some(place) = gate.enter(client.ip(), place) else {
                    tracing::debug!(%client, "connection closed: its address has connections_per_address already");
                    continue;
                };
                let served =
                    serve_connection(stream, client, tls.clone(), place, Arc::clone(&handler), stop.clone());
                connections.spawn(served);
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

async fn serve_connection<H: Handler>(
    stream: TcpStream,
    client: SocketAddr,
    tls: Option<TlsAcceptor>,
    place: Place,
    handler: Arc<H>,
    stop: watch::Receiver<bool>,
) {
    let Ok(server) = stream.local_addr() else { return };
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let limits = &place.gate.limits;
    let peer = Peer { client, server };
    let _connected = handler.connected();
    let outcome = match tls {
        None => serve_http(stream, peer, limits, &handler, stop).await,
        Some(tls) => match tokio::time::timeout(limits.tls_handshake, tls.accept(stream)).await {
            Ok(Ok(stream)) => serve_http(stream, peer, limits, &handler, stop).await,
            Ok(Err(error)) => {
                tracing::debug!(%client, %error, "TLS handshake failed");
                Ok(())
            }
            Err(_) => {
                tracing::debug!(%client, "TLS handshake took longer than tls_handshake");
                Ok(())
            }
        },
    };
    if let Err(error) = outcome {
        tracing::debug!(%client, %error, "connection ended");
    }
}

async fn serve_http<H: Handler, S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    peer: Peer,
    limits: &ConnectionLimits,
    handler: &Arc<H>,
    mut stop: watch::Receiver<bool>,
) -> Result<(), hyper::Error> {
    let connection = Arc::new(Connection { peer, refused: false.into() });
    let service = service_fn(|request| {
        let answer = Arc::clone(handler).handle(request, Arc::clone(&connection));
        async move { Ok::<_, std::convert::Infallible>(answer.await) }
    });
    let io = TokioIo::new(TimedIo::new(stream, limits.first_byte_time, limits.write_idle_time));
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.idle_time)
            .max_headers(limits.headers)
            .max_header_size(limits.head_bytes)
            .max_buf_size(limits.head_bytes.max(MIN_BUFFER))
            .serve_connection(io, service)
    );
    tokio::select! {
        outcome = connection.as_mut() => return outcome,
        _ = stop.wait_for(|stop| *stop) => connection.as_mut().graceful_shutdown(),
    }
    connection.await
}

/// The smallest buffer that hyper takes.
const MIN_BUFFER: usize = 8 << 10;
