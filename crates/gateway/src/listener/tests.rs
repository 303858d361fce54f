use std::net::Ipv4Addr;

use hyper::StatusCode;
use hyper::header::{CONNECTION, HeaderValue, UPGRADE};
use hyper::upgrade::OnUpgrade;
use prometheus_client::registry::Registry;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;

use super::*;
use crate::body;
use crate::metrics::{Front, Metrics};
use crate::settings::Listen;

mod announced;
mod bounds;
mod stopping;
mod upgraded;

/// Answers each request with the address of its client; one that asks to be upgraded gets back what it sends.
struct Echo {
    settings: Arc<Settings>,
    metrics: Metrics,
}

impl Configured for Echo {
    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings)
    }
}

impl Handler for Echo {
    async fn handle(
        self: Arc<Self>,
        mut request: Request<Incoming>,
        connection: Arc<Connection>,
    ) -> Response<Answer> {
        if request.headers().contains_key(UPGRADE) {
            return echo(hyper::upgrade::on(&mut request), connection);
        }
        let client = connection.client(request.headers());
        let mut response = Response::new(body::whole(format!("[{client}]")));
        *response.status_mut() = StatusCode::OK;
        response
    }

    fn connected(&self) -> Connected {
        self.metrics.connected(Front::Ews)
    }
}

/// Says that the connection is upgraded, and sends back what comes by it.
fn echo(upgrade: OnUpgrade, connection: Arc<Connection>) -> Response<Answer> {
    tokio::spawn(async move {
        let (mut read, mut write) = tokio::io::split(TokioIo::new(upgrade.await.unwrap()));
        let _broken = tokio::io::copy(&mut read, &mut write).await;
        drop(connection);
    });
    let mut response = Response::new(body::whole(""));
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("echo"));
    response
}

/// A listener that serves [`Echo`] on the loopback interface.
struct Served {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

/// This machine is a trusted proxy, or a stranger.
fn listen(trusted: bool, proxy_protocol: bool) -> Listen {
    let proxies = if trusted { "127.0.0.0/8" } else { "10.0.0.0/8" };
    Listen { trusted_proxies: vec![proxies.parse().unwrap()], proxy_protocol, ..Listen::default() }
}

async fn serve_with(listen: Listen, limits: ConnectionLimits, tls: Option<TlsAcceptor>) -> Served {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let gate = Gate::new(limits.clone());
    let settings = Arc::new(Settings { listen, limits, ..Settings::default() });
    let echo = Arc::new(Echo { settings, metrics: Metrics::register(&mut Registry::default()) });
    let (stop, stopping) = watch::channel(false);
    let serving = tokio::spawn(serve(listener, tls, gate, echo, Arc::new(Workers::none()), stopping));
    Served { address, stop, serving }
}

async fn served(listen: Listen) -> Served {
    serve_with(listen, ConnectionLimits::default(), None).await
}

/// One request with these header lines.
fn request(lines: &str) -> String {
    format!("GET / HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n")
}

/// Reads one answer of [`Echo`], or all until the connection ends.
async fn answer(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = String::new();
    while !text.ends_with(']') {
        match stream.read_u8().await {
            Ok(byte) => text.push(char::from(byte)),
            Err(_ended) => break,
        }
    }
    text
}

/// What is answered to a connection that sends `bytes`.
async fn said_to(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    answer(&mut stream).await
}
