//! Where mail comes in, as it really is.
//!
//! A socket that was given is used instead of the address in the configuration, and port 0 is one that the system
//! chooses. Either way the transport has to know the address that clients reach: connectors are told apart by it.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};

use weir_mta::settings::Settings;
use weir_transport::receive::{Connectors, ReceiveConnector, ReceiveError};

use crate::serve::sockets::Sockets;

/// Sockets that are open already, by their addresses.
pub(in crate::serve) type Opened = BTreeMap<SocketAddr, TcpListener>;

/// A listener that cannot be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum ListenersError {
    /// No port is to be had.
    #[error("cannot listen on {address} for receive connector {name:?}: {source}; choose another address")]
    Bind {
        /// The connector.
        name: String,
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// Two connectors came to share an address.
    #[error("with the listening sockets that were given: {0}")]
    Together(#[from] ReceiveError),
}

/// Takes sockets out of `given` for the connectors of `settings`, opens those whose ports the system chooses, and has
/// `settings` say where all of them really listen.
pub(super) fn settle(settings: &mut Settings, given: &mut Sockets) -> Result<Opened, ListenersError> {
    let mut opened = Opened::new();
    let mut moved: BTreeMap<SocketAddr, SocketAddr> = BTreeMap::new();
    let mut connectors: Vec<ReceiveConnector> = settings.receive.iter().cloned().collect();
    for connector in &mut connectors {
        let name = connector.name.to_string();
        for binding in &mut connector.bindings {
            let address = *binding;
            let failed = |source| ListenersError::Bind { name: name.clone(), address, source };
            let socket = match given.remove(listener_of(&name)) {
                Some(socket) => socket,
                None if address.port() == 0 => TcpListener::bind(address).map_err(failed)?,
                None => continue,
            };
            let real = socket.local_addr().map_err(failed)?;
            opened.insert(real, socket);
            *binding = real;
            if address.port() != 0 {
                moved.insert(address, real);
            }
        }
    }
    for binding in connectors.iter_mut().flat_map(|connector| &mut connector.bindings) {
        *binding = moved.get(binding).copied().unwrap_or(*binding);
    }
    // What own servers are behind was checked with the configuration.
    settings.receive = Connectors::new(connectors, &[])?;
    settings.routing.bindings = settings.receive.bindings();
    Ok(opened)
}

/// What a socket for the connector of that name is called.
fn listener_of(connector: &str) -> &str {
    if connector == "default" { "smtp" } else { connector }
}

#[cfg(test)]
mod tests;
