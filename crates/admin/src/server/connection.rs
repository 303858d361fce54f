//! Connections: so many at a time, each for so long.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::{AdminSettings, AdminState, router};

/// How long no connection is accepted after accepting failed, for want of descriptors as a rule.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves the API on `listener` until `stop` is done; requests that run then end within
/// [`AdminSettings::grace`].
pub async fn serve(listener: TcpListener, state: Arc<AdminState>, stop: impl Future<Output = ()>) {
    let settings = state.settings;
    let (stopping, stopped) = watch::channel(());
    let router = router(state, stopped.clone());
    let places = Arc::new(Semaphore::new(settings.max_connections));
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let next = async {
            // The semaphore is never closed, so a place is always found in the end.
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = &mut stop => break,
            next = next => next,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                let connection = connection(stream, router.clone(), settings, stopped.clone());
                connections.spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "the admin listener cannot accept a connection");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    drop(stopping);
    while connections.join_next().await.is_some() {}
}

/// Serves one connection until it ends, its lifetime is over or the server stops.
async fn connection(
    stream: TcpStream,
    router: Router,
    settings: AdminSettings,
    mut stopped: watch::Receiver<()>,
) {
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(settings.arrival)
        .max_buf_size(settings.max_head)
        .max_headers(settings.max_headers)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut served = pin!(served);
    let ended = tokio::select! {
        ended = &mut served => Some(ended),
        // The sender never sends; it is dropped when the server stops.
        _ = stopped.changed() => None,
        () = sleep(settings.lifetime) => None,
    };
    let ended = if let Some(ended) = ended {
        ended
    } else {
        served.as_mut().graceful_shutdown();
        timeout(settings.grace, served).await.unwrap_or(Ok(()))
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "an admin connection broke");
    }
}
