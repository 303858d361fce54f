//! A server that does what a test says, on a port of its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use weir_wire::mapi::envelope;

use super::connection::Dial;
use super::link::Link;
use super::{Credentials, Settings};

pub(super) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// A server; it is gone when this is dropped.
pub(super) struct Scripted {
    address: SocketAddr,
    /// Where connections within the process come in, if it has no port.
    within: Option<UnboundedSender<DuplexStream>>,
    accepted: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Scripted {
    /// A server on a port of its own that talks to each connection, numbered from 0, as `script` says.
    pub(super) async fn start<F, T>(script: F) -> Self
    where
        F: Fn(usize, Talk) -> T + Send + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, accepted) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let counter = Arc::clone(&accepted);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = counter.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(script(number, Talk::over(stream)));
            }
        });
        Self { address, within: None, accepted, task }
    }

    /// The same within the process, so that pretended time goes on only when nothing is left to do.
    pub(super) fn within<F, T>(script: F) -> Self
    where
        F: Fn(usize, Talk) -> T + Send + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        let (within, mut incoming) = unbounded_channel();
        let accepted = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&accepted);
        let task = tokio::spawn(async move {
            while let Some(stream) = incoming.recv().await {
                let number = counter.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(script(number, Talk::over(stream)));
            }
        });
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        Self { address, within: Some(within), accepted, task }
    }

    pub(super) fn settings(&self) -> Settings {
        settings(&format!("http://{}/mapi/emsmdb", self.address))
    }

    /// A link to the server.
    pub(super) fn link(&self) -> Link {
        self.link_with(self.settings())
    }

    /// A link to the server with these settings.
    pub(super) fn link_with(&self, settings: Settings) -> Link {
        match &self.within {
            Some(within) => Link::over(settings, Dial::Within(within.clone())).unwrap(),
            None => Link::new(settings).unwrap(),
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    /// How many connections it has accepted.
    pub(super) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A connection to a server in the same process.
pub(super) fn within(server: &UnboundedSender<DuplexStream>) -> DuplexStream {
    let (ours, theirs) = duplex(64 * 1024);
    server.send(theirs).unwrap();
    ours
}

pub(super) fn settings(url: &str) -> Settings {
    Settings::new(url.parse().unwrap(), Credentials::new("jane", "secret"))
}

/// One request.
pub(super) struct Request {
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// The value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// One connection, from the server's side.
pub(super) struct Talk {
    stream: Box<dyn Io>,
    read: Vec<u8>,
}

impl Talk {
    pub(super) fn over(stream: impl Io + 'static) -> Self {
        Self { stream: Box::new(stream), read: Vec::new() }
    }

    pub(super) fn into_stream(self) -> Box<dyn Io> {
        self.stream
    }

    /// The next request; none where the connection is closed.
    pub(super) async fn request(&mut self) -> Option<Request> {
        let end = loop {
            match self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                Some(end) => break end + 4,
                None => self.more().await?,
            }
        };
        let mut request = Request { head: self.take(end), body: Vec::new() };
        let length = request.header("Content-Length").unwrap_or("0").parse().unwrap();
        while self.read.len() < length {
            self.more().await?;
        }
        request.body = self.read.drain(..length).collect();
        Some(request)
    }

    fn take(&mut self, length: usize) -> String {
        String::from_utf8(self.read.drain(..length).collect()).unwrap()
    }

    /// Writes as it is.
    pub(super) async fn say(&mut self, bytes: impl AsRef<[u8]>) {
        // Who has gone hears nothing.
        let _ = self.stream.write_all(bytes.as_ref()).await;
        let _ = self.stream.flush().await;
    }

    /// Answers in pieces of the sizes, over and over, with these headers beside the usual ones.
    pub(super) async fn answer(&mut self, headers: &str, body: &[u8], sizes: &[usize]) {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/mapi-http\r\nTransfer-Encoding: chunked";
        self.say(format!("{head}\r\n{headers}\r\n")).await;
        let mut rest = body;
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at(rest.len().min(*size));
            self.say([format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()).await;
            rest = after;
            tokio::task::yield_now().await;
        }
        self.say("0\r\n\r\n").await;
    }

    /// Returns when the other side has closed.
    pub(super) async fn until_closed(&mut self) {
        while self.more().await.is_some() {}
    }

    async fn more(&mut self) -> Option<()> {
        let mut bytes = [0; 4096];
        let count = self.stream.read(&mut bytes).await.ok()?;
        self.read.extend_from_slice(&bytes[..count]);
        (count > 0).then_some(())
    }
}

/// A body in the usual envelope.
pub(super) fn enveloped(body: &[u8]) -> Vec<u8> {
    [envelope::PROCESSING, &envelope::done(&[("X-ElapsedTime", "1")]), body].concat()
}
