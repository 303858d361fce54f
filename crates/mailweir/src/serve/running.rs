//! What serves, from the first connection to the last.
//!
//! Told to stop, all of it closes its listeners at once and finishes what runs, each within the drain time. A server that
//! shares its listening sockets ends mail first: its successor cannot open the durable queue before this one has closed
//! it, and meanwhile requests are served here.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};
use weir_mta::Mta;

use super::lock::Lock;

/// Whether clients and mail are well sent here; if not, why.
pub(super) type Ready = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// The tasks that serve.
pub(super) struct Running {
    pub(super) gateway: JoinHandle<()>,
    pub(super) mail: Option<JoinHandle<()>>,
    pub(super) admin: Option<JoinHandle<()>>,
}

/// Who is told to stop, and when.
pub(super) struct Stop {
    /// Mail, and whoever asks whether the server is ready.
    first: watch::Sender<bool>,
    /// Everything else.
    rest: watch::Sender<bool>,
}

impl Stop {
    /// Nobody is told yet. Behind it, what mail listens to and what the rest does.
    pub(super) fn new() -> (Self, watch::Receiver<bool>, watch::Receiver<bool>) {
        let (first, mail) = watch::channel(false);
        let (rest, others) = watch::channel(false);
        (Self { first, rest }, mail, others)
    }

    /// Mail ends.
    fn mail(&self) {
        self.first.send_replace(true);
    }

    /// Everything ends.
    fn all(&self) {
        self.first.send_replace(true);
        self.rest.send_replace(true);
    }
}

impl Running {
    /// What may be at its end only when the server stops.
    pub(super) fn handles(&self) -> Vec<AbortHandle> {
        let all = std::iter::once(&self.gateway).chain(&self.mail).chain(&self.admin);
        all.map(JoinHandle::abort_handle).collect()
    }

    /// Whether a load balancer should send anything here (H14): not when the server is told to stop, when one of `serving`
    /// has died, nor while `transport` takes no mail.
    pub(super) fn ready(
        serving: Vec<AbortHandle>,
        transport: Option<&Arc<Mta>>,
        stopping: watch::Receiver<bool>,
    ) -> Ready {
        let transport = transport.map(Arc::downgrade).unwrap_or_default();
        Arc::new(move || {
            if *stopping.borrow() {
                return Err("the server stops".to_owned());
            }
            if serving.iter().any(AbortHandle::is_finished) {
                return Err("a listener has died; look into the server's log, and start it again".to_owned());
            }
            transport.upgrade().map_or(Ok(()), |transport| transport.readiness())
        })
    }

    /// Has everything end, and is done when it has. A `lock` that a successor waits for is let go once it can have the durable
    /// queue and nothing is accepted here any more.
    pub(super) async fn end(
        mut self,
        stop: Stop,
        transport: Option<&Arc<Mta>>,
        lock: Option<&mut Option<Lock>>,
    ) {
        if lock.is_some() {
            stop.mail();
            if let Some(mail) = self.mail.take() {
                let _ = mail.await;
            }
            if let Some(transport) = transport {
                transport.close().await;
            }
        }
        stop.all();
        if let Some(lock) = lock {
            *lock = None;
        }
        for task in [Some(self.gateway), self.mail, self.admin].into_iter().flatten() {
            let _ = task.await;
        }
    }
}
