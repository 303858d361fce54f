//! Bodies: what comes in within its bounds, and what goes out in one piece or many.
//!
//! A request's body has a size, and after a while a pace: who trickles one byte a second is cut off rather than
//! waited for. What all bodies hold together is bounded too. An answer is one write while it is small, and a
//! bounded pipe with back-pressure once it is large.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Body, Frame, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use weir_units::{Micros, Tick};

use crate::settings::{ConnectionLimits, Settings};
use weir_clock::Clock;

/// The body of an answer.
pub(crate) type Answer = Either<Full<Bytes>, Piped>;

/// Why a request's body was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyError {
    /// It is larger than the setting allows.
    #[error("the body is larger than the {limit} bytes that body_bytes allows")]
    TooLarge {
        /// The setting.
        limit: u64,
    },
    /// It comes too slowly.
    #[error("the body came slower than the {rate} bytes a second that body_rate asks for")]
    TooSlow {
        /// The setting.
        rate: u64,
    },
    /// All bodies together hold as much as they may.
    #[error("the bodies of all requests together hold as much as bodies_bytes allows")]
    NoRoom,
    /// The client went away.
    #[error("the client closed the connection before the body was whole")]
    Gone,
}

/// The room that the bodies of all requests share.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    kibibytes: Arc<Semaphore>,
}

impl Room {
    /// Room for `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        let kibibytes = usize::try_from(bytes >> 10).unwrap_or(Semaphore::MAX_PERMITS);
        Self { kibibytes: Arc::new(Semaphore::new(kibibytes.min(Semaphore::MAX_PERMITS))) }
    }

    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, BodyError> {
        let kibibytes = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX);
        Arc::clone(&self.kibibytes).try_acquire_many_owned(kibibytes).map_err(|_| BodyError::NoRoom)
    }
}

/// A request's body on its way in.
pub(crate) struct Arriving {
    incoming: Incoming,
    settings: Arc<Settings>,
    clock: Clock,
    room: Room,
    held: Option<OwnedSemaphorePermit>,
    began: Tick,
    received: u64,
}

impl Arriving {
    /// Begins to read `incoming`.
    ///
    /// # Errors
    ///
    /// [`BodyError::TooLarge`] at once where the client has announced too much.
    pub(crate) fn new(
        incoming: Incoming,
        settings: Arc<Settings>,
        clock: Clock,
        room: Room,
    ) -> Result<Self, (BodyError, Incoming)> {
        let limit = settings.limits.body_bytes;
        if incoming.size_hint().lower() > limit {
            return Err((BodyError::TooLarge { limit }, incoming));
        }
        Ok(Self { incoming, settings, clock, room, held: None, began: clock.tick(), received: 0 })
    }

    /// The next piece; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        let too_slow = self.clock.sleep_until(self.due());
        let frame = tokio::select! {
            biased;
            frame = self.incoming.frame() => frame,
            () = too_slow => return Err(BodyError::TooSlow { rate: self.settings.limits.body_rate }),
        };
        match frame {
            None => Ok(None),
            Some(Err(_)) => Err(BodyError::Gone),
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => self.count(data).map(Some),
                Err(_trailers) => Ok(Some(Bytes::new())),
            },
        }
    }

    fn count(&mut self, data: Bytes) -> Result<Bytes, BodyError> {
        self.received = self.received.saturating_add(u64::try_from(data.len()).unwrap_or(u64::MAX));
        if self.received > self.settings.limits.body_bytes {
            return Err(BodyError::TooLarge { limit: self.settings.limits.body_bytes });
        }
        let room = self.room.take(data.len())?;
        match &mut self.held {
            Some(held) => held.merge(room),
            None => self.held = Some(room),
        }
        Ok(data)
    }

    /// When the next byte is due: the grace, and from then on a second for each `body_rate` bytes.
    fn due(&self) -> Tick {
        let paced =
            Micros::new(self.received.saturating_mul(1_000_000) / self.settings.limits.body_rate.max(1));
        self.began.plus(Micros::from(self.settings.limits.body_grace)).plus(paced)
    }

    /// What has come so far is held no more: it has gone on.
    pub(crate) fn let_go(&mut self) {
        self.held = None;
    }

    /// What is left to be read.
    pub(crate) fn into_rest(self) -> Incoming {
        self.incoming
    }
}

/// Reads and throws away what is left of a body that nobody needs. True where that was its end, so that the connection
/// can go on; false where it is large or slow, so that the connection ends with the answer.
///
/// A body without its end goes on being thrown away for a moment beside the answer: a client that is still sending
/// when the connection closes would lose the answer with it.
pub(crate) async fn discard(mut incoming: Incoming, limits: &ConnectionLimits, clock: &Clock) -> bool {
    let mut left = limits.discard_bytes;
    let deadline = clock.tick().plus(Micros::from(limits.body_grace));
    while incoming.size_hint().lower() <= left {
        let frame = tokio::select! {
            biased;
            frame = incoming.frame() => frame,
            () = clock.sleep_until(deadline) => break,
        };
        let Some(frame) = frame else { return true };
        let Ok(frame) = frame else { return false };
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        let Some(rest) = left.checked_sub(u64::try_from(bytes).unwrap_or(u64::MAX)) else { break };
        left = rest;
    }
    let until = clock.tick().plus(LINGER);
    let clock = *clock;
    tokio::spawn(async move {
        let rest = async { while incoming.frame().await.is_some_and(|frame| frame.is_ok()) {} };
        tokio::select! {
            () = rest => {}
            () = clock.sleep_until(until) => {}
        }
    });
    false
}

/// How long the rest of a body is thrown away while its answer goes out.
const LINGER: Micros = Micros::new(2_000_000);

/// The sender stopped in the middle: the connection is closed, so that what came is not taken for whole.
#[derive(Debug, thiserror::Error)]
#[error("the body broke off")]
pub(crate) struct BrokenOff;

/// A body that comes piece by piece. Without its last piece it has broken off.
#[derive(Debug)]
pub(crate) struct Piped {
    pieces: mpsc::Receiver<Piece>,
    ended: bool,
}

/// A piece of a body.
#[derive(Debug)]
pub(crate) enum Piece {
    /// More follow.
    More(Bytes),
    /// It is the last; it may be empty.
    Last(Bytes),
}

impl Body for Piped {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let piece = ready!(self.pieces.poll_recv(cx));
        self.ended = !matches!(piece, Some(Piece::More(_)));
        Poll::Ready(match piece {
            Some(Piece::Last(last)) if last.is_empty() => None,
            Some(Piece::More(piece) | Piece::Last(piece)) => Some(Ok(Frame::data(piece))),
            None => Some(Err(BrokenOff)),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.ended
    }
}

/// A pipe for a body that is too large for one write; it holds one piece, so that a slow reader slows the writer.
pub(crate) fn pipe() -> (mpsc::Sender<Piece>, Answer) {
    let (sender, pieces) = mpsc::channel(1);
    (sender, Either::Right(Piped { pieces, ended: false }))
}

/// An answer in one piece.
pub(crate) fn whole(bytes: impl Into<Bytes>) -> Answer {
    Either::Left(Full::new(bytes.into()))
}
