//! A recorded conversation through a listener, `headers` and an upstream: byte for byte, save what is documented (T20).

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::Either;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::{LONG, server_at};
use crate::remote::headers::{self, Forwarding};
use crate::remote::scripted::{Scripted, Talk, client_of};
use crate::remote::server::Server;
use crate::remote::settings::ForwardingSettings;
use crate::remote::upstream::Upstream;
use weir_clock::Clock;

/// A gateway that changes nothing, before `server`.
async fn gateway(server: Arc<Server>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, client)) = listener.accept().await {
            let server = Arc::clone(&server);
            let pass = service_fn(move |request| pass(request, Arc::clone(&server), client));
            let mut builder = http1::Builder::new();
            builder.preserve_header_case(true).auto_date_header(false);
            tokio::spawn(builder.serve_connection(TokioIo::new(stream), pass));
        }
    });
    address
}

async fn pass(
    request: Request<Incoming>,
    server: Arc<Server>,
    client: SocketAddr,
) -> Result<Response<Incoming>, Infallible> {
    let (mut head, body) = request.into_parts();
    let forwarding = Forwarding {
        from: client.ip(),
        trusted: None,
        secure: false,
        id: "6f1c",
        answer_is_read: false,
        server: "origin",
        settings: ForwardingSettings::default(),
    };
    headers::for_origin(&mut head, &forwarding);
    let mut upstream = Upstream::connect(&server, Clock::start()).await.unwrap();
    let request = Request::from_parts(head, Either::Left(body));
    let (mut head, body) = upstream.send(request, LONG).await.unwrap().into_parts();
    headers::for_client(&mut head);
    Ok(Response::from_parts(head, body))
}

/// What reaches the origin when the client says `request`, and what reaches the client when the origin says `answer`.
async fn converse(request: &str, request_body: usize, answer: &'static str) -> (String, String) {
    let (tell, mut told) = mpsc::channel(1);
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let tell = tell.clone();
        async move {
            let head = talk.head().await.unwrap();
            let body = String::from_utf8(talk.body(request_body).await).unwrap();
            tell.send(head + &body).await.unwrap();
            talk.say(answer).await;
        }
    })
    .await;
    let mut client = client_of(gateway(server_at(origin.address)).await).await;
    client.say(request).await;
    let asked = told.recv().await.unwrap();
    let head = client.head().await.unwrap();
    let body = client.body(usize::MAX).await;
    (asked, head + &String::from_utf8(body).unwrap())
}

const ADDED: &str = "x-forwarded-for: 127.0.0.1\r\nclient-request-id: 6f1c\r\n";

#[tokio::test]
async fn names_keep_their_spelling_and_their_order_both_ways() {
    let request_head = "POST /EWS/Exchange.asmx?X=%20y HTTP/1.1\r\nHost: Mail.Example.COM\r\n\
        User-AGENT: DavMail\r\nX-odd_Name: a  b\r\nAUTHORIZATION: Basic eA==\r\ncookie: a=1\r\nCookie: b=2\r\n\
        SOAPAction: \"x\"\r\nContent-Length: 4\r\nAccept-Encoding: gzip\r\n";
    let answer = "HTTP/1.1 200 Fine By Me\r\nSERVER: Odd\r\nContent-length: 5\r\nSet-Cookie: x=1\r\nSET-cookie: y=2\r\n\
        X-FEServer: EX01\r\nDate: never\r\n\r\nhello";
    let (heard, answered) =
        converse(&format!("{request_head}Connection: close\r\n\r\nbody"), 4, answer).await;
    assert_eq!(heard, format!("{request_head}{ADDED}\r\nbody"));
    // hyper says itself that the connection ends.
    assert_eq!(answered.replace("connection: close\r\n", ""), answer);
}

#[tokio::test]
async fn chunks_stay_chunks() {
    let request_head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX-After: 1\r\n";
    let body = "4\r\nbody\r\n0\r\n\r\n";
    let answer = "HTTP/1.1 500 Internal Server Error\r\nTransfer-Encoding: chunked\r\nX-After: 1\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let asked = format!("{request_head}Connection: close\r\n\r\n{body}");
    let (heard, answered) = converse(&asked, body.len(), answer).await;
    assert_eq!(heard, format!("{request_head}{ADDED}\r\n{body}"));
    assert_eq!(answered.replace("connection: close\r\n", ""), answer);
}

#[tokio::test]
async fn the_body_of_a_get_is_passed_on_too() {
    let request_head = "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n";
    let body = "4\r\nbody\r\n0\r\n\r\n";
    let asked = format!("{request_head}Connection: close\r\n\r\n{body}");
    let (heard, _) = converse(&asked, body.len(), "HTTP/1.1 204 No Content\r\n\r\n").await;
    assert_eq!(heard, format!("{request_head}{ADDED}\r\n{body}"));
}

#[tokio::test]
async fn an_answer_without_a_body_keeps_what_it_says_of_its_length() {
    let asked = "HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 500\r\nETag: \"x\"\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n",
    ] {
        let (_, answered) = converse(asked, 0, answer).await;
        assert_eq!(answered.replace("connection: close\r\n", ""), answer);
    }
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let (_, answered) = converse(asked, 0, chunked).await;
    assert!(answered.ends_with("\r\n\r\n") && answered.matches("\r\n\r\n").count() == 1, "{answered:?}");
}

#[tokio::test]
async fn a_client_of_http_1_0_is_served() {
    let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let (heard, answered) = converse("GET /a HTTP/1.0\r\n\r\n", 0, answer).await;
    assert_eq!(heard, format!("GET /a HTTP/1.1\r\nhost: origin\r\n{ADDED}\r\n"));
    assert!(
        answered.starts_with("HTTP/1.0 200 OK\r\n") && answered.ends_with("\r\n\r\nhello"),
        "{answered:?}"
    );
}

#[tokio::test]
async fn a_request_with_two_lengths_reaches_the_origin_with_one() {
    let body = "4\r\nbody\r\n0\r\n\r\n";
    for lengths in
        ["Content-Length: 2\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 2"]
    {
        let asked = format!("POST / HTTP/1.1\r\nHost: a\r\n{lengths}\r\n\r\n{body}");
        let (got, _) = converse(&asked, body.len(), "HTTP/1.1 204 No Content\r\n\r\n").await;
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n";
        assert_eq!(got, format!("{head}{ADDED}\r\n{body}"), "of {lengths:?}");
    }
}

#[tokio::test]
async fn a_client_that_waits_for_leave_to_send_its_body_gets_it() {
    let origin = Scripted::start(|_, mut talk: Talk| async move {
        let head = talk.head().await.unwrap();
        assert!(head.contains("Expect: 100-continue\r\n"), "{head}");
        let body = String::from_utf8(talk.body(4).await).unwrap();
        talk.say("HTTP/1.1 100 Continue\r\n\r\n").await;
        talk.say(format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{body}")).await;
        talk.until_closed().await;
    })
    .await;
    let mut client = client_of(gateway(server_at(origin.address)).await).await;
    client.say("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n").await;
    assert_eq!(client.head().await.unwrap(), "HTTP/1.1 100 Continue\r\n\r\n");
    client.say("body").await;
    assert!(client.head().await.unwrap().starts_with("HTTP/1.1 200 OK\r\n"));
    assert_eq!(client.body(4).await, b"body");
}

#[tokio::test]
async fn an_answer_that_comes_before_the_body_reaches_a_client_that_waits_with_it() {
    let origin = Scripted::start(|_, mut talk: Talk| async move {
        talk.head().await;
        talk.say("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n").await;
        talk.until_closed().await;
    })
    .await;
    let mut client = client_of(gateway(server_at(origin.address)).await).await;
    client.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n").await;
    let head = client.head().await.unwrap();
    assert!(head.starts_with("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM\r\n"), "{head}");
}
