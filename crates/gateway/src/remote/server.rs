//! One server of a remote origin, and how a connection to it comes about.
//!
//! A server that is named by an address is connected to there; one that has a name is looked up for each connection,
//! so that a change in DNS needs no restart. What the selector knows it by is the address that it had at the start.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use weir_balance::Failure as How;

use super::error::RemoteError;
use super::failure::{Failure, FailureKind};
use super::server_url::ServerUrl;
use super::settings::RemoteSettings;
use crate::mapi::rpc_server::RpcServer;

/// One server, and what a connection to it may take.
pub(crate) struct Server {
    /// Where it is, as the selector knows it.
    pub(crate) address: SocketAddr,
    /// As the configuration names it.
    pub(crate) url: ServerUrl,
    /// How fast it carries out MAPI requests.
    pub(crate) rpc: Arc<RpcServer>,
    /// Bytes of an answer's head.
    pub(super) head_bytes: usize,
    /// Header fields of an answer.
    pub(super) headers: usize,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    places: Arc<Semaphore>,
    bound: usize,
    connect_time: Duration,
    tls_handshake: Duration,
}

/// A connection that came about.
pub(super) enum Connected {
    /// Without TLS.
    Plain(TcpStream),
    /// By TLS.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Server {
    /// The server `url` at `address`; `tls` says whom to trust where it is reached by TLS.
    ///
    /// # Errors
    /// [`RemoteError::Name`] where its host can be in no certificate.
    pub(super) fn new(
        url: &ServerUrl,
        address: SocketAddr,
        tls: Option<&Arc<ClientConfig>>,
        settings: &RemoteSettings,
    ) -> Result<Self, RemoteError> {
        let tls = match tls.filter(|_| url.is_secure()) {
            Some(config) => {
                let name = ServerName::try_from(url.host().to_owned());
                let name = name.map_err(|_| RemoteError::Name { server: url.clone() })?;
                Some((TlsConnector::from(Arc::clone(config)), name))
            }
            None => None,
        };
        let bound = settings.connections_per_server.min(Semaphore::MAX_PERMITS);
        Ok(Self {
            address,
            url: url.clone(),
            rpc: Arc::new(RpcServer::new(url.to_string())),
            head_bytes: settings.head_bytes,
            headers: settings.headers,
            tls,
            places: Arc::new(Semaphore::new(bound)),
            bound,
            connect_time: settings.connect_time,
            tls_handshake: settings.tls_handshake,
        })
    }

    /// Connections that are open, busy and idle ones.
    #[cfg(test)]
    pub(crate) fn connections(&self) -> usize {
        self.bound.saturating_sub(self.places.available_permits())
    }

    /// Connects, and shakes hands where it is to be TLS. The place is to be held until the connection is closed.
    pub(super) async fn connect(&self) -> Result<(Connected, OwnedSemaphorePermit), Failure> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| self.failure(FailureKind::TooMany { bound: self.bound }))?;
        let stream = self.connect_tcp().await?;
        let Some((connector, name)) = &self.tls else { return Ok((Connected::Plain(stream), place)) };
        let handshake = connector.connect(name.clone(), stream);
        match tokio::time::timeout(self.tls_handshake, handshake).await {
            Ok(Ok(stream)) => Ok((Connected::Tls(Box::new(stream)), place)),
            Ok(Err(error)) => Err(self.refused(How::Handshake, error.to_string())),
            Err(_) => Err(self.refused(How::Handshake, "it took longer than tls_handshake".to_owned())),
        }
    }

    async fn connect_tcp(&self) -> Result<TcpStream, Failure> {
        let stream = match tokio::time::timeout(self.connect_time, self.dial()).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(self.refused(How::of(&error), error.to_string())),
            Err(_) => return Err(self.refused(How::TimedOut, "it took longer than connect_time".to_owned())),
        };
        stream.set_nodelay(true).map_err(|error| self.refused(How::of(&error), error.to_string()))?;
        Ok(stream)
    }

    async fn dial(&self) -> io::Result<TcpStream> {
        match self.url.ip() {
            Some(_) => TcpStream::connect(self.address).await,
            None => TcpStream::connect((self.url.host(), self.url.port())).await,
        }
    }

    fn refused(&self, failure: How, detail: String) -> Failure {
        self.failure(FailureKind::Connect { failure, detail })
    }

    fn failure(&self, kind: FailureKind) -> Failure {
        Failure::unsent(Some(self.address), kind)
    }
}
