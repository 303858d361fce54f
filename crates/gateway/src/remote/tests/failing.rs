//! Origins that fail, and what their clients are told (T27); nothing is made again that may have had an effect.

use std::time::Duration;

use super::listening;
use super::stage::{Stage, ews, message, post};
use crate::remote::RemoteSettings;
use crate::remote::scripted::{Nobody, Scripted, Talk};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An origin that reads each request whole, says `what`, and then closes or stays silent.
async fn says(what: &'static [u8], closes: bool) -> (Scripted, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let counter = Arc::clone(&counter);
        async move {
            if message(&mut talk).await.is_some() {
                counter.fetch_add(1, Ordering::SeqCst);
                talk.say(what).await;
                if !closes {
                    talk.until_closed().await;
                }
            }
        }
    })
    .await;
    (origin, asked)
}

async fn before(origin: &Scripted) -> Stage {
    let mut remote = RemoteSettings::new(vec![origin.url()]);
    remote.response_head_time = Duration::from_secs(3);
    remote.answer_idle_time = Duration::from_secs(2);
    Stage::with(remote, listening(true)).await
}

#[tokio::test(start_paused = true)]
async fn an_origin_that_fails_after_the_request_was_sent_may_have_carried_it_out() {
    let cases: [(&[u8], bool); 5] = [
        (b"", true),
        (b"", false),
        (b"HTTP/1.1 2", true),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", true),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", false),
    ];
    for (what, closes) in cases {
        let (origin, asked) = says(what, closes).await;
        let stage = before(&origin).await;
        let answered = stage.ask(ews("", "")).await;
        assert_eq!(answered.status, 500, "{what:?}");
        assert!(answered.text().contains("ErrorMailboxStoreUnavailable"), "{}", answered.text());
        let answered = stage.ask(post("/Microsoft-Server-ActiveSync?Cmd=Sync", "x", "")).await;
        assert_eq!(answered.status, 503, "{what:?}");
        assert!(answered.header("retry-after").is_some() && answered.header("x-ms-asthrottle").is_none());
        let answered = stage.ask(post("/owa/", "x", "")).await;
        assert_eq!((answered.status, answered.header("retry-after").is_some()), (503, true));
        assert_eq!(asked.load(Ordering::SeqCst), 3, "nothing is made again: {what:?}");
    }
}

#[tokio::test]
async fn an_origin_that_nobody_reaches_has_had_no_effect() {
    let nobody = Nobody::new();
    let remote = RemoteSettings::new(vec![nobody.url()]);
    let stage = Stage::with(remote, listening(true)).await;
    let answered = stage.ask(ews("", "")).await;
    assert_eq!(answered.status, 500);
    assert!(answered.text().contains("ErrorServerBusy"), "{}", answered.text());
    let value = answered.text().split("Name=\"BackOffMilliseconds\">").nth(1).unwrap().to_owned();
    assert!(value.split('<').next().unwrap().parse::<u64>().unwrap() >= 1);
    for path in ["/Microsoft-Server-ActiveSync?Cmd=Sync", "/owa/"] {
        let answered = stage.ask(post(path, "x", "")).await;
        assert_eq!((answered.status, answered.header("retry-after").is_some()), (503, true));
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_once_it_has_begun_never_looks_whole() {
    let half: &[u8] = Box::leak(
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n".as_slice(), &vec![b'x'; 100_000]]
            .concat()
            .into_boxed_slice(),
    );
    for path in ["/EWS/Exchange.asmx", "/owa/"] {
        let (origin, _) = says(half, true).await;
        let stage = before(&origin).await;
        let mut client = stage.client().await;
        client.say(post(path, "x", "")).await;
        assert!(message(&mut client).await.is_none(), "the last chunk never comes");
    }
}

/// Where in a small answer an origin stops never matters: whole or not at all.
#[tokio::test(start_paused = true)]
async fn an_origin_may_break_off_or_hang_at_any_byte() {
    const WHOLE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwell";
    for end in 0..WHOLE.len() {
        for closes in [true, false] {
            let (origin, _) = says(&WHOLE[..end], closes).await;
            let answered = before(&origin).await.ask(ews("", "")).await;
            assert_eq!(answered.status, 500, "{end} bytes, closes: {closes}");
            assert!(answered.text().contains("ErrorMailboxStoreUnavailable"), "{}", answered.text());
        }
    }
    let (origin, _) = says(WHOLE, false).await;
    assert_eq!(before(&origin).await.ask(ews("", "")).await.text(), "well");
}

#[tokio::test(start_paused = true)]
async fn a_malformed_answer_reaches_nobody() {
    let endless = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-More: and more\r\n".repeat(10_000));
    let cases: [&'static [u8]; 6] = [
        Box::leak(endless.into_bytes().into_boxed_slice()),
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nwell",
        b"HTTP/1.1 200 OK\r\nContent-Length: four\r\n\r\nwell",
        b"HTTP/1.1 200 OK\r\nX-Folded: one\r\n two\r\nContent-Length: 4\r\n\r\nwell",
        b"HTTP/1.1 200 OK\r\nBad Name: 1\r\nContent-Length: 4\r\n\r\nwell",
        b"220 mail.example.com ESMTP\r\n",
    ];
    for what in cases {
        let (origin, asked) = says(what, true).await;
        let answered = before(&origin).await.ask(ews("", "")).await;
        let shown = String::from_utf8_lossy(&what[..what.len().min(80)]).into_owned();
        assert_eq!(answered.status, 500, "{shown}");
        assert!(answered.text().contains("ErrorMailboxStoreUnavailable"), "{shown}");
        assert_eq!(asked.load(Ordering::SeqCst), 1, "{shown}");
    }
}

#[tokio::test]
async fn a_malformed_chunk_never_looks_like_an_end() {
    for chunk in ["zz\r\nwell\r\n0\r\n\r\n", "-4\r\nwell\r\n0\r\n\r\n", "4\r\nwell!!0\r\n\r\n"] {
        let what = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}");
        let (origin, _) = says(Box::leak(what.into_bytes().into_boxed_slice()), true).await;
        let stage = before(&origin).await;
        let mut client = stage.client().await;
        client.say(post("/owa/", "x", "")).await;
        assert!(message(&mut client).await.is_none(), "{chunk:?}");
    }
}
