//! The connection, before and after STARTTLS.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// A connection. Dropping what reads from it loses no byte.
pub(super) enum Channel<S> {
    /// As it was opened.
    Plain(S),
    /// With TLS.
    Secured(Box<TlsStream<S>>),
    /// Nothing, while and after a handshake fails.
    Gone,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Channel<S> {
    /// The next bytes, of which there are none at the end.
    pub(super) async fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(into).await,
            Self::Secured(stream) => stream.read(into).await,
            Self::Gone => Ok(0),
        }
    }

    /// Sends all of `bytes`.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.write_all(bytes).await,
            Self::Secured(stream) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
            Self::Gone => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    /// Agrees on TLS, as its server.
    pub(super) async fn secure(&mut self, config: Arc<rustls::ServerConfig>) -> io::Result<()> {
        if let Self::Plain(stream) = std::mem::replace(self, Self::Gone) {
            *self = Self::Secured(Box::new(TlsAcceptor::from(config).accept(stream).await?));
        }
        Ok(())
    }

    /// Ends the connection so that the client reads all that it was sent: what it still sends is read, for so long and
    /// so many bytes.
    pub(super) async fn close(&mut self, linger: Duration, most: usize) {
        let ended = async {
            match self {
                Self::Plain(stream) => stream.shutdown().await?,
                Self::Secured(stream) => stream.shutdown().await?,
                Self::Gone => {}
            }
            let (mut piece, mut total) = ([0; 1024], 0);
            while total < most {
                match self.read(&mut piece).await? {
                    0 => break,
                    read => total += read,
                }
            }
            Ok::<(), io::Error>(())
        };
        if let Ok(Err(error)) = tokio::time::timeout(linger, ended).await {
            tracing::trace!(%error, "the client hung up first");
        }
    }
}
