//! A stream that may not stay silent at its beginning, nor be left unread.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A stream with two time-outs: until its first byte has come, and while a write waits for the peer to read.
#[derive(Debug)]
pub(crate) struct TimedIo<S> {
    stream: S,
    /// Until the first byte; none once it has come.
    silence: Option<Pin<Box<Sleep>>>,
    write_idle_time: Duration,
    /// While a write is stuck.
    unread: Option<Pin<Box<Sleep>>>,
}

impl<S> TimedIo<S> {
    pub(crate) fn new(stream: S, first_byte_time: Duration, write_idle_time: Duration) -> Self {
        let silence = Some(Box::pin(tokio::time::sleep(first_byte_time)));
        Self { stream, silence, write_idle_time, unread: None }
    }

    /// Passes on what a write brought, and fails it once it has been stuck for too long.
    fn watch<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.unread = None;
            return written;
        }
        let idle = self.write_idle_time;
        let unread = self.unread.get_or_insert_with(|| Box::pin(tokio::time::sleep(idle)));
        ready!(unread.as_mut().poll(cx));
        Poll::Ready(Err(timed_out("the client reads nothing of its answer")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedIo<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let read = Pin::new(&mut this.stream).poll_read(cx, buffer);
        if read.is_ready() {
            this.silence = None;
            return read;
        }
        match &mut this.silence {
            Some(silence) => {
                ready!(silence.as_mut().poll(cx));
                Poll::Ready(Err(timed_out("the client sends nothing")))
            }
            None => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedIo<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

fn timed_out(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, why)
}
