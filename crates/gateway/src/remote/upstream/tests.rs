#![allow(clippy::unwrap_used, reason = "tests")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Either;
use hyper::Request;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

use super::super::failure::{Blame, Failure, FailureKind};
use super::super::scripted::{Nobody, Scripted, Talk, all, get, request, url_of};
use super::super::server::Server;
use super::super::settings::RemoteSettings;
use super::{Outgoing, Upstream, next_piece};
use crate::body::{Piece, pipe};
use weir_clock::Clock;

mod bad_answers;
mod conversation;
mod tls;

/// Long enough never to run out in a test that does not pretend the time.
const LONG: Duration = Duration::from_mins(5);

pub(super) fn server_at(address: SocketAddr) -> Arc<Server> {
    let settings = RemoteSettings::new(vec![url_of(address)]);
    Arc::new(Server::new(&url_of(address), address, None, &settings).unwrap())
}

pub(super) async fn upstream_to(origin: &Scripted) -> Upstream {
    Upstream::connect(&server_at(origin.address), Clock::start()).await.unwrap()
}

/// An origin that reads one request's head, says `answer` and closes.
async fn says(answer: &'static str) -> Scripted {
    Scripted::start(move |_, mut talk: Talk| async move {
        talk.head().await;
        talk.say(answer).await;
    })
    .await
}

/// An origin that reads the head of its only request, tells so, and goes on with `then`.
async fn tells_when_it_has_read<F, T>(then: F) -> (Scripted, oneshot::Receiver<()>)
where
    F: FnOnce(Talk) -> T + Send + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    let (has_read, read) = oneshot::channel();
    let only = std::sync::Mutex::new(Some((has_read, then)));
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let only = only.lock().unwrap().take();
        async move {
            let (has_read, then) = only.unwrap();
            talk.head().await;
            has_read.send(()).unwrap();
            then(talk).await;
        }
    });
    (origin.await, read)
}

pub(super) async fn failure_of(origin: &Scripted, request: Request<Outgoing>) -> Failure {
    upstream_to(origin).await.send(request, LONG).await.map(|answer| answer.status()).unwrap_err()
}

#[tokio::test]
async fn an_answer_comes_back_with_its_head_and_its_body() {
    let origin = says("HTTP/1.1 203 Odd\r\nContent-Length: 5\r\nX-Own: 1\r\n\r\nhello").await;
    let mut answer = upstream_to(&origin).await.send(get("/"), LONG).await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), answer.headers().get("x-own").unwrap().as_bytes()),
        (203, &b"1"[..])
    );
    assert_eq!(all(answer.body_mut(), &Clock::start()).await, "hello");
}

#[tokio::test]
async fn a_refused_connection_is_the_origins_fault_and_may_be_made_again() {
    let nobody = Nobody::new();
    let failure = Upstream::connect(&server_at(nobody.address), Clock::start()).await.err().unwrap();
    assert!(
        matches!(failure.kind, FailureKind::Connect { failure: weir_balance::Failure::Refused, .. }),
        "{failure}"
    );
    assert_eq!(
        (failure.server, failure.kind.blame(), failure.retry()),
        (Some(nobody.address), Blame::Origin, true)
    );
}

#[tokio::test]
async fn an_origin_that_closes_before_its_answer_had_the_request() {
    let origin = says("").await;
    let failure = failure_of(&origin, request("POST", "/", Some("body"))).await;
    assert_eq!((&failure.kind, failure.sent), (&FailureKind::ClosedBeforeHead, true));
    assert_eq!(
        (failure.kind.blame(), failure.retry(), failure.request.is_none()),
        (Blame::Origin, false, true)
    );
}

#[tokio::test]
async fn an_origin_that_never_answers_is_given_up_after_the_head_time() {
    let (origin, read) = tells_when_it_has_read(|mut talk| async move { talk.until_closed().await }).await;
    let clock = Clock::start();
    let mut upstream = Upstream::connect(&server_at(origin.address), clock).await.unwrap();
    let call = tokio::spawn(async move { upstream.send(get("/"), Duration::from_secs(30)).await.map(drop) });
    read.await.unwrap();
    tokio::time::pause();
    let failure = call.await.unwrap().unwrap_err();
    let after = Duration::from_secs(30);
    assert_eq!((failure.kind, failure.sent), (FailureKind::SilentBeforeHead { after }, true));
}

#[tokio::test]
async fn the_origin_is_not_blamed_while_the_client_owes_its_body() {
    let (origin, read) = tells_when_it_has_read(|mut talk| async move {
        talk.body(4).await;
        talk.say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    })
    .await;
    let mut upstream = upstream_to(&origin).await;
    let (pieces, body) = pipe();
    let posted = request("POST", "/", Some("four")).map(|_| Either::Right(body));
    let call = tokio::spawn(async move { upstream.send(posted, Duration::from_secs(30)).await });
    read.await.unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(29)).await;
    tokio::time::advance(Duration::from_secs(29)).await;
    tokio::time::advance(Duration::from_secs(29)).await;
    tokio::time::resume();
    assert!(!call.is_finished(), "a minute and a half have passed, and the client has sent nothing");
    pieces.send(Piece::Last(Bytes::from_static(b"four"))).await.unwrap();
    drop(pieces);
    assert_eq!(call.await.unwrap().unwrap().status(), 200);
}

#[tokio::test]
async fn a_client_that_goes_away_in_its_body_is_to_blame_itself() {
    let (sees_end, end) = oneshot::channel();
    let sees_end = std::sync::Mutex::new(Some(sees_end));
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let sees_end = sees_end.lock().unwrap().take();
        async move {
            talk.head().await;
            talk.until_closed().await;
            sees_end.unwrap().send(()).unwrap();
        }
    })
    .await;
    let (pieces, body) = pipe();
    drop(pieces);
    let failure = failure_of(&origin, request("POST", "/", Some("four")).map(|_| Either::Right(body))).await;
    assert_eq!(failure.kind, FailureKind::ClientGone);
    assert_eq!((failure.kind.blame(), failure.retry()), (Blame::Client, false));
    end.await.expect("the origin sees that nothing more comes");
}

#[tokio::test]
async fn a_dropped_request_closes_the_connection() {
    let ((has_read, read), (sees_end, end)) = (oneshot::channel(), oneshot::channel());
    let signals = std::sync::Mutex::new(Some((has_read, sees_end)));
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let signals = signals.lock().unwrap().take();
        async move {
            let (has_read, sees_end) = signals.unwrap();
            talk.head().await;
            has_read.send(()).unwrap();
            talk.until_closed().await;
            sees_end.send(()).unwrap();
        }
    })
    .await;
    let server = server_at(origin.address);
    let mut upstream = Upstream::connect(&server, Clock::start()).await.unwrap();
    let call = tokio::spawn(async move { upstream.send(get("/"), LONG).await.map(drop) });
    read.await.unwrap();
    assert_eq!(server.connections(), 1);
    call.abort();
    end.await.expect("the origin sees that the client is gone");
    assert_eq!(server.connections(), 0, "its place is free again");
}

#[tokio::test]
async fn an_answer_that_falls_silent_is_given_up() {
    let origin = Scripted::start(|_, mut talk: Talk| async move {
        talk.head().await;
        talk.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello").await;
        talk.until_closed().await;
    })
    .await;
    let clock = Clock::start();
    let mut upstream = Upstream::connect(&server_at(origin.address), clock).await.unwrap();
    let mut answer = upstream.send(get("/"), LONG).await.unwrap();
    let silence = Duration::from_secs(20);
    assert_eq!(next_piece(answer.body_mut(), silence, &clock).await.unwrap().unwrap(), "hello");
    assert!(!upstream.is_ready(), "its answer is not read to the end");
    tokio::time::pause();
    let stopped = next_piece(answer.body_mut(), silence, &clock).await;
    assert_eq!(stopped, Err(FailureKind::SilentInAnswer { after: silence }));
}

/// Yields until `count` stands still.
async fn settled(count: &AtomicU64) -> u64 {
    let (mut seen, mut still) = (0, 0);
    while still < 5_000 {
        tokio::task::yield_now().await;
        let moved = count.load(Ordering::SeqCst) != seen;
        still = if moved { 0 } else { still + 1 };
        seen = count.load(Ordering::SeqCst);
    }
    seen
}

const WHOLE: u64 = 128 << 20;
const PIECE: usize = 64 << 10;

#[tokio::test]
async fn a_slow_client_slows_the_origin() {
    let written = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&written);
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let counter = Arc::clone(&counter);
        async move {
            talk.head().await;
            talk.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").await;
            let piece = format!("{PIECE:x}\r\n{}\r\n", "x".repeat(PIECE));
            while counter.load(Ordering::SeqCst) < WHOLE && talk.say(&piece).await {
                counter.fetch_add(u64::try_from(PIECE).unwrap(), Ordering::SeqCst);
            }
            talk.say("0\r\n\r\n").await;
        }
    })
    .await;
    let clock = Clock::start();
    let mut answer = upstream_to(&origin).await.send(get("/"), LONG).await.unwrap();
    let stalled = settled(&written).await;
    assert!(stalled < WHOLE / 2, "{stalled} bytes went into buffers while nobody read");
    let mut read = 0;
    while let Some(piece) = next_piece(answer.body_mut(), LONG, &clock).await.unwrap() {
        read += u64::try_from(piece.len()).unwrap();
    }
    assert_eq!(read, WHOLE);
}

#[tokio::test]
async fn a_slow_origin_slows_the_client() {
    let (go, gone) = oneshot::channel::<()>();
    let gone = std::sync::Mutex::new(Some(gone));
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let gone = gone.lock().unwrap().take();
        async move {
            talk.head().await;
            gone.unwrap().await.unwrap();
            talk.say("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n").await;
            talk.until_closed().await;
        }
    })
    .await;
    let mut upstream = upstream_to(&origin).await;
    let (pieces, body) = pipe();
    let posted = request("POST", "/", None).map(|_| Either::Right(body));
    let call = tokio::spawn(async move { upstream.send(posted, LONG).await.map(|answer| answer.status()) });
    let taken = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&taken);
    let client = tokio::spawn(async move {
        while counter.load(Ordering::SeqCst) < WHOLE
            && pieces.send(Piece::More(Bytes::from(vec![b'x'; PIECE]))).await.is_ok()
        {
            counter.fetch_add(u64::try_from(PIECE).unwrap(), Ordering::SeqCst);
        }
    });
    let stalled = settled(&taken).await;
    assert!(stalled < WHOLE / 2, "{stalled} bytes went into buffers while nobody read");
    go.send(()).unwrap();
    assert_eq!(call.await.unwrap().unwrap(), 413, "an answer may come before the request's end");
    client.await.unwrap();
}

#[tokio::test]
async fn an_upgraded_connection_carries_bytes_both_ways_and_keeps_its_place() {
    let origin = Scripted::start(|_, mut talk: Talk| async move {
        let head = talk.head().await.unwrap();
        assert!(head.to_lowercase().contains("upgrade: websocket"), "{head}");
        let switch = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
        talk.say(format!("{switch}early")).await;
        assert_eq!(talk.body(4).await, b"ping");
        talk.say("pong").await;
        talk.until_closed().await;
    })
    .await;
    let server = server_at(origin.address);
    let mut upstream = Upstream::connect(&server, Clock::start()).await.unwrap();
    let mut asked = get("/owa/socket");
    asked.headers_mut().insert("connection", "Upgrade".parse().unwrap());
    asked.headers_mut().insert("upgrade", "websocket".parse().unwrap());
    let mut answer = upstream.send(asked, LONG).await.unwrap();
    assert_eq!(answer.status(), 101);
    let mut tunnel = TokioIo::new(hyper::upgrade::on(&mut answer).await.unwrap());
    drop(upstream);
    let mut early = [0; 5];
    tunnel.read_exact(&mut early).await.unwrap();
    tunnel.write_all(b"ping").await.unwrap();
    let mut pong = [0; 4];
    tunnel.read_exact(&mut pong).await.unwrap();
    assert_eq!((&early, &pong, server.connections()), (b"early", b"pong", 1));
    drop(tunnel);
    assert_eq!(server.connections(), 0);
}
