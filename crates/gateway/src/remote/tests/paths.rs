//! Paths beside EWS: tunnels and pages that pass, `ActiveSync`, calls that hang (T25).

use std::time::Duration;

use weir_throttle::Snapshot;
use weir_units::{Component, TimePart};

use super::listening;
use super::stage::{Got, JOHN, Origin, Stage, basic, ews, header_of, message, post, reply, well};
use crate::remote::RemoteSettings;
use crate::remote::scripted::{Scripted, Talk};

const PING: &str = "\u{3}\u{1}j\u{0}\u{0}\u{d}EH\u{3}80\u{0}\u{1}\u{1}";
const EAS: &str = "/Microsoft-Server-ActiveSync?Cmd=";

fn eas(command: &str, body: &str) -> String {
    post(&format!("{EAS}{command}&User=john&DeviceId=d&DeviceType=p"), body, &basic(JOHN, "secret"))
}

fn used_millis(budget: &Snapshot, part: TimePart) -> u64 {
    budget.time[part.index()].used.floor_millis().count()
}

#[tokio::test]
async fn other_paths_pass_as_they_are_and_cost_nobody_anything() {
    let origin = Origin::new(|got: &Got| reply("207 Multi-Status", "X-Own: 1\r\n", &got.text())).await;
    let stage = Stage::before(&origin.scripted).await;
    let paths = [
        "/owa/?ae=1",
        "/ecp/x",
        "/autodiscover/autodiscover.xml",
        "/rpc/rpcproxy.dll?h:6001",
        "/powershell",
        "/",
    ];
    for path in paths {
        let request = post(path, "body \u{1}", &basic(JOHN, "secret")).replace("POST", "PROPFIND");
        let answered = stage.ask(request).await;
        assert_eq!((answered.status, answered.text().as_str()), (207, "body \u{1}"));
        assert_eq!(answered.header("x-own").as_deref(), Some("1"));
        let got = origin.got().pop().unwrap();
        assert!(got.head.starts_with(&format!("PROPFIND {path} HTTP/1.1\r\n")), "{}", got.head);
    }
    let mut budgets = 0;
    stage.world.gateway.budgets.for_each(|_| budgets += 1);
    assert_eq!(budgets, 0);
}

/// A tunnel that answers before it has its request's body: what RPC over HTTP does, with a gibibyte announced.
#[tokio::test]
async fn a_tunnel_carries_each_piece_at_once_both_ways() {
    let origin = Scripted::start(|_, mut talk: Talk| async move {
        while talk.head().await.is_some() {
            assert_eq!(talk.body(4).await, b"ping");
            talk.say("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\npong").await;
            assert_eq!(talk.body(4).await, b"more");
            talk.say("last").await;
        }
    })
    .await;
    let stage = Stage::before(&origin).await;
    let mut client = stage.client().await;
    client
        .say("RPC_IN_DATA /rpc/rpcproxy.dll HTTP/1.1\r\nHost: m\r\nContent-Length: 1073741824\r\n\r\nping")
        .await;
    assert!(client.head().await.unwrap().starts_with("HTTP/1.1 200 OK\r\n"));
    assert_eq!(client.body(4).await, b"pong");
    client.say("more").await;
    assert_eq!(client.body(4).await, b"last");
}

#[tokio::test]
async fn a_web_socket_carries_bytes_both_ways() {
    let origin = Scripted::start(|_, mut talk: Talk| async move {
        let Some(head) = talk.head().await else { return };
        assert_eq!(header_of(&head, "upgrade").as_deref(), Some("websocket"));
        assert_eq!(header_of(&head, "sec-websocket-key").as_deref(), Some("abc"));
        talk.say(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello",
        )
        .await;
        assert_eq!(talk.body(3).await, b"you");
        talk.say("bye").await;
    })
    .await;
    let stage = Stage::before(&origin).await;
    let mut client = stage.client().await;
    client
        .say(
            "GET /owa/socket HTTP/1.1\r\nHost: m\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Key: abc\r\n\r\n",
        )
        .await;
    let head = client.head().await.unwrap();
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    assert_eq!(client.body(5).await, b"hello");
    client.say("you").await;
    assert_eq!(client.body(100).await, b"bye", "and it ends when the origin ends it");
}

#[tokio::test]
async fn other_calls_of_active_sync_are_charged_to_it() {
    let origin = Origin::new(|_| well()).await;
    let stage = Stage::before(&origin.scripted).await;
    assert_eq!(stage.ask(eas("FolderSync", "x")).await.status, 200);
    assert!(stage.budget(JOHN, Component::Eas).is_some() && stage.budget(JOHN, Component::Ews).is_none());
    stage.world.hold_john_to(&[("EASMaxConcurrency", Some(0))]);
    let refused = stage.ask(eas("FolderSync", "x")).await;
    assert_eq!(refused.status, 503);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(refused.header("x-ms-asthrottle").as_deref(), Some("OutOfBudgets"));
}

/// An origin that lets every call hang whose body is `PING` or that asks for events, once it is `known` who asks.
async fn patient(answers: usize) -> Scripted {
    let served = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    Scripted::start(move |_, mut talk: Talk| {
        let served = std::sync::Arc::clone(&served);
        async move {
            while message(&mut talk).await.is_some() {
                if served.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= answers {
                    talk.until_closed().await;
                    return;
                }
                talk.say(well()).await;
            }
        }
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn ten_calls_may_hang_which_hold_no_place_and_cost_nothing() {
    let origin = patient(1).await;
    let stage = Stage::before(&origin).await;
    assert_eq!(stage.ask(eas("FolderSync", "x")).await.status, 200);
    stage.world.hold_john_to(&[("EASMaxConcurrency", Some(1))]);
    let mut hanging = Vec::new();
    for count in 1..=10 {
        let mut client = stage.client().await;
        client.say(eas("Ping", PING)).await;
        stage.johns(Component::Eas, |budget| budget.hanging == count && budget.connections == 0).await;
        hanging.push(client);
    }
    let before = used_millis(&stage.budget(JOHN, Component::Eas).unwrap(), TimePart::Cas);
    tokio::time::advance(Duration::from_secs(50)).await;
    let after = used_millis(&stage.budget(JOHN, Component::Eas).unwrap(), TimePart::Cas);
    assert!(after <= before, "{before} ms before, {after} ms after");
    let refused = stage.ask(eas("Ping", PING)).await;
    assert_eq!(refused.status, 503);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(refused.header("x-ms-asthrottle").as_deref(), Some("OutOfBudgets"));
    hanging.pop();
    stage.johns(Component::Eas, |budget| budget.hanging == 9).await;
    let mut client = stage.client().await;
    client.say(eas("Ping", PING)).await;
    stage.johns(Component::Eas, |budget| budget.hanging == 10).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_has_hung_before_its_owner_was_known_costs_him_nothing() {
    let origin = Scripted::start(|_, mut talk: Talk| async move {
        while message(&mut talk).await.is_some() {
            tokio::time::advance(Duration::from_secs(30)).await;
            talk.say(well()).await;
        }
    })
    .await;
    let stage = Stage::before(&origin).await;
    assert_eq!(stage.ask(eas("Ping", PING)).await.status, 200);
    let budget = stage.budget(JOHN, Component::Eas).unwrap();
    assert!(used_millis(&budget, TimePart::Cas) < 1000, "{budget}");
    assert_eq!((budget.hanging, budget.connections), (0, 0));
    let stage = Stage::before(&origin).await;
    assert_eq!(stage.ask(eas("FolderSync", "x")).await.status, 200);
    let budget = stage.budget(JOHN, Component::Eas).unwrap();
    assert!(used_millis(&budget, TimePart::MailboxRpc) >= 30_000, "a call that works does: {budget}");
}

#[tokio::test]
async fn a_stream_of_events_may_be_silent_longer_than_other_answers() {
    let (go, leave) = tokio::sync::watch::channel(false);
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let mut leave = leave.clone();
        async move {
            while let Some((_, body)) = message(&mut talk).await {
                if !String::from_utf8_lossy(&body).contains("GetStreamingEvents") {
                    talk.say(reply("200 OK", "", "")).await;
                    continue;
                }
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n";
                talk.say(format!("{head}1\r\na\r\n")).await;
                leave.wait_for(|leave| *leave).await.unwrap();
                talk.say("1\r\nb\r\n0\r\n\r\n").await;
            }
        }
    })
    .await;
    let mut remote = RemoteSettings::new(vec![origin.url()]);
    // Any other answer that is not there at once breaks off.
    remote.answer_idle_time = Duration::ZERO;
    let stage = Stage::with(remote, listening(true)).await;
    stage.accept_john().await;
    let events = "<m:GetStreamingEvents><m:SubscriptionIds><t:SubscriptionId>s</t:SubscriptionId></m:SubscriptionIds>\
                  <m:ConnectionTimeout>10</m:ConnectionTimeout></m:GetStreamingEvents>";
    let mut client = stage.client().await;
    client.say(ews(events, &basic(JOHN, "secret"))).await;
    stage.johns(Component::Ews, |budget| budget.hanging == 1 && budget.connections == 0).await;
    assert!(client.head().await.unwrap().starts_with("HTTP/1.1 200"));
    assert_eq!(client.body(6).await, b"1\r\na\r\n", "what comes goes on at once");
    go.send(true).unwrap();
    assert_eq!(client.body(11).await, b"1\r\nb\r\n0\r\n\r\n");
    stage.johns(Component::Ews, |budget| budget.hanging == 0).await;
}

#[tokio::test]
async fn a_subscription_too_many_is_the_error_of_its_message() {
    let origin = Origin::new(|got: &Got| {
        let body = "<e:Envelope xmlns:e='e'><e:Body><SubscribeResponse><ResponseMessages><SubscribeResponseMessage>\
                    <ResponseCode>NoError</ResponseCode><SubscriptionId>abc</SubscriptionId></SubscribeResponseMessage>\
                    </ResponseMessages></SubscribeResponse></e:Body></e:Envelope>";
        if got.text().contains("Subscribe") { reply("200 OK", "Content-Type: text/xml\r\n", body) } else { well() }
    })
    .await;
    let stage = Stage::before(&origin.scripted).await;
    stage.accept_john().await;
    stage.world.hold_john_to(&[("EWSMaxSubscriptions", Some(1))]);
    let subscribe = "<m:Subscribe><m:PullSubscriptionRequest><t:Timeout>10</t:Timeout></m:PullSubscriptionRequest>\
                     </m:Subscribe>";
    let request = ews(subscribe, &basic(JOHN, "secret"));
    assert!(stage.ask(&request).await.text().contains("abc"));
    let refused = stage.ask(&request).await;
    assert_eq!(refused.status, 200);
    assert!(
        refused.text().contains("SubscribeResponseMessage ResponseClass=\"Error\""),
        "{}",
        refused.text()
    );
    assert!(refused.text().contains("ErrorExceededSubscriptionCount"), "{}", refused.text());
}
