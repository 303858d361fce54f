//! Origins that do what a test says, on a port of their own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::Request;
use hyper::body::Incoming;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use weir_balance::Health;
use weir_units::{Event, EventSink, Owner};

use super::failure::Failure;
use super::origin::RemoteOrigin;
use super::server_url::ServerUrl;
use super::settings::RemoteSettings;
use super::upstream::{Outgoing, Upstream, next_piece};
use crate::body::{Answer, whole};
use crate::settings::ThrottleSettings;
use weir_clock::Clock;

/// A listening origin; it is gone when this is dropped.
pub(crate) struct Scripted {
    pub(crate) address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Scripted {
    /// An origin on a free port that talks to each connection, numbered from 0, as `script` says.
    pub(crate) async fn start<F, T>(script: F) -> Self
    where
        F: Fn(usize, Talk) -> T + Send + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        Self::at("127.0.0.1:0".parse().unwrap(), script).await
    }

    /// The same at an address of its own.
    pub(crate) async fn at<F, T>(address: SocketAddr, script: F) -> Self
    where
        F: Fn(usize, Talk) -> T + Send + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        Self::accepting(TcpListener::bind(address).await.unwrap(), script)
    }

    fn accepting<F, T>(listener: TcpListener, script: F) -> Self
    where
        F: Fn(usize, Talk) -> T + Send + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        let (address, accepted) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let counter = Arc::clone(&accepted);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = counter.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(script(number, Talk::over(stream)));
            }
        });
        Self { address, accepted, task }
    }

    /// An origin that answers every request with its body's length and the number of its connection.
    pub(crate) async fn well() -> Self {
        Self::start(answer_all).await
    }

    pub(crate) fn url(&self) -> ServerUrl {
        url_of(self.address)
    }

    /// How many connections it has accepted.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers every request of a connection with the connection's number.
pub(crate) async fn answer_all(number: usize, mut talk: Talk) {
    while let Some(head) = talk.head().await {
        talk.body(length_in(&head)).await;
        let body = number.to_string();
        talk.say(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())).await;
    }
}

fn length_in(head: &str) -> usize {
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:").map(str::to_owned));
    length.map_or(0, |length| length.trim().parse().unwrap())
}

pub(crate) fn url_of(address: SocketAddr) -> ServerUrl {
    format!("http://{address}").parse().unwrap()
}

/// An address where nobody listens, and that nobody else is given meanwhile.
pub(crate) struct Nobody {
    pub(crate) address: SocketAddr,
    socket: TcpSocket,
}

impl Nobody {
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self { address: socket.local_addr().unwrap(), socket }
    }

    pub(crate) fn url(&self) -> ServerUrl {
        url_of(self.address)
    }

    /// Somebody listens there from now on, and answers every request.
    pub(crate) fn comes_back(self) -> Scripted {
        Scripted::accepting(self.socket.listen(64).unwrap(), answer_all)
    }
}

pub(crate) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// One connection, from the origin's side.
pub(crate) struct Talk {
    stream: Box<dyn Io>,
    read: Vec<u8>,
}

impl Talk {
    pub(crate) fn over(stream: impl Io + 'static) -> Self {
        Self { stream: Box::new(stream), read: Vec::new() }
    }

    pub(crate) fn into_stream(self) -> Box<dyn Io> {
        self.stream
    }

    /// The next request's head, with the empty line; none where the connection is closed.
    pub(crate) async fn head(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                let rest = self.read.split_off(end + 4);
                let head = std::mem::replace(&mut self.read, rest);
                return Some(String::from_utf8(head).unwrap());
            }
            self.more().await?;
        }
    }

    /// So many bytes of a body, or what came until the connection was closed.
    pub(crate) async fn body(&mut self, length: usize) -> Vec<u8> {
        while self.read.len() < length && self.more().await.is_some() {}
        let rest = self.read.split_off(length.min(self.read.len()));
        std::mem::replace(&mut self.read, rest)
    }

    /// Writes; whether anybody is there to read.
    pub(crate) async fn say(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).await.is_ok() && self.stream.flush().await.is_ok()
    }

    /// Returns when the other side has closed.
    pub(crate) async fn until_closed(&mut self) {
        while self.more().await.is_some() {}
    }

    async fn more(&mut self) -> Option<()> {
        let mut bytes = [0; 4096];
        let count = self.stream.read(&mut bytes).await.ok()?;
        self.read.extend_from_slice(bytes.get(..count)?);
        (count > 0).then_some(())
    }
}

/// A connection of a client, for tests that play one.
pub(crate) async fn client_of(address: SocketAddr) -> Talk {
    Talk::over(TcpStream::connect(address).await.unwrap())
}

/// A request for the origin.
pub(crate) fn request(method: &str, path: &str, body: Option<&str>) -> Request<Outgoing> {
    let mut request = Request::builder().method(method).uri(path).header("Host", "mail.example.com");
    if let Some(body) = body {
        request = request.header("Content-Length", body.len());
    }
    let body: Answer = whole(body.unwrap_or_default().to_owned());
    request.body(Either::Right(body)).unwrap()
}

pub(crate) fn get(path: &str) -> Request<Outgoing> {
    let empty: Answer = Either::Left(Full::new(Bytes::new()));
    request("GET", path, None).map(|_| Either::Right(empty))
}

/// The whole of an answer's body.
pub(crate) async fn all(answer: &mut Incoming, clock: &Clock) -> String {
    let mut text = Vec::new();
    while let Some(piece) = next_piece(answer, Duration::from_mins(1), clock).await.unwrap() {
        text.extend_from_slice(&piece);
    }
    String::from_utf8(text).unwrap()
}

/// A remote origin of these servers, and the events that it tells of.
pub(crate) async fn remote(
    servers: &[ServerUrl],
    change: impl FnOnce(&mut RemoteSettings),
) -> (Arc<RemoteOrigin>, UnboundedReceiver<Event>) {
    let mut settings = RemoteSettings::new(servers.to_vec());
    change(&mut settings);
    let (tell, told) = tokio::sync::mpsc::unbounded_channel();
    let sink = EventSink::new(move |event| drop(tell.send(event)));
    let origin =
        RemoteOrigin::new(settings, &ThrottleSettings::default(), &Health::default(), Clock::start(), sink)
            .await
            .unwrap();
    (Arc::new(origin), told)
}

/// One whole call: the answer's body, with its connection given back.
pub(crate) async fn call(origin: &RemoteOrigin, owner: Option<&Owner>) -> Result<String, Failure> {
    let request = request("POST", "/", Some("body"));
    let (mut answer, upstream) = origin.exchange(owner, request, Duration::from_mins(5)).await?;
    let body = all(answer.body_mut(), &origin.clock).await;
    give_back(origin, upstream).await;
    Ok(body)
}

/// Gives a connection back once its task has seen the end of the answer.
pub(crate) async fn give_back(origin: &RemoteOrigin, upstream: Upstream) {
    eventually(|| upstream.is_ready() || upstream.is_closed()).await;
    origin.give_back(upstream);
}

/// Returns once `is_so` is true, which depends on other tasks alone; a test that waits for nothing fails.
pub(crate) async fn eventually(mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), waiting).await.expect("what is waited for comes");
}

/// Lets the other tasks do all that they can do by themselves.
pub(crate) async fn settle() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}
