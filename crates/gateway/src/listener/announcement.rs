//! Reading whose connection it is from the front of a trusted proxy's connection.
//!
//! The header is looked at before it is taken out of the socket, so that not a byte behind it is touched: TLS or HTTP
//! begins where it ends.

use std::io;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use weir_wire::proxy::{Announced, DEFAULT_MAX_EXTENSIONS, Progress, ProxyError, ProxyReader};

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
    #[error("the PROXY header took longer than first_byte_time")]
    Late,
    /// It broke.
    #[error("the connection broke before its PROXY header ended: {0}")]
    Broken(#[from] io::Error),
}

/// Bytes that are looked at together: the longest header without extensions, twice.
const PIECE: usize = 512;

/// Takes the header off the front of `stream`, which has to come whole `within` this time.
pub(super) async fn read(stream: &mut TcpStream, within: Duration) -> Result<Announced, AnnouncementError> {
    let whole = tokio::time::timeout(within, take(stream));
    whole.await.map_err(|_elapsed| AnnouncementError::Late)?
}

async fn take(stream: &mut TcpStream) -> Result<Announced, AnnouncementError> {
    let mut reader = ProxyReader::new(DEFAULT_MAX_EXTENSIONS);
    let mut piece = [0; PIECE];
    loop {
        let seen = stream.peek(&mut piece).await?;
        if seen == 0 {
            return Err(AnnouncementError::Ended);
        }
        let progress = reader.feed(piece.get(..seen).unwrap_or_default())?;
        let (used, announced) = match progress {
            Progress::NeedMore => (seen, None),
            Progress::Done { announced, used } => (used, Some(announced)),
        };
        stream.read_exact(piece.get_mut(..used).unwrap_or_default()).await?;
        if let Some(announced) = announced {
            return Ok(announced);
        }
    }
}
