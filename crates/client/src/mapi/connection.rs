//! Connections to one server: TCP, TLS where the URL says so, HTTP/1.1.

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::endpoint::Endpoint;
use super::error::MapiError;

/// The most bytes of an answer's head.
const MAX_HEAD: usize = 64 * 1024;

/// The most headers of an answer.
const MAX_HEADERS: usize = 100;

/// How connections are made.
pub(super) enum Dial {
    /// By TCP.
    Plain,
    /// With TLS over it.
    Secure(Arc<ClientConfig>),
    /// To a server in the same process, where time can be pretended.
    #[cfg(test)]
    Within(tokio::sync::mpsc::UnboundedSender<tokio::io::DuplexStream>),
}

/// Over which requests go, one at a time. The connection is closed when this is dropped.
pub(super) type Sender = SendRequest<Full<Bytes>>;

/// Opens a connection within `limit`.
pub(super) async fn open(endpoint: &Endpoint, dial: &Dial, limit: Duration) -> Result<Sender, MapiError> {
    let opened = timeout(limit, opened(endpoint, dial)).await;
    opened.map_err(|_| MapiError::Silent { server: endpoint.authority(), limit })?
}

async fn opened(endpoint: &Endpoint, dial: &Dial) -> Result<Sender, MapiError> {
    let tls = match dial {
        Dial::Plain => return speak(endpoint, connected(endpoint).await?).await,
        Dial::Secure(tls) => tls,
        #[cfg(test)]
        Dial::Within(server) => return speak(endpoint, super::scripted::within(server)).await,
    };
    let stream = connected(endpoint).await?;
    let failed = |why: String| MapiError::Tls { server: endpoint.authority(), why };
    let name = ServerName::try_from(endpoint.host().to_owned()).map_err(|why| failed(why.to_string()))?;
    let connector = TlsConnector::from(Arc::clone(tls));
    let stream = connector.connect(name, stream).await.map_err(|why| failed(why.to_string()))?;
    speak(endpoint, stream).await
}

/// The first address that takes the connection.
async fn connected(endpoint: &Endpoint) -> Result<TcpStream, MapiError> {
    let failed = |why: String| MapiError::Unreachable { server: endpoint.authority(), why };
    let addresses = lookup_host((endpoint.host(), endpoint.port())).await;
    let mut last = "its name has no address".to_owned();
    for address in addresses.map_err(|why| failed(why.to_string()))? {
        if !endpoint.is_secure() && !address.ip().is_loopback() {
            return Err(MapiError::Insecure { host: endpoint.host().to_owned() });
        }
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // What cannot be set costs a few milliseconds.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(why) => last = why.to_string(),
        }
    }
    Err(failed(last))
}

async fn speak<S>(endpoint: &Endpoint, stream: S) -> Result<Sender, MapiError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let handshake = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .handshake(TokioIo::new(stream))
        .await;
    let failed =
        |why: hyper::Error| MapiError::Unreachable { server: endpoint.authority(), why: why.to_string() };
    let (sender, connection) = handshake.map_err(failed)?;
    // It ends when the sender is dropped, or when the server hangs up; whoever waits for an answer hears of that.
    tokio::spawn(connection);
    Ok(sender)
}
