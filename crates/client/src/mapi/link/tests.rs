use std::time::Duration;

use tokio::sync::mpsc;
use weir_wire::mapi::RequestType::{Connect, Execute, Ping};

use super::super::scripted::{Request as Asked, Scripted, Talk, enveloped, settings};
use super::*;

const OK: &str = "X-ResponseCode: 0\r\n";

/// A server that answers every request with `body` as it is, in pieces of the sizes.
async fn saying(headers: &'static str, body: Vec<u8>, sizes: &'static [usize]) -> Scripted {
    Scripted::start(move |_, mut talk| {
        let body = body.clone();
        async move {
            while talk.request().await.is_some() {
                talk.answer(headers, &body, sizes).await;
            }
        }
    })
    .await
}

/// A server that answers one request on each connection with these bytes and closes.
async fn once(answer: &'static str) -> Scripted {
    Scripted::start(move |_, mut talk: Talk| async move {
        talk.request().await;
        talk.say(answer).await;
    })
    .await
}

async fn asks(server: &Scripted) -> Result<Vec<u8>, MapiError> {
    server.link().call(Execute, b"ask".to_vec()).await
}

#[tokio::test]
async fn every_request_has_the_headers_that_it_must_have_and_every_cookie() {
    let (heard, mut hear) = mpsc::unbounded_channel::<Asked>();
    let server = Scripted::start(move |_, mut talk| {
        let heard = heard.clone();
        async move {
            let mut count = 0;
            while let Some(request) = talk.request().await {
                heard.send(request).unwrap();
                count += 1;
                let cookies = format!("Set-Cookie: seq={count}; path=/\r\nSet-Cookie: ctx=abc; secure\r\n");
                talk.answer(&cookies, &enveloped(b""), &[1024]).await;
            }
        }
    })
    .await;
    let mut link = server.link();
    for (call, cookies) in
        [(Connect, None), (Execute, Some("seq=1; ctx=abc")), (Ping, Some("seq=2; ctx=abc"))]
    {
        link.call(call, b"body".to_vec()).await.unwrap();
        let request = hear.recv().await.unwrap();
        assert!(request.head.starts_with("POST /mapi/emsmdb HTTP/1.1\r\n"), "{}", request.head);
        for (name, value) in [
            ("X-RequestType", Some(call.name())),
            ("Content-Type", Some("application/mapi-http")),
            ("Content-Length", Some("4")),
            ("X-ClientApplication", Some("Mailweir/15.0.0.0")),
            ("User-Agent", Some(concat!("Mailweir/", env!("CARGO_PKG_VERSION")))),
            ("Authorization", Some("Basic amFuZTpzZWNyZXQ=")),
            ("Cookie", cookies),
        ] {
            assert_eq!(request.header(name), value, "{name} of {call}");
        }
        assert!(request.header("Host").unwrap().starts_with("127.0.0.1:"));
        assert!(request.header("X-ClientInfo").unwrap().ends_with("}:1"));
        assert_eq!(request.body, b"body");
    }
    assert_eq!(server.accepted(), 1);
}

#[tokio::test]
async fn two_links_number_their_requests_in_one_row_and_share_their_cookies() {
    let (heard, mut hear) = mpsc::unbounded_channel::<Asked>();
    let server = Scripted::start(move |_, mut talk| {
        let heard = heard.clone();
        async move {
            while let Some(request) = talk.request().await {
                heard.send(request).unwrap();
                talk.answer("Set-Cookie: a=1\r\n", &enveloped(b""), &[1024]).await;
            }
        }
    })
    .await;
    let mut link = server.link();
    let mut other = link.another();
    link.call(Execute, Vec::new()).await.unwrap();
    other.call(Ping, Vec::new()).await.unwrap();
    let (first, second) = (hear.recv().await.unwrap(), hear.recv().await.unwrap());
    let id = |request: &Asked| request.header("X-RequestId").unwrap().to_owned();
    assert_eq!(id(&first).replace("}:1", "}:2"), id(&second));
    assert_eq!(first.header("X-ClientInfo"), second.header("X-ClientInfo"));
    assert_eq!(second.header("Cookie"), Some("a=1"));
    assert_eq!(server.accepted(), 2);
}

#[tokio::test]
async fn an_answer_may_come_in_any_pieces_and_with_few_headers() {
    let whole = b"PROCESSING\r\nPENDING\r\nPENDING\r\nDONE\r\nX-ElapsedTime: 7\r\n\r\nthe body";
    let sloppy = b"PROCESSING\nPENDINGPENDINGDONE\r\n\r\nthe body";
    for sizes in [&[1][..], &[3, 1, 7], &[1000]] {
        for (headers, answer) in [(OK, &whole[..]), ("", whole), (OK, sloppy), ("X-Other: 1\r\n", sloppy)] {
            let server = saying(headers, answer.to_vec(), sizes).await;
            assert_eq!(asks(&server).await.unwrap(), b"the body", "{sizes:?}");
        }
    }
    let server = once(
        "HTTP/1.1 200 OK\r\nContent-Type: application/mapi-http\r\nContent-Length: 23\r\n\r\n\
         PROCESSING\r\nDONE\r\n\r\nabc",
    )
    .await;
    assert_eq!(asks(&server).await.unwrap(), b"abc");
}

#[tokio::test]
async fn a_connection_that_was_closed_between_two_calls_is_opened_again() {
    let server = Scripted::start(|_, mut talk| async move {
        talk.request().await;
        talk.answer(OK, &enveloped(b"x"), &[1024]).await;
    })
    .await;
    let mut link = server.link();
    for _ in 0..3 {
        assert_eq!(link.call(Execute, Vec::new()).await.unwrap(), b"x");
        let closed = async {
            while !link.idle.as_ref().unwrap().is_closed() {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_mins(1), closed).await.expect("the server closes");
    }
    assert_eq!(server.accepted(), 3);
}

#[tokio::test]
async fn a_call_that_may_have_arrived_is_not_made_twice() {
    for answer in
        ["", "HTTP/1.1 200 OK\r\nContent-Type: application/mapi-http\r\nContent-Length: 99\r\n\r\nPROCESS"]
    {
        let server = once(answer).await;
        let error = asks(&server).await.unwrap_err();
        assert!(matches!(error, MapiError::Broken { call: Execute, .. }), "{error}");
        assert_eq!(server.accepted(), 1);
    }
}

#[tokio::test]
async fn what_is_wrong_is_said_in_words_that_say_what_to_do() {
    for (answer, words) in [
        (
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
            "does not accept the password of jane; check",
        ),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "the path is usually /mapi/emsmdb"),
        ("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", "another address; use that one"),
        ("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", "too much to do; try again later"),
        ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi", "is it a mail server?"),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-ResponseCode: 10\r\nContent-Length: 2\r\n\r\nhi",
            "response code 10: it knows the session no longer, after a pause or a restart; connect again",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: application/mapi-http\r\nContent-Length: 41\r\n\r\n\
             PROCESSING\r\nDONE\r\nX-ResponseCode: 18\r\n\r\n!",
            "it is being stopped; try again later",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: application/mapi-http\r\nContent-Length: 12\r\n\r\nPROCESSING\r\n",
            "cannot be read (ends within an envelope)",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: application/mapi-http\r\nContent-Length: 6\r\n\r\n<html>",
            "cannot be read (a meta-tag says what it cannot)",
        ),
    ] {
        let error = asks(&once(answer).await).await.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn an_answer_has_a_longest_length() {
    let server = saying(OK, enveloped(&[7; 1000]), &[64]).await;
    for (limit, fits) in [(1000, true), (999, false)] {
        let mut settings = server.settings();
        settings.limits.answer = limit;
        let answer = Link::new(settings).unwrap().call(Execute, Vec::new()).await;
        match answer {
            Ok(body) => assert!(fits && body == [7; 1000]),
            Err(error) => assert!(!fits && matches!(error, MapiError::TooLong { limit: 999, .. }), "{error}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_server_that_is_silent_is_told_so_and_one_that_says_pending_is_not_silent() {
    let server = Scripted::within(|_, mut talk| async move {
        talk.request().await;
        talk.say(
            "HTTP/1.1 200 OK\r\nContent-Type: application/mapi-http\r\nTransfer-Encoding: chunked\r\n\r\n",
        )
        .await;
        for _ in 0..5 {
            tokio::time::sleep(Duration::from_secs(30)).await;
            talk.say("7\r\nPENDING\r\n").await;
        }
        talk.until_closed().await;
    });
    let mut settings = server.settings();
    settings.limits.silence = Duration::from_mins(1);
    let clock = crate::clock::Clock::start();
    let error = server.link_with(settings.clone()).call(Execute, Vec::new()).await.unwrap_err();
    assert!(matches!(error, MapiError::Silent { .. }), "{error}");
    assert!(clock.tick() >= weir_units::Tick::new(210_000_000));
    settings.limits.call = Duration::from_secs(100);
    let error = server.link_with(settings).call(Execute, Vec::new()).await.unwrap_err();
    assert!(matches!(error, MapiError::Endless { .. }), "{error}");
}

#[tokio::test]
async fn a_password_goes_unencrypted_to_this_machine_alone() {
    let mut link = Link::new(settings("http://192.0.2.1/mapi/emsmdb")).unwrap();
    let error = link.call(Execute, Vec::new()).await.unwrap_err().to_string();
    assert!(error.starts_with("192.0.2.1 is not this machine"), "{error}");
}

#[tokio::test]
async fn a_certificate_is_trusted_by_the_file_that_names_its_authority_and_by_nothing_less() {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, cert.pem()).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let server = Scripted::start(move |_, talk| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(stream) = acceptor.accept(talk.into_stream()).await else { return };
            let mut talk = Talk::over(stream);
            talk.request().await;
            talk.answer(OK, &enveloped(b"x"), &[1024]).await;
        }
    })
    .await;
    let mut settings = settings(&format!("https://localhost:{}", server.port()));
    let error = Link::new(settings.clone()).unwrap().call(Execute, Vec::new()).await.unwrap_err();
    assert!(matches!(error, MapiError::Tls { .. }), "{error}");
    settings.ca = Some(file);
    assert_eq!(Link::new(settings.clone()).unwrap().call(Execute, Vec::new()).await.unwrap(), b"x");
    settings.ca = Some(folder.path().join("missing.pem"));
    let error = Link::new(settings).err().unwrap();
    assert!(matches!(error, MapiError::Authority { .. }), "{error}");
}
