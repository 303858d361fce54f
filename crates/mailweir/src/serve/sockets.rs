//! Listening sockets that somebody else opened, and keeps, while servers come and go.
//!
//! systemd's protocol: `LISTEN_FDS` counts the sockets, `LISTEN_FDNAMES` names them. Since the socket outlives the
//! process, a restart refuses nobody: whoever connects between two servers waits in the socket's queue. A server with
//! such sockets may also be started while the one before still runs, and takes over when that is told to stop.
//!
//! A socket that is given is used instead of the address in the configuration; listeners that none is given for are
//! bound as usual.

use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;

use listenfd::ListenFd;

/// The listeners that may be given.
const NAMES: [&str; 5] = ["http", "https", "admin", "smtp", "submission"];
/// The variable that holds the names, with colons between them.
const VARIABLE: &str = "LISTEN_FDNAMES";

/// The sockets that were given, by their listeners' names.
pub(super) type Sockets = BTreeMap<&'static str, TcpListener>;

/// What was given is not what the server can use.
#[derive(Debug, thiserror::Error)]
pub(super) enum SocketsError {
    /// The names are fewer or more than the sockets.
    #[error(
        "{sockets} listening sockets were given and {names} names for them in LISTEN_FDNAMES; name each of them http, \
         https, admin, smtp or submission (systemd: FileDescriptorName=)"
    )]
    Count {
        /// How many sockets there are.
        sockets: usize,
        /// How many names.
        names: usize,
    },
    /// A name means no listener.
    #[error(
        "a listening socket named {name:?} was given, and there is no such listener; name it http, https, \
         admin, smtp or submission (systemd: FileDescriptorName=)"
    )]
    Unknown {
        /// Its name.
        name: String,
    },
    /// Two sockets for one listener.
    #[error("two listening sockets named {name} were given; give one")]
    Twice {
        /// Their name.
        name: &'static str,
    },
    /// What was given cannot be listened on.
    #[error("the listening socket named {name} cannot be used: {source}; give a TCP socket that listens")]
    Unusable {
        /// Its name.
        name: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

/// Takes the sockets that the environment tells of. To be called once, and before there is a second thread: it takes
/// the variables out of the environment.
pub(super) fn take() -> Result<Sockets, SocketsError> {
    let names = std::env::var(VARIABLE).unwrap_or_default();
    let mut given = ListenFd::from_env();
    if given.len() == 0 {
        return Ok(Sockets::new());
    }
    let names = listeners(&names, given.len())?;
    let mut sockets = Sockets::new();
    for (place, name) in names.into_iter().enumerate() {
        let unusable = |source| SocketsError::Unusable { name, source };
        let socket = given.take_tcp_listener(place).map_err(unusable)?;
        let socket = socket.ok_or_else(|| unusable(io::ErrorKind::NotFound.into()))?;
        sockets.insert(name, socket);
    }
    Ok(sockets)
}

/// The listeners that `names` means, one for each of so many sockets.
fn listeners(names: &str, sockets: usize) -> Result<Vec<&'static str>, SocketsError> {
    let names: Vec<&str> = names.split(':').filter(|name| !name.is_empty()).collect();
    if names.len() != sockets {
        return Err(SocketsError::Count { sockets, names: names.len() });
    }
    let mut listeners = Vec::new();
    for name in names {
        let known = NAMES.into_iter().find(|known| *known == name);
        let known = known.ok_or_else(|| SocketsError::Unknown { name: name.to_owned() })?;
        if listeners.contains(&known) {
            return Err(SocketsError::Twice { name: known });
        }
        listeners.push(known);
    }
    Ok(listeners)
}

#[cfg(test)]
mod tests;
