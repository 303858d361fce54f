//! What the system tells the server: stop, or read the configuration again.

use std::io;

use tokio::signal::unix::{self, SignalKind, signal};

/// A wish from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// SIGTERM or Ctrl-C.
    Stop,
    /// SIGHUP.
    Reload,
}

/// The signals that the server hears.
pub(super) struct Signals {
    terminate: unix::Signal,
    interrupt: unix::Signal,
    hang_up: unix::Signal,
}

impl Signals {
    /// Listens from here on; earlier signals did what they usually do.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// The next signal.
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::Stop,
            _ = self.interrupt.recv() => Signal::Stop,
            _ = self.hang_up.recv() => Signal::Reload,
        }
    }

    /// The next signal that says stop; others are let pass.
    pub(super) async fn stop(&mut self) {
        while self.next().await != Signal::Stop {}
    }
}
