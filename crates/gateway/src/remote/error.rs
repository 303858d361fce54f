//! Why a remote origin cannot be set up.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::server_url::ServerUrl;

/// Why a remote origin cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// It has no server.
    #[error("a remote origin needs at least one server in `http`")]
    NoServer,
    /// A server's name cannot be looked up.
    #[error("the name of {server} cannot be looked up: {reason}")]
    Unresolvable {
        /// The server.
        server: ServerUrl,
        /// What the system says.
        reason: io::Error,
    },
    /// A server's name has no address.
    #[error("the name of {server} has no address")]
    NoAddress {
        /// The server.
        server: ServerUrl,
    },
    /// Two servers are the same one.
    #[error("{server} is at {address}, as another server of this origin is")]
    Twice {
        /// The second one.
        server: ServerUrl,
        /// Where both are.
        address: SocketAddr,
    },
    /// No TLS certificate can be valid for a server's name.
    #[error("{server} is not a name that a certificate can be valid for")]
    Name {
        /// The server.
        server: ServerUrl,
    },
    /// A file of trusted certificates cannot be read.
    #[error("{} cannot be read: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// A file of trusted certificates is too long to be one.
    #[error("{} is longer than the {limit} bytes that are read of it", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The bound.
        limit: u64,
    },
    /// A file of trusted certificates holds none, or one that cannot be used.
    #[error("{} holds no usable certificate: {reason}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The cryptography offers no TLS version.
    #[error("TLS cannot be set up: {0}")]
    Configuration(rustls::Error),
    /// The servers cannot be targets.
    #[error(transparent)]
    Selector(#[from] weir_balance::SelectorError),
}
