//! One HTTP/1.1 connection to one server of the origin.
//!
//! It carries one request at a time, streamed both ways: a client that reads slowly slows the server, and no more of
//! either body is held than one buffer. Names of header fields keep their spelling. When a request fails, the failure
//! says whether a byte of it was written, since nothing is retried that may have had an effect (T27). Dropping a
//! request half-way closes the connection, so that the server notices that its client is gone.
//!
//! A connection is kept by whoever authenticated on it (NTLM, Negotiate): it is never given back, and dies with him.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Either};
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::header::{TRANSFER_ENCODING, UPGRADE};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{self, Handle};
use tokio::sync::OwnedSemaphorePermit;
use weir_units::Micros;

use super::failure::{Failure, FailureKind};
use super::progress::{Counted, Progress, WatchedBody};
use super::server::{Connected, Server};
use crate::body::Answer;
use weir_clock::Clock;

/// The body of a request to the origin: the client's own as it comes, or what the gateway made of it.
pub(crate) type Outgoing = Either<Incoming, Answer>;

/// The smallest buffer that the HTTP library takes.
const MIN_BUFFER: usize = 8 << 10;

/// The header fields that the HTTP library reads without allocating.
const INLINE_HEADERS: usize = 100;

/// One connection to one server.
pub(crate) struct Upstream {
    sender: SendRequest<WatchedBody>,
    server: Arc<Server>,
    progress: Arc<Progress>,
    home: runtime::Id,
    reused: bool,
}

impl Upstream {
    /// Connects to `server`.
    ///
    /// # Errors
    /// Why not, and whether that speaks about the server; see [`FailureKind::Connect`].
    pub(crate) async fn connect(server: &Arc<Server>, clock: Clock) -> Result<Self, Failure> {
        match server.connect().await? {
            (Connected::Plain(stream), place) => Self::over(stream, server, place, clock).await,
            (Connected::Tls(stream), place) => Self::over(*stream, server, place, clock).await,
        }
    }

    /// Sends `request` and waits until its answer begins, at most `head_time` from the moment when the server had it
    /// whole or stopped reading it. The target of the request is a path; its head is as `headers` makes it.
    ///
    /// An answer of 101 is to be followed by [`hyper::upgrade::on`].
    ///
    /// # Errors
    /// [`Failure`], after which the connection is of no more use. Whether the client sends its body in time is for the
    /// caller to say: a body that fails gives [`FailureKind::ClientGone`].
    pub(crate) async fn send(
        &mut self,
        request: Request<Outgoing>,
        head_time: Duration,
    ) -> Result<Response<Incoming>, Failure> {
        let asked_to_upgrade = request.headers().contains_key(UPGRADE);
        let before = self.progress.written();
        self.progress.begin();
        let watched = request.map(|body| WatchedBody { body, progress: Arc::clone(&self.progress) });
        let Self { sender, progress, .. } = self;
        let outcome = tokio::select! {
            biased;
            outcome = hand_over(sender, watched) => outcome,
            () = progress.stuck(head_time) => Err((FailureKind::SilentBeforeHead { after: head_time }, None)),
        };
        self.reused = true;
        let outcome = outcome.and_then(|answer| understood(answer, asked_to_upgrade));
        outcome.map_err(|(kind, request)| {
            let sent = self.progress.written() > before;
            Failure { server: Some(self.server.address), kind, sent, request }
        })
    }

    /// The server at the other end.
    pub(crate) const fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// The event loop that its bytes arrive on.
    pub(super) const fn home(&self) -> runtime::Id {
        self.home
    }

    /// Whether a request was sent on it before.
    pub(crate) const fn is_reused(&self) -> bool {
        self.reused
    }

    /// Whether it is known to be closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Returns once its last request and answer are over: whether the next request may follow.
    pub(crate) async fn rested(&mut self) -> bool {
        self.sender.ready().await.is_ok()
    }

    /// Whether its last answer was read to the end, so that the next request may follow.
    pub(crate) fn is_ready(&self) -> bool {
        self.sender.is_ready()
    }

    async fn over<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        stream: S,
        server: &Arc<Server>,
        place: OwnedSemaphorePermit,
        clock: Clock,
    ) -> Result<Self, Failure> {
        let progress = Arc::new(Progress::new(clock));
        let io = TokioIo::new(Counted::new(stream, Arc::clone(&progress), place));
        let mut builder = Builder::new();
        builder
            .preserve_header_case(true)
            .max_header_size(server.head_bytes)
            .max_buf_size(server.head_bytes.max(MIN_BUFFER));
        if server.headers != INLINE_HEADERS {
            builder.max_headers(server.headers);
        }
        let (sender, connection) = builder.handshake(io).await.map_err(|error| {
            Failure::unsent(Some(server.address), FailureKind::Broken { detail: error.to_string() })
        })?;
        let address = server.address;
        tokio::spawn(async move {
            if let Err(error) = connection.with_upgrades().await {
                tracing::debug!(%address, %error, "a connection to the origin ended");
            }
        });
        Ok(Self { sender, server: Arc::clone(server), progress, home: Handle::current().id(), reused: false })
    }
}

/// The next piece of an answer; none at its end. Trailers are left out.
///
/// # Errors
/// [`FailureKind::BrokenOff`] where the server closed before the end, [`FailureKind::SilentInAnswer`] where it has sent
/// nothing for `silence`.
pub(crate) async fn next_piece(
    answer: &mut Incoming,
    silence: Duration,
    clock: &Clock,
) -> Result<Option<Bytes>, FailureKind> {
    let due = clock.tick().plus(Micros::from(silence));
    loop {
        let frame = tokio::select! {
            biased;
            frame = answer.frame() => frame,
            () = clock.sleep_until(due) => return Err(FailureKind::SilentInAnswer { after: silence }),
        };
        match frame {
            None => return Ok(None),
            Some(Err(_)) => return Err(FailureKind::BrokenOff),
            Some(Ok(frame)) => {
                if let Ok(piece) = frame.into_data() {
                    return Ok(Some(piece));
                }
            }
        }
    }
}

/// What went wrong, and the request where it came back.
type Undone = (FailureKind, Option<Box<Request<Outgoing>>>);

async fn hand_over(
    sender: &mut SendRequest<WatchedBody>,
    request: Request<WatchedBody>,
) -> Result<Response<Incoming>, Undone> {
    let unwatched = |request: Request<WatchedBody>| Box::new(request.map(|watched| watched.body));
    if sender.ready().await.is_err() {
        return Err((FailureKind::ClosedBeforeHead, Some(unwatched(request))));
    }
    sender.try_send_request(request).await.map_err(|mut error| {
        let request = error.take_message().map(unwatched);
        (FailureKind::before_head(error.error()), request)
    })
}

/// Turns away answers that could not be passed on as they are meant.
fn understood(answer: Response<Incoming>, asked_to_upgrade: bool) -> Result<Response<Incoming>, Undone> {
    let unusable = |detail: &str| (FailureKind::BadAnswer { detail: detail.to_owned() }, None);
    if answer.status() == StatusCode::SWITCHING_PROTOCOLS && !asked_to_upgrade {
        return Err(unusable("it switches the protocol unasked"));
    }
    let codings = answer.headers().get_all(TRANSFER_ENCODING);
    if codings.iter().any(|coding| !coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked")) {
        return Err(unusable("it has a transfer coding that nobody asked for"));
    }
    Ok(answer)
}

#[cfg(test)]
mod tests;
