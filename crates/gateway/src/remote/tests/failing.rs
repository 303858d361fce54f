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
