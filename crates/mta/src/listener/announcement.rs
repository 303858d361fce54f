//! Reading whose connection it is from the front of a trusted proxy's connection (H13).

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use weir_wire::proxy::{Announced, DEFAULT_MAX_EXTENSIONS, Progress, ProxyError, ProxyReader};

/// How long the header of a connection may take: the proxy writes it before anything else.
pub(super) const ANNOUNCEMENT_TIME: Duration = Duration::from_secs(10);

/// Bytes that are read together.
const PIECE: usize = 512;

/// Why nobody knows whose connection it is; it is closed without an answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum AnnouncementError {
    /// It begins otherwise.
    #[error("a trusted proxy's connection does not begin with a PROXY header: {0}")]
    Malformed(#[from] ProxyError),
    /// It ended before, as health checks of balancers do.
    #[error("the connection ended before its PROXY header did")]
    Ended,
    /// It took too long.
    #[error("the PROXY header took longer than {ANNOUNCEMENT_TIME:?}")]
    Late,
    /// It broke.
    #[error("the connection broke before its PROXY header ended: {0}")]
    Broken(#[from] io::Error),
}

impl AnnouncementError {
    /// A proxy that is set otherwise than we are is worth a warning; the rest happens.
    pub(super) fn log(&self, proxy: SocketAddr) {
        match self {
            Self::Malformed(_) => {
                tracing::warn!(%proxy, error = %self, "SMTP connection closed; see listen.proxy_protocol");
            }
            Self::Ended | Self::Late | Self::Broken(_) => {
                tracing::debug!(%proxy, error = %self, "SMTP connection closed");
            }
        }
    }
}

/// Takes the header off the front of `stream`. Bytes behind it are the client's, who has spoken before he was greeted.
pub(super) async fn read(
    stream: &mut (impl AsyncRead + Unpin),
) -> Result<(Announced, Vec<u8>), AnnouncementError> {
    let whole = tokio::time::timeout(ANNOUNCEMENT_TIME, take(stream));
    whole.await.map_err(|_elapsed| AnnouncementError::Late)?
}

async fn take(stream: &mut (impl AsyncRead + Unpin)) -> Result<(Announced, Vec<u8>), AnnouncementError> {
    let mut reader = ProxyReader::new(DEFAULT_MAX_EXTENSIONS);
    let mut piece = [0; PIECE];
    loop {
        let read = stream.read(&mut piece).await?;
        if read == 0 {
            return Err(AnnouncementError::Ended);
        }
        let piece = piece.get(..read).unwrap_or_default();
        if let Progress::Done { announced, used } = reader.feed(piece)? {
            return Ok((announced, piece.get(used..).unwrap_or_default().to_vec()));
        }
    }
}
