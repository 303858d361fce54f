//! Origins that answer badly: wrong lengths, endless heads, shapes that smuggle, silence at each possible byte.

use tokio::sync::mpsc;

use super::{LONG, failure_of, says, upstream_to};
use crate::remote::failure::FailureKind;
use crate::remote::scripted::{Scripted, Talk, all, get, request};
use crate::remote::upstream::{Upstream, next_piece};
use weir_clock::Clock;

async fn check_bad(answer: &'static str) {
    let failure = failure_of(&says(answer).await, get("/")).await;
    assert!(matches!(failure.kind, FailureKind::BadAnswer { .. }), "{answer:?} gave {failure}");
    assert!(failure.sent && !failure.retry());
}

#[tokio::test]
async fn what_is_no_answer_is_not_passed_on() {
    check_bad("SSH-2.0-OpenSSH\r\n\r\n").await;
    check_bad("HTTP/1.1 abc OK\r\n\r\n").await;
    check_bad("HTTP/1.1 200 OK\r\nA: 1\r\n folded: 2\r\n\r\n").await;
    check_bad("HTTP/1.1 200 OK\r\nContent-Length : 3\r\n\r\nabc").await;
    check_bad("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd").await;
    check_bad("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc").await;
    check_bad("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n").await;
    check_bad("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nabc").await;
    check_bad("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").await;
    check_bad("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n").await;
}

#[tokio::test]
async fn an_endless_head_ends_at_its_bound() {
    for line in ["X-More: and more\r\n", "x"] {
        let origin = Scripted::start(move |_, mut talk: Talk| async move {
            talk.head().await;
            talk.say("HTTP/1.1 200 OK\r\n").await;
            while talk.say(line.repeat(1_000)).await {}
        })
        .await;
        let failure = failure_of(&origin, get("/")).await;
        assert!(matches!(failure.kind, FailureKind::BadAnswer { .. }), "{failure}");
    }
}

#[tokio::test]
async fn chunks_count_and_a_length_beside_them_does_not() {
    let answer =
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let origin = says(answer).await;
    let mut answer = upstream_to(&origin).await.send(get("/"), LONG).await.unwrap();
    assert_eq!(all(answer.body_mut(), &Clock::start()).await, "hello");
}

#[tokio::test]
async fn informational_answers_are_passed_over() {
    let origin = says(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    )
    .await;
    let answer = upstream_to(&origin).await.send(request("POST", "/", Some("x")), LONG).await.unwrap();
    assert_eq!(answer.status(), 204);
}

#[tokio::test]
async fn bytes_behind_an_answer_end_the_connection() {
    let origin = Scripted::start(|_, mut talk: Talk| async move {
        talk.head().await;
        talk.say(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        )
        .await;
        talk.until_closed().await;
    })
    .await;
    let mut upstream = upstream_to(&origin).await;
    let mut answer = upstream.send(get("/"), LONG).await.unwrap();
    assert_eq!(all(answer.body_mut(), &Clock::start()).await, "ok");
    let failure = upstream.send(get("/"), LONG).await.map(drop).unwrap_err();
    assert!(!failure.sent && failure.request.is_some(), "no call meets an answer that was there before it");
}

const ANSWERS: [&str; 2] = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: 1\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nT: 1\r\n\r\n",
];

/// What a caller makes of an answer: its body, or what went wrong.
async fn outcome(origin: &Scripted) -> Result<String, FailureKind> {
    outcome_over(upstream_to(origin).await).await
}

async fn outcome_over(mut upstream: Upstream) -> Result<String, FailureKind> {
    let clock = Clock::start();
    let mut answer = upstream.send(get("/"), LONG).await.map_err(|failure| failure.kind)?;
    let mut body = Vec::new();
    while let Some(piece) = next_piece(answer.body_mut(), LONG, &clock).await? {
        body.extend_from_slice(&piece);
    }
    Ok(String::from_utf8(body).unwrap())
}

#[tokio::test]
async fn an_answer_cut_at_any_byte_is_never_taken_for_whole() {
    for answer in ANSWERS {
        let origin = Scripted::start(move |cut, mut talk: Talk| async move {
            talk.head().await;
            talk.say(answer.split_at(cut).0).await;
        })
        .await;
        for cut in 0..answer.len() {
            let cut_off = outcome(&origin).await;
            assert!(cut_off.is_err(), "{answer:?} cut at {cut} gave {cut_off:?}");
        }
    }
}

#[tokio::test]
async fn an_origin_that_hangs_at_any_byte_is_given_up() {
    for answer in ANSWERS {
        let (tell, mut told) = mpsc::channel(1);
        let origin = Scripted::start(move |cut, mut talk: Talk| {
            let tell = tell.clone();
            async move {
                talk.head().await;
                talk.say(answer.split_at(cut).0).await;
                tell.send(()).await.unwrap();
                talk.until_closed().await;
            }
        })
        .await;
        for cut in 0..answer.len() {
            let call = tokio::spawn(outcome_over(upstream_to(&origin).await));
            told.recv().await.unwrap();
            tokio::time::pause();
            let given_up = call.await.unwrap();
            tokio::time::resume();
            let silent = matches!(
                given_up,
                Err(FailureKind::SilentBeforeHead { .. } | FailureKind::SilentInAnswer { .. })
            );
            assert!(silent, "{answer:?} stopped at {cut} gave {given_up:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_comes_byte_by_byte_is_whole() {
    for answer in ANSWERS {
        let origin = Scripted::start(move |_, mut talk: Talk| async move {
            talk.head().await;
            for byte in answer.bytes() {
                talk.say([byte]).await;
                tokio::task::yield_now().await;
            }
            talk.until_closed().await;
        })
        .await;
        assert_eq!(outcome(&origin).await, Ok("hello".to_owned()), "{answer:?}");
    }
}
