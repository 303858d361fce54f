//! Telling the service manager how far the server is, as systemd's `Type=notify` and `WatchdogSec=` ask for.
//!
//! One datagram a state, to the socket that the environment names; without that there is nobody to tell. A manager
//! that does not listen costs a line in the log and nothing else: the server serves all the same.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The variable that names the manager's socket: a path, or `@` and an abstract name.
const VARIABLE: &str = "NOTIFY_SOCKET";

/// How far the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Every listener is bound.
    Ready,
    /// It serves still, and is not to be killed.
    Alive,
    /// What runs is finished, then it ends.
    Stopping,
}

impl State {
    const fn message(self) -> &'static [u8] {
        match self {
            Self::Ready => b"READY=1",
            Self::Alive => b"WATCHDOG=1",
            Self::Stopping => b"STOPPING=1",
        }
    }
}

/// Tells the manager, where there is one.
pub(super) fn tell(state: State) {
    let Some(socket) = std::env::var_os(VARIABLE).filter(|socket| !socket.is_empty()) else { return };
    if let Err(error) = send(&socket, state) {
        tracing::warn!(?socket, %error, "the service manager could not be told: {state:?}");
    }
}

fn send(socket: &OsStr, state: State) -> io::Result<()> {
    let address = match socket.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        path => SocketAddr::from_pathname(OsStr::from_bytes(path))?,
    };
    let message = state.message();
    let sent = UnixDatagram::unbound()?.send_to_addr(message, &address)?;
    if sent == message.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

#[cfg(test)]
mod tests;
