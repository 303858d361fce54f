//! A connection is made: the socket, then all that is said before the first message.
//!
//! Which failures speak about the target is H4's: those of the socket, and a peer that closes, stays silent or says 421
//! where its banner belongs. Whatever goes wrong behind a banner is no word about the target's health. Where encryption
//! is a matter of opportunity, a peer that offers it and cannot do it is called once more, without.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio::time::timeout;
use weir_balance::Failure;
use weir_transport::Domain;
use weir_transport::queue::Stage;

use super::acquaintance::Acquaintance;
use super::connection::Connection;
use super::link::Io;
use super::trust::Trust;
use super::{OpenError, Way};
use crate::settings::{SendSettings, TlsPolicy};

/// Why no connection can be made to anybody.
#[derive(Debug, thiserror::Error)]
pub enum DialerError {
    /// TLS cannot be set up.
    #[error("TLS for outgoing mail cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// Makes connections to targets.
pub(crate) struct Dialer {
    pub(super) host_name: Domain,
    pub(super) settings: Arc<SendSettings>,
    pub(super) trust: Trust,
}

/// Who is called.
#[derive(Clone, Copy)]
pub(super) struct Callee<'a> {
    pub(super) address: SocketAddr,
    pub(super) name: &'a str,
}

impl Dialer {
    /// A dialer that calls itself `host_name`, and reads the system's certificate authorities from the disk.
    ///
    /// # Errors
    /// Where TLS cannot be set up.
    pub(crate) fn new(host_name: Domain, settings: SendSettings) -> Result<Self, DialerError> {
        let verified = settings.tls.iter().any(|(_, policy)| *policy == TlsPolicy::Verified);
        Ok(Self { host_name, settings: Arc::new(settings), trust: Trust::of_system(verified)? })
    }

    /// A connection to the target called `target_name` at `address`, over which messages may be sent.
    ///
    /// # Errors
    /// [`OpenError`]; whether it marks the target is [`OpenError::marks`].
    pub(crate) async fn open(
        &self,
        address: SocketAddr,
        target_name: &str,
        way: &Way,
    ) -> Result<Connection, OpenError> {
        let callee = Callee { address, name: target_name };
        let first = self.greet(self.connect(address).await?, callee, way, way.tls).await;
        match first {
            Err(error) if way.tls == TlsPolicy::Opportunistic && error.failure == Failure::Handshake => {
                tracing::debug!(%address, %error, "called again without TLS");
                self.greet(self.connect(address).await?, callee, way, TlsPolicy::Off).await
            }
            Ok(_) | Err(_) => first,
        }
    }

    /// All that is said over a new connection before the first message.
    pub(super) async fn greet(
        &self,
        stream: Box<dyn Io>,
        callee: Callee<'_>,
        way: &Way,
        tls: TlsPolicy,
    ) -> Result<Connection, OpenError> {
        Acquaintance::new(self, stream, callee, way, tls).make().await
    }

    async fn connect(&self, address: SocketAddr) -> Result<Box<dyn Io>, OpenError> {
        let connecting = timeout(self.settings.connect_timeout.into(), TcpStream::connect(address)).await;
        let stream = match connecting {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                let failure = Failure::of(&error);
                return Err(failed(
                    failure,
                    &if failure == Failure::Other { error.to_string() } else { failure.to_string() },
                ));
            }
            Err(_) => return Err(failed(Failure::TimedOut, Failure::TimedOut.text())),
        };
        // Commands and small messages are one write each, and nothing is gained by holding them back.
        drop(stream.set_nodelay(true));
        Ok(Box::new(stream))
    }
}

fn failed(failure: Failure, text: &str) -> OpenError {
    OpenError { failure, reply: None, stage: Stage::Banner, text: text.into(), connected: false }
}
