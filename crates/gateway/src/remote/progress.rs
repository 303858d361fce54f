//! How far a request has got: what was handed to the network, and whom the call waits for.
//!
//! Two questions are answered here. May the call have had an effect? It may once a byte of it was written (T27). And
//! may the origin be blamed for the silence? Not while the gateway waits for the client to send the rest of its body:
//! that time is nobody's but the client's (T4).

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use weir_units::{Micros, Tick};

use super::upstream::Outgoing;
use weir_clock::Clock;

/// How far the requests of one connection have got.
#[derive(Debug)]
pub(crate) struct Progress {
    clock: Clock,
    /// Bytes handed to the network since the connection began.
    written: AtomicU64,
    /// When something last went on, in microseconds.
    moved: AtomicU64,
    /// Whether the client's body has a piece missing.
    client_is_due: AtomicBool,
}

impl Progress {
    pub(super) fn new(clock: Clock) -> Self {
        let moved = AtomicU64::new(clock.tick().micros());
        Self { clock, written: AtomicU64::new(0), moved, client_is_due: AtomicBool::new(false) }
    }

    /// Bytes handed to the network since the connection began.
    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    /// A request begins.
    pub(super) fn begin(&self) {
        self.client_is_due.store(false, Ordering::Release);
        self.touch();
    }

    /// Returns once the origin has kept the gateway waiting for `time`: nothing was written, and the client owes nothing.
    pub(super) async fn stuck(&self, time: Duration) {
        let time = Micros::from(time);
        loop {
            let due = self.moved().plus(time);
            if due <= self.clock.tick() {
                return;
            }
            self.clock.sleep_until(due).await;
            if self.client_is_due.load(Ordering::Acquire) {
                self.touch();
            }
        }
    }

    fn moved(&self) -> Tick {
        Tick::new(self.moved.load(Ordering::Acquire))
    }

    fn touch(&self) {
        self.moved.store(self.clock.tick().micros(), Ordering::Release);
    }

    fn wrote(&self, bytes: usize) {
        self.written.fetch_add(u64::try_from(bytes).unwrap_or(u64::MAX), Ordering::AcqRel);
        self.touch();
    }
}

/// A stream to a server that counts what is written, and holds the connection's place until it is closed.
#[derive(Debug)]
pub(super) struct Counted<S> {
    stream: S,
    progress: Arc<Progress>,
    _place: OwnedSemaphorePermit,
}

impl<S> Counted<S> {
    pub(super) const fn new(stream: S, progress: Arc<Progress>, place: OwnedSemaphorePermit) -> Self {
        Self { stream, progress, _place: place }
    }

    fn count(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = &written {
            self.progress.wrote(*bytes);
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.count(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.count(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// A request's body that notes when the client keeps everybody waiting.
#[derive(Debug)]
pub(super) struct WatchedBody {
    pub(super) body: Outgoing,
    pub(super) progress: Arc<Progress>,
}

impl Body for WatchedBody {
    type Data = Bytes;
    type Error = <Outgoing as Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        let was_due = self.progress.client_is_due.swap(frame.is_pending(), Ordering::AcqRel);
        if was_due && frame.is_ready() {
            self.progress.touch();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
