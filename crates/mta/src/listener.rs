//! Connections to receive connectors: accepted within their bounds, served, ended in good order (H13, H14).
//!
//! One task a connection. A trusted proxy's says first whose it is, where the PROXY protocol is switched on; then the
//! connector is chosen, which may have no place. When the transport is told to stop, nothing more is accepted, sessions
//! end after the command under way, and those that are in the middle of a message have the drain time to finish it.

mod announcement;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use weir_transport::receive::Words;
use weir_wire::proxy::Announced;

use crate::inbound::Inbound;
use crate::session::{Client, Session};
use crate::words;

/// Connections of one listener beyond those that connectors let in: they are being refused, or have not said yet whose
/// they are.
const AT_THE_DOOR: usize = 1_000;

/// How long the one line of a refused connection may take; a socket that was just opened has room for it.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Accepts connections until `stop` turns true; returns when all sessions have ended.
///
/// `binding` is what the connectors call this listener. The socket may be bound elsewhere: to a port that was free, or where
/// a service manager that handed it over was told.
pub(crate) async fn serve(
    listener: TcpListener,
    binding: SocketAddr,
    inbound: Arc<Inbound>,
    mut stop: watch::Receiver<bool>,
) {
    let most = inbound.most_connections().saturating_add(AT_THE_DOOR).min(Semaphore::MAX_PERMITS);
    let room = Arc::new(Semaphore::new(most));
    let mut sessions = JoinSet::new();
    loop {
        while sessions.try_join_next().is_some() {}
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            accepted = accept(&listener, &room) => accepted,
        };
        match accepted {
            Ok((stream, from, place)) => {
                let (inbound, stop) = (Arc::clone(&inbound), stop.clone());
                sessions.spawn(async move {
                    let _place = place;
                    let_in(stream, Ends { binding, from }, inbound, stop).await;
                });
            }
            Err(error) => pause_after(&error).await,
        }
    }
    drop(listener);
    let drained = async { while sessions.join_next().await.is_some() {} };
    let drain = Duration::from(inbound.works.settings.drain);
    if tokio::time::timeout(drain, drained).await.is_err() {
        tracing::warn!(after = ?drain, "SMTP sessions cut off: they took longer than the drain time");
    }
}

/// The next connection, once there is room for it.
async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(room).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, from) = listener.accept().await?;
    Ok((stream, from, place))
}

/// A failed accept concerns one connection (it is gone already) or the process (it has no descriptor left): the latter
/// would fail again at once.
async fn pause_after(error: &io::Error) {
    tracing::warn!(%error, "an SMTP connection could not be accepted");
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Both ends of a connection.
#[derive(Clone, Copy, Debug)]
struct Ends {
    binding: SocketAddr,
    from: SocketAddr,
}

/// Serves a connection to its end.
async fn let_in(
    mut stream: TcpStream,
    Ends { binding, from }: Ends,
    inbound: Arc<Inbound>,
    mut stop: watch::Receiver<bool>,
) {
    let Ok(local) = stream.local_addr() else { return };
    let reached =
        if binding.ip().is_unspecified() { SocketAddr::new(local.ip(), binding.port()) } else { binding };
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let proxies = &inbound.works.settings.proxies;
    let (announced, early) = if proxies.proxy_protocol && proxies.trusted.trusts(from.ip()) {
        let read = tokio::select! {
            read = announcement::read(&mut stream) => read,
            _ = stop.wait_for(|stop| *stop) => return,
        };
        match read {
            Ok(read) => read,
            Err(error) => return error.log(from),
        }
    } else {
        (Announced::Local, Vec::new())
    };
    let client = match announced {
        Announced::Proxied { client, .. } => Client { address: client.ip().to_canonical(), is_proxied: true },
        Announced::Local => Client { address: from.ip().to_canonical(), is_proxied: false },
    };
    match inbound.admit(reached, client.address) {
        Ok(place) => Session::new(stream, early, client, place, stop).run().await,
        Err(words) => refuse(stream, words).await,
    }
}

/// Says so in one write, and hangs up.
async fn refuse(mut stream: TcpStream, words: Words) {
    let mut line = Vec::new();
    words::reply(words).write(&mut line);
    let written = tokio::time::timeout(LAST_WORDS, stream.write_all(&line)).await;
    if !matches!(written, Ok(Ok(()))) {
        tracing::debug!("a refused SMTP connection has gone");
    }
}
