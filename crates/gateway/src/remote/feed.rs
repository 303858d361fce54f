//! The rest of a request, streamed to the origin while the client still sends.
//!
//! One piece is under way at a time, so that a slow origin slows the client. A body that breaks off never ends, and is so
//! never taken for whole. Where items are counted the last piece waits for leave, since the checks for what was counted
//! come before it (T26). Once the origin has said no, what the client still sends is read away: it may look for its
//! answer only afterwards.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::sync::{mpsc, oneshot};
use weir_wire::ews::peek::Peek;

use crate::body::{Answer, Arriving, BodyError, Piece, discard, pipe};
use crate::settings::Settings;
use weir_clock::Clock;

/// Where a body comes from.
pub(super) enum Source {
    /// A client who is held to a size and a pace.
    Bounded(Arriving),
    /// A tunnel, which may be as large and as slow as it likes: nothing of it is kept.
    Free(Incoming),
}

/// A body that streams to the origin, seen by whoever waits for the answer.
pub(super) struct Feeding {
    counted: oneshot::Receiver<u32>,
    leave: Option<oneshot::Sender<()>>,
    stop: Option<oneshot::Sender<()>>,
}

/// Streams `first` and then `source` into the body that is given back; `peek` counts what passes.
pub(super) fn feed(
    source: Source,
    first: Bytes,
    peek: Option<Peek>,
    settings: Arc<Settings>,
    clock: Clock,
) -> (Answer, Feeding) {
    let (pieces, body) = pipe();
    let (count, counted) = oneshot::channel();
    let (leave, left) = oneshot::channel();
    let (stop, stopped) = oneshot::channel();
    let feed = Feed { source, peek, pieces };
    tokio::spawn(feed.run(first, (count, left), stopped, settings, clock));
    (body, Feeding { counted, leave: Some(leave), stop: Some(stop) })
}

impl Feeding {
    /// Returns once all but the last piece has gone on, with how many items were counted on the way; never where the body
    /// broke off, since the origin's connection then ends the call.
    pub(super) async fn last_is_near(&mut self) -> u32 {
        match (&mut self.counted).await {
            Ok(more) => more,
            Err(_) => std::future::pending().await,
        }
    }

    /// Lets the last piece go on.
    pub(super) fn go_on(&mut self) {
        if let Some(leave) = self.leave.take() {
            let _ = leave.send(());
        }
    }

    /// The origin wants no more of it.
    pub(super) fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

impl Source {
    /// The next piece; none at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        match self {
            Self::Bounded(arriving) => {
                arriving.let_go();
                arriving.next().await
            }
            Self::Free(body) => match body.frame().await {
                None => Ok(None),
                Some(Err(_)) => Err(BodyError::Gone),
                // Trailers are left out.
                Some(Ok(frame)) => Ok(Some(frame.into_data().unwrap_or_default())),
            },
        }
    }

    fn into_rest(self) -> Incoming {
        match self {
            Self::Bounded(arriving) => arriving.into_rest(),
            Self::Free(body) => body,
        }
    }
}

/// How passing a body on has ended.
enum Passed {
    /// It is whole, or broke off.
    Over,
    /// The origin does not want the rest.
    Unwanted,
}

/// What passes a body on.
struct Feed {
    source: Source,
    peek: Option<Peek>,
    pieces: mpsc::Sender<Piece>,
}

impl Feed {
    async fn run(
        mut self,
        first: Bytes,
        last: (oneshot::Sender<u32>, oneshot::Receiver<()>),
        stopped: oneshot::Receiver<()>,
        settings: Arc<Settings>,
        clock: Clock,
    ) {
        let passed = tokio::select! {
            passed = self.pass(first, last) => passed,
            () = told(stopped) => Passed::Unwanted,
        };
        match passed {
            Passed::Over => {}
            Passed::Unwanted => {
                // The pipe stays open meanwhile: a body that breaks off would take the answer with it.
                discard(self.source.into_rest(), &settings.limits, &clock).await;
            }
        }
    }

    /// Passes on what was read, and then the rest as it comes.
    async fn pass(&mut self, first: Bytes, last: (oneshot::Sender<u32>, oneshot::Receiver<()>)) -> Passed {
        let (count, left) = last;
        let known = self.named();
        // Where nothing is counted nothing is held back: the other end of a tunnel waits for every byte.
        let mut held = None;
        if self.peek.is_some() {
            held = Some(first);
        } else if !first.is_empty() && self.pieces.send(Piece::More(first)).await.is_err() {
            return Passed::Unwanted;
        }
        loop {
            let next = match self.source.next().await {
                Ok(Some(next)) => next,
                Ok(None) => break,
                Err(error) => {
                    tracing::debug!(%error, "a request broke off on its way to the origin");
                    return Passed::Over;
                }
            };
            if let Some(peek) = &mut self.peek {
                let _ = peek.feed(&next);
            }
            let piece = match &mut held {
                Some(held) => std::mem::replace(held, next),
                None => next,
            };
            if !piece.is_empty() && self.pieces.send(Piece::More(piece)).await.is_err() {
                return Passed::Unwanted;
            }
        }
        // Where nobody listens the answer has come already, and the request is made whole beside it.
        if count.send(self.named().saturating_sub(known)).is_ok() {
            let _ = left.await;
        }
        let _ = self.pieces.send(Piece::Last(held.unwrap_or_default())).await;
        Passed::Over
    }

    fn named(&self) -> u32 {
        self.peek.as_ref().map_or(1, Peek::named)
    }
}

/// Returns once it is said, and never where nobody can say it any more.
async fn told(said: oneshot::Receiver<()>) {
    if said.await.is_err() {
        std::future::pending::<()>().await;
    }
}
