//! Replies in, bytes out, each within its time.
//!
//! What goes out is gathered in one buffer and written at once. While a message goes out the peer is listened to: it may
//! refuse the message, or go away, before it has all of it, and one that stops reading is waited for no longer than the
//! write's time. What comes in fills a small buffer only when everything in it is used; how long a reply may be is
//! [`ReplyReader`]'s to say.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::time::timeout;
use weir_units::Micros;
use weir_wire::smtp::{Command, Reply, ReplyError, ReplyReader};

/// Bytes that are read from a peer at once.
const INPUT: usize = 4096;

/// What is spoken over.
pub(super) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A peer's two directions.
pub(super) struct Link {
    stream: Box<dyn Io>,
    input: Box<[u8]>,
    /// Where in `input` that stands which was not used yet.
    from: usize,
    to: usize,
    reader: ReplyReader,
    /// What is written next.
    pub(super) out: Vec<u8>,
}

/// Why a connection is of no use any more.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkError {
    /// The system says so.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The peer went away.
    #[error("the server closed the connection")]
    Closed,
    /// The peer took too long.
    #[error("no answer within {} s", .0.count() / Micros::SECOND.count())]
    Silent(Micros),
    /// The peer stopped reading.
    #[error("the server read nothing for {} s", .0.count() / Micros::SECOND.count())]
    Stuck(Micros),
    /// What came is no reply.
    #[error(transparent)]
    Nonsense(#[from] ReplyError),
    /// A yes to what was not over.
    #[error("the server said \"{0}\" before the message was over")]
    OutOfTurn(String),
}

/// How much of what was to be written went out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pushed {
    /// All of it.
    All,
    /// Perhaps not all: the peer said something, or closed.
    Interrupted,
}

impl Link {
    /// A peer behind `stream`.
    pub(super) fn new(stream: Box<dyn Io>) -> Self {
        let (input, out) = (vec![0; INPUT].into(), Vec::new());
        Self { stream, input, from: 0, to: 0, reader: ReplyReader::default(), out }
    }

    /// The stream itself, if nothing came out of turn.
    pub(super) fn into_stream(self) -> Option<Box<dyn Io>> {
        (!self.has_input()).then_some(self.stream)
    }

    /// Whether something has come that nobody waited for yet.
    pub(super) const fn has_input(&self) -> bool {
        self.from < self.to
    }

    /// Sends one command, and waits for the answer.
    pub(super) async fn ask(&mut self, command: &Command, patience: Micros) -> Result<Reply, LinkError> {
        command.write(&mut self.out);
        self.push(patience).await?;
        self.reply(patience).await
    }

    /// Writes all that was gathered.
    pub(super) async fn push(&mut self, patience: Micros) -> Result<(), LinkError> {
        self.write(patience, false).await.map(drop)
    }

    /// Writes all that was gathered, unless the peer says something meanwhile.
    pub(super) async fn push_listening(&mut self, patience: Micros) -> Result<Pushed, LinkError> {
        self.write(patience, true).await
    }

    /// The next reply, which may take so long altogether.
    pub(super) async fn reply(&mut self, patience: Micros) -> Result<Reply, LinkError> {
        match timeout(patience.into(), self.read_reply()).await {
            Ok(reply) => reply,
            Err(_) => Err(LinkError::Silent(patience)),
        }
    }

    /// Says QUIT, and waits for the answer only so long.
    pub(super) async fn quit(mut self, patience: Micros) {
        let leaving = async {
            drop(self.ask(&Command::Quit, patience).await);
            drop(self.stream.shutdown().await);
        };
        drop(timeout(patience.into(), leaving).await);
    }

    async fn read_reply(&mut self) -> Result<Reply, LinkError> {
        loop {
            let mut rest = self.input.get(self.from..self.to).unwrap_or_default();
            let reply = self.reader.next(&mut rest)?;
            self.from = self.to - rest.len();
            if let Some(reply) = reply {
                return Ok(reply);
            }
            self.from = 0;
            self.to = self.stream.read(&mut self.input).await?;
            if self.to == 0 {
                return Err(LinkError::Closed);
            }
        }
    }

    async fn write(&mut self, patience: Micros, listening: bool) -> Result<Pushed, LinkError> {
        let mut written = 0;
        let writing = poll_fn(|cx| self.poll_write(&mut written, listening, cx));
        let pushed = timeout(patience.into(), writing).await;
        self.out.clear();
        match pushed {
            Ok(pushed) => Ok(pushed?),
            Err(_) => Err(LinkError::Stuck(patience)),
        }
    }

    fn poll_write(
        &mut self,
        written: &mut usize,
        listening: bool,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<Pushed>> {
        loop {
            let done = *written == self.out.len();
            if done && Pin::new(&mut self.stream).poll_flush(cx)?.is_ready() {
                return Poll::Ready(Ok(Pushed::All));
            }
            // Not all has gone out: whatever the peer says is no answer to all of it.
            if listening && self.poll_listen(cx)?.is_ready() {
                return Poll::Ready(Ok(Pushed::Interrupted));
            }
            if done {
                return Poll::Pending;
            }
            let rest = self.out.get(*written..).unwrap_or_default();
            match ready!(Pin::new(&mut self.stream).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => *written += count,
            }
        }
    }

    /// Ready as soon as the peer said something, or closed.
    fn poll_listen(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.has_input() {
            return Poll::Ready(Ok(()));
        }
        let mut buffer = ReadBuf::new(&mut self.input);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
        (self.from, self.to) = (0, buffer.filled().len());
        Poll::Ready(Ok(()))
    }
}
