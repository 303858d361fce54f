//! A message's bytes: out of memory while they are fresh, else out of the durable queue.

use std::fs::File;

use bytes::Bytes;
use weir_spool::{Body, SpoolError};

/// A message's bytes, to be read once.
#[derive(Debug)]
pub(crate) enum Content {
    /// All of them at once.
    Fresh(Option<Bytes>),
    /// Piece by piece from a disk.
    Spooled(Option<Box<Body<File>>>),
}

impl Content {
    /// The next piece; none at the end.
    ///
    /// # Errors
    /// Where the disk fails or the message is damaged.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, SpoolError> {
        match self {
            Self::Fresh(bytes) => Ok(bytes.take()),
            Self::Spooled(body) => {
                let Some(mut reading) = body.take() else { return Ok(None) };
                let read = move || (reading.next_piece(), reading);
                let (piece, rest) =
                    tokio::task::spawn_blocking(read).await.map_err(|_| SpoolError::Closed)?;
                *body = Some(rest);
                Ok(piece?.map(Bytes::from))
            }
        }
    }

    /// All of them together, if there are at most `most`.
    ///
    /// # Errors
    /// Where the disk fails or the message is damaged.
    pub(crate) async fn whole(mut self, most: u64) -> Result<Option<Bytes>, SpoolError> {
        if let Self::Fresh(bytes) = &mut self {
            return Ok(bytes.take());
        }
        let mut all = Vec::new();
        while let Some(piece) = self.next().await? {
            all.extend_from_slice(&piece);
            if u64::try_from(all.len()).unwrap_or(u64::MAX) > most {
                return Ok(None);
            }
        }
        Ok(Some(Bytes::from(all)))
    }
}
