//! Requests with bodies: streamed with back-pressure, never made whole by the gateway, and counted before they end (T26).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use weir_throttle::Busy;
use weir_units::Micros;

use super::stage::{Got, JOHN, Origin, Stage, answer, basic, ews, message, post, well};
use crate::remote::scripted::{Scripted, Talk};
use weir_clock::Clock;

/// More than all buffers on the way hold.
const LARGE: usize = 64 << 20;
const PATHS: [&str; 3] = ["/EWS/Exchange.asmx", "/Microsoft-Server-ActiveSync?Cmd=SendMail", "/owa/upload"];

/// Enough to know what is asked.
const BEGINNING: &str = "<Envelope><Body><GetItem>";

fn head(path: &str, framing: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: mail.example.com\r\nContent-Type: text/xml\r\n{framing}\r\n\r\n")
}

#[tokio::test]
async fn a_slow_origin_slows_the_client_and_the_body_arrives_whole() {
    for path in PATHS {
        let (go, leave) = watch::channel(false);
        let origin = Scripted::start(move |_, mut talk: Talk| {
            let mut leave = leave.clone();
            async move {
                if talk.head().await.is_none() {
                    return;
                }
                leave.wait_for(|leave| *leave).await.unwrap();
                let body = talk.body(LARGE).await;
                assert!(body.len() == LARGE && body.iter().all(|byte| *byte == b' '));
                talk.say(well()).await;
            }
        })
        .await;
        let stage = Stage::before(&origin).await;
        let client = tokio::net::TcpStream::connect(stage.address).await.unwrap();
        let (mut reader, mut writer) = client.into_split();
        let written = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&written);
        let first = head(path, &format!("Content-Length: {LARGE}"));
        let sending = tokio::spawn(async move {
            writer.write_all(first.as_bytes()).await.unwrap();
            let piece = vec![b' '; 64 << 10];
            for _ in 0..LARGE / piece.len() {
                writer.write_all(&piece).await.unwrap();
                counter.fetch_add(piece.len(), Ordering::SeqCst);
            }
            writer
        });
        stalls(&written).await;
        assert!(written.load(Ordering::SeqCst) < LARGE / 2, "{path}: {written:?} bytes are held on the way");
        go.send(true).unwrap();
        let _writer = sending.await.unwrap();
        let mut status = [0; 12];
        reader.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
    }
}

/// Returns once nothing more was written for many turns of the executor.
async fn stalls(written: &AtomicUsize) {
    let (mut last, mut turns) = (0, 0);
    while turns < 20_000 {
        tokio::task::yield_now().await;
        let now = written.load(Ordering::SeqCst);
        turns = if now == last && now > 0 { turns + 1 } else { 0 };
        last = now;
    }
}

#[tokio::test]
async fn a_client_that_breaks_off_makes_no_whole_request() {
    let part = format!("{BEGINNING}{}", " ".repeat(200 << 10));
    let framings = [
        ("Content-Length: 300000", part.clone()),
        ("Transfer-Encoding: chunked", format!("{:x}\r\n{part}\r\n", part.len())),
    ];
    for path in PATHS {
        for (framing, sent) in &framings {
            let (tell, mut told) = mpsc::unbounded_channel();
            let origin = Scripted::start(move |_, mut talk: Talk| {
                let tell = tell.clone();
                async move {
                    let Some(first) = talk.head().await else { return };
                    tell.send(None).unwrap();
                    // All that comes until the connection is closed.
                    let rest = talk.body(usize::MAX).await;
                    tell.send(Some((first, rest))).unwrap();
                }
            })
            .await;
            let stage = Stage::before(&origin).await;
            let mut client = stage.client().await;
            client.say(head(path, framing)).await;
            client.say(sent).await;
            assert!(told.recv().await.unwrap().is_none(), "the request has begun");
            drop(client);
            let (first, rest) = told.recv().await.unwrap().unwrap();
            if first.to_lowercase().contains("chunked") {
                assert!(!rest.ends_with(b"0\r\n\r\n"), "{path}");
            } else {
                assert!(rest.len() < 300_000, "{path}");
            }
        }
    }
}

#[tokio::test]
async fn an_early_refusal_of_the_origin_reaches_a_client_that_is_still_sending() {
    for path in PATHS {
        for (status, reads_on) in [("401 Unauthorized", true), ("413 Content Too Large", false)] {
            let origin = Scripted::start(move |_, mut talk: Talk| async move {
                if talk.head().await.is_some() {
                    talk.say(format!(
                        "HTTP/1.1 {status}\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnope"
                    ))
                    .await;
                    if !reads_on {
                        std::future::pending::<()>().await;
                    }
                    talk.until_closed().await;
                }
            })
            .await;
            let stage = Stage::before(&origin).await;
            let mut client = stage.client().await;
            client.say(head(path, "Content-Length: 20000000")).await;
            // As a client does that writes all before it reads.
            assert!(client.say(BEGINNING).await);
            assert!(
                client.say(" ".repeat(20_000_000 - BEGINNING.len())).await,
                "{path}: the body broke the connection"
            );
            let answered = answer(&mut client).await;
            assert!(status.starts_with(&answered.status.to_string()), "{path}: {}", answered.head);
            assert_eq!(answered.text(), "nope");
        }
    }
}

/// A batch of `items` whose ids are `length` bytes long.
fn batch(items: usize, length: usize) -> String {
    let id = format!("<t:ItemId Id=\"{}\"/>", "i".repeat(length));
    let operation = format!("<m:GetItem><m:ItemIds>{}</m:ItemIds></m:GetItem>", id.repeat(items));
    ews(&operation, &basic(JOHN, "secret"))
}

#[tokio::test(start_paused = true)]
async fn a_batch_is_checked_once_an_item_before_its_last_byte_goes_on() {
    // 2 ms a check, so that all of them come before the processor is looked at again.
    for (items, length) in [(1, 10), (50, 10), (400, 400)] {
        let origin = Origin::new(|_: &Got| well()).await;
        let stage = Stage::before(&origin.scripted).await;
        stage.accept_john().await;
        stage.world.hold_john_to(&[("CPUStartPercent", Some(50))]);
        stage.world.gateway.cpu.pretend(Busy::new(5020));
        let clock = stage.world.gateway.clock;
        let began = clock.tick();
        let mut client = stage.client().await;
        client.say(batch(items, length)).await;
        assert_eq!(answer(&mut client).await.status, 200);
        let took = clock.tick().since(began);
        let expected = Micros::new(2000 * u64::try_from(items).unwrap());
        assert_eq!(took, expected, "{items} items");
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_byte_of_a_large_batch_waits_for_the_checks() {
    let clock = Clock::start();
    let (tell, mut told) = mpsc::unbounded_channel();
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let tell = tell.clone();
        async move {
            while message(&mut talk).await.is_some() {
                tell.send(clock.tick()).unwrap();
                talk.say(well()).await;
            }
        }
    })
    .await;
    let stage = Stage::before(&origin).await;
    stage.accept_john().await;
    told.recv().await.unwrap();
    stage.world.hold_john_to(&[("CPUStartPercent", Some(50))]);
    stage.world.gateway.cpu.pretend(Busy::new(5020));
    let mut client = stage.client().await;
    client.say(batch(400, 400)).await;
    let before = stage.world.gateway.clock.tick();
    assert_eq!(answer(&mut client).await.status, 200);
    let whole = told.recv().await.unwrap();
    assert!(whole == clock.tick(), "the origin has the request whole only after all checks");
    assert_eq!(stage.world.gateway.clock.tick().since(before), Micros::new(800_000));
}

#[tokio::test]
async fn a_small_request_keeps_its_length() {
    let origin = Origin::new(|_: &Got| well()).await;
    let stage = Stage::before(&origin.scripted).await;
    for path in PATHS {
        stage.ask(post(path, "<a/>", "")).await;
        let got = origin.got().pop().unwrap();
        assert_eq!(got.text(), "<a/>");
        assert!(got.head.contains("Content-Length: 4\r\n"), "{}", got.head);
    }
}

/// What makes two servers see different requests in the same bytes: the origin gets none that could.
#[tokio::test]
async fn a_request_whose_length_is_told_twice_or_badly_smuggles_nothing() {
    let refused = [
        "Content-Length: 4\r\nContent-Length: 5\r\n",
        "Content-Length: +4\r\n",
        "Content-Length: 4, 5\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        "X-Folded: one\r\n Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
    ];
    let origin = Origin::new(|_| well()).await;
    let stage = Stage::before(&origin.scripted).await;
    for fields in refused {
        let mut client = stage.client().await;
        client
            .say(format!(
                "POST /owa/ HTTP/1.1\r\nHost: m\r\n{fields}\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n"
            ))
            .await;
        assert_eq!(answer(&mut client).await.status, 400, "{fields:?}");
    }
    assert!(origin.got().is_empty(), "{:?}", origin.got());
    let mut client = stage.client().await;
    client
        .say("POST /owa/ HTTP/1.1\r\nHost: m\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwell\r\n0\r\n\r\n")
        .await;
    let status = answer(&mut client).await.status;
    assert!([200, 400].contains(&status), "{status}");
    for got in origin.got() {
        assert!(!got.head.to_lowercase().contains("content-length"), "{}", got.head);
        assert_eq!(got.text(), "well");
    }
}

/// `100 Continue` and other interim answers concern two neighbours only; both ends may play at them.
#[tokio::test]
async fn interim_answers_go_no_further_than_one_connection() {
    let pieces = |_: &Got| {
        let interim =
            ["100 Continue\r\n\r\n", "100 Continue\r\n\r\n", "103 Early Hints\r\nLink: </x>\r\n\r\n"];
        let interim = interim.map(|rest| format!("HTTP/1.1 {rest}").into_bytes());
        interim.into_iter().chain([well()]).collect()
    };
    let origin = Origin::in_pieces(pieces).await;
    let stage = Stage::before(&origin.scripted).await;
    for path in PATHS {
        let mut client = stage.client().await;
        client.say(head(path, "Content-Length: 4\r\nExpect: 100-continue")).await;
        assert_eq!(client.head().await.unwrap().lines().next(), Some("HTTP/1.1 100 Continue"), "{path}");
        client.say("well").await;
        assert_eq!(answer(&mut client).await.status, 200, "{path}");
        assert_eq!(origin.got().pop().unwrap().text(), "well", "{path}");
    }
}
