//! Calls that wait for a place at a remote origin, and those that need none (T8, T23, T25).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;
use weir_throttle::fair::{LimitRules, Load};
use weir_units::Component;

use super::listening;
use super::stage::{JOHN, Stage, answer, basic, ews, message, post, reply, well};
use crate::mapi::testing::{connect, connected, execute, request, rops};
use crate::remote::scripted::{Scripted, Talk, eventually};
use crate::remote::{RemoteOrigin, RemoteSettings};

/// An origin that works on each call until it is let go, and what it has been asked.
struct Working {
    origin: Scripted,
    let_go: Arc<Semaphore>,
    asked: Arc<AtomicUsize>,
}

impl Working {
    async fn new() -> Self {
        let (let_go, asked) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
        let (permits, counter) = (Arc::clone(&let_go), Arc::clone(&asked));
        let origin = Scripted::start(move |_, mut talk: Talk| {
            let (permits, counter) = (Arc::clone(&permits), Arc::clone(&counter));
            async move {
                while let Some((head, _)) = message(&mut talk).await {
                    counter.fetch_add(1, Ordering::SeqCst);
                    permits.acquire().await.unwrap().forget();
                    talk.say(if head.contains("/mapi/") { mapi_well() } else { well() }).await;
                }
            }
        })
        .await;
        Self { origin, let_go, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn lets_go(&self, calls: usize) {
        self.let_go.add_permits(calls);
    }

    /// A gateway that lets so many calls run here at once, and that knows John and Jane.
    async fn before(&self, places: u32) -> Stage {
        let mut settings = listening(true);
        settings.throttle.fair_share = Some(LimitRules::fixed(places).unwrap());
        let stage = Stage::with(RemoteSettings::new(vec![self.origin.url()]), settings).await;
        self.lets_go(2);
        for name in [JOHN, JANE] {
            assert_eq!(stage.ask(ews("", &basic(name, "secret"))).await.status, 200);
        }
        stage.world.hold_john_to(&[("EWSMaxConcurrency", Some(50))]);
        self.asked.store(0, Ordering::SeqCst);
        stage
    }
}

const JANE: &str = "jane.doe@example.com";

fn mapi_well() -> Vec<u8> {
    let body = [&b"PROCESSING\r\nDONE\r\nX-ElapsedTime: 1\r\n\r\n"[..], &connected(0)].concat();
    let head = format!("HTTP/1.1 200 OK\r\nX-ResponseCode: 0\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), &body].concat()
}

fn origin(stage: &Stage) -> Arc<RemoteOrigin> {
    Arc::clone(stage.world.gateway.remotes().unwrap().serving(None))
}

fn load(stage: &Stage) -> Load {
    origin(stage).places.load()
}

/// John asks `calls` times at once.
async fn flood(stage: &Stage, calls: usize) -> Vec<Talk> {
    let mut clients = Vec::new();
    for _ in 0..calls {
        let mut client = stage.client().await;
        client.say(ews("", &basic(JOHN, "secret"))).await;
        clients.push(client);
    }
    clients
}

#[tokio::test]
async fn no_more_calls_run_at_an_origin_than_may_and_a_flood_delays_the_flooder() {
    let working = Working::new().await;
    let stage = working.before(2).await;
    let mut johns = flood(&stage, 10).await;
    eventually(|| working.asked() == 2 && load(&stage).waiting == 8).await;
    let mut jane = stage.client().await;
    jane.say(ews("", &basic(JANE, "secret"))).await;
    eventually(|| load(&stage).waiting == 9).await;
    assert_eq!((working.asked(), load(&stage).running), (2, 2));
    // One ends, and she is the next, before eight who came before her; another one ends, and it is she who has her answer.
    working.lets_go(1);
    eventually(|| working.asked() == 3).await;
    working.lets_go(2);
    assert_eq!(answer(&mut jane).await.status, 200);
    working.lets_go(8);
    for client in &mut johns {
        assert_eq!(answer(client).await.status, 200);
    }
    assert_eq!((working.asked(), load(&stage).running, load(&stage).waiting), (11, 0, 0));
    let log = stage.world.logged();
    assert!(
        log.contains("Why=FairShare") && log.contains("Saw=held,") && log.contains(",place:refuse:"),
        "{log}"
    );
}

#[tokio::test]
async fn a_client_that_goes_leaves_its_line_and_the_origin_never_hears_of_it() {
    let working = Working::new().await;
    let stage = working.before(1).await;
    let first = flood(&stage, 1).await;
    eventually(|| working.asked() == 1).await;
    let waits = flood(&stage, 27).await;
    eventually(|| load(&stage).waiting == 27).await;
    drop(waits);
    eventually(|| load(&stage).waiting == 0).await;
    stage.johns(Component::Ews, |budget| budget.connections == 1).await;
    working.lets_go(1);
    drop(first);
    eventually(|| load(&stage).running == 0).await;
    assert_eq!(working.asked(), 1);
}

#[tokio::test]
async fn whoever_sends_slowly_holds_no_place() {
    let working = Working::new().await;
    let stage = working.before(1).await;
    let mut slow = stage.client().await;
    let large = " ".repeat(1 << 20);
    let whole = ews(&format!("{}{large}", super::GET_INBOX), &basic(JOHN, "secret"));
    let (sent, rest) = whole.split_at(whole.len() - 100);
    slow.say(sent).await;
    stage.johns(Component::Ews, |budget| budget.connections == 1).await;
    working.lets_go(1);
    assert_eq!(stage.ask(ews("", &basic(JANE, "secret"))).await.status, 200);
    // The last of it comes, and takes the place.
    slow.say(rest).await;
    eventually(|| working.asked() == 2 && load(&stage).running == 1).await;
    working.lets_go(1);
    assert_eq!(answer(&mut slow).await.status, 200);
    assert_eq!(load(&stage).running, 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_turn_does_not_come_is_told_to_come_back_and_leaves_nothing_behind() {
    let working = Working::new().await;
    let stage = working.before(1).await;
    let _first = flood(&stage, 1).await;
    eventually(|| working.asked() == 1).await;
    let subscribe = "<m:Subscribe><m:PullSubscriptionRequest><t:Timeout>10</t:Timeout>\
                     </m:PullSubscriptionRequest></m:Subscribe>";
    for operation in ["", subscribe] {
        let refused = stage.ask(ews(operation, &basic(JANE, "secret"))).await;
        assert_eq!(refused.status, 500);
        let text = refused.text();
        assert!(text.contains("ErrorServerBusy") && text.contains("BackOffMilliseconds"), "{text}");
    }
    let jane = stage.budget(JANE, Component::Ews).unwrap();
    assert_eq!((jane.connections, jane.subscriptions.1, working.asked()), (0, 0, 1));
    assert_eq!((load(&stage).running, load(&stage).waiting), (1, 0));
}

#[tokio::test]
async fn calls_that_hang_hold_no_place() {
    let origin = Scripted::start(move |_, mut talk: Talk| async move {
        while let Some((_, body)) = message(&mut talk).await {
            if String::from_utf8_lossy(&body).contains("GetStreamingEvents") {
                let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n";
                talk.say([&head[..], b"5\r\n<Ok/>\r\n"].concat()).await;
                talk.until_closed().await;
                return;
            }
            talk.say(well()).await;
        }
    })
    .await;
    let mut settings = listening(true);
    settings.throttle.fair_share = Some(LimitRules::fixed(1).unwrap());
    let stage = Stage::with(RemoteSettings::new(vec![origin.url()]), settings).await;
    stage.accept_john().await;
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut client = stage.client().await;
        let hangs = "<m:GetStreamingEvents><m:SubscriptionIds><t:SubscriptionId>a</t:SubscriptionId>\
                     </m:SubscriptionIds><m:ConnectionTimeout>10</m:ConnectionTimeout></m:GetStreamingEvents>";
        client.say(ews(hangs, &basic(JOHN, "secret"))).await;
        assert!(client.head().await.unwrap().starts_with("HTTP/1.1 200"));
        streams.push(client);
    }
    stage.johns(Component::Ews, |budget| budget.hanging == 3).await;
    assert_eq!(load(&stage).running, 0);
    stage.accept_john().await;
}

#[tokio::test]
async fn who_only_claims_to_be_john_takes_nothing_of_johns_share() {
    let working = Working::new().await;
    let stage = working.before(1).await;
    let _first = flood(&stage, 1).await;
    eventually(|| working.asked() == 1).await;
    let mut guesser = stage.client().await;
    guesser.say(ews("", &basic(JOHN, "guessed"))).await;
    eventually(|| load(&stage).waiting == 1).await;
    let john = origin(&stage).places.of(&weir_units::Owner::new(JOHN));
    assert_eq!((john.running, john.waiting), (1, 0));
    drop(guesser);
    eventually(|| load(&stage).waiting == 0).await;
}

#[tokio::test]
async fn a_path_that_nobody_is_charged_for_passes_by() {
    let working = Working::new().await;
    let stage = working.before(1).await;
    let _first = flood(&stage, 1).await;
    eventually(|| working.asked() == 1).await;
    for path in ["/autodiscover/autodiscover.xml", "/owa/"] {
        let before = working.asked();
        let mut client = stage.client().await;
        client.say(post(path, "x", "")).await;
        eventually(|| working.asked() == before + 1).await;
    }
    assert_eq!(load(&stage).running, 1);
}

#[tokio::test(start_paused = true)]
async fn a_mapi_request_waits_ten_seconds_and_is_then_told_to_back_off() {
    let working = Working::new().await;
    let stage = working.before(1).await;
    let fields = format!(
        "{}X-ClientInfo: {{C}}:1\r\nX-ClientApplication: {}\r\n",
        basic(JANE, "secret"),
        crate::mapi::testing::OUTLOOK
    );
    working.lets_go(1);
    let opened = stage.ask(request("Connect", &fields, &connect("/o=x/cn=jane"))).await;
    assert_eq!(opened.status, 200);
    let cookie = opened.head.lines().find_map(|line| line.strip_prefix("set-cookie: MailweirMapi=")).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let _first = flood(&stage, 1).await;
    eventually(|| working.asked() == 2).await;
    let began = stage.world.gateway.clock.tick();
    let fields = format!("{fields}Cookie: MailweirMapi={cookie}\r\n");
    let refused = stage.ask(request("Execute", &fields, &execute(&rops(4, &[0])))).await;
    assert_eq!(refused.status, 200);
    let waited = stage.world.gateway.clock.tick().since(began).count() / 1_000_000;
    assert_eq!(waited, 10);
    assert_eq!(working.asked(), 2, "the origin sees nothing of it");
    let (list, _) = crate::mapi::testing::payload(&crate::mapi::testing::behind_envelope(&refused.body));
    let told = weir_wire::mapi::rop::Backoff::read(&list).unwrap().unwrap().0;
    assert!(told.duration.count() >= 1, "{told:?}");
}

#[tokio::test]
async fn an_origin_that_is_down_costs_nobody_a_place_or_a_subscription() {
    let origin = Scripted::start(|_, mut talk: Talk| async move {
        while let Some((_, body)) = message(&mut talk).await {
            if String::from_utf8_lossy(&body).contains("Subscribe") {
                return;
            }
            talk.say(reply(
                "200 OK",
                "Content-Type: text/xml\r\n",
                "<e:Envelope xmlns:e='e'><e:Body/></e:Envelope>",
            ))
            .await;
        }
    })
    .await;
    let stage = Stage::before(&origin).await;
    stage.accept_john().await;
    let subscribe = "<m:Subscribe><m:PullSubscriptionRequest><t:Timeout>10</t:Timeout>\
                     </m:PullSubscriptionRequest></m:Subscribe>";
    assert_eq!(stage.ask(ews(subscribe, &basic(JOHN, "secret"))).await.status, 500);
    let john = stage.budget(JOHN, Component::Ews).unwrap();
    assert_eq!((john.connections, john.subscriptions.1, load(&stage).running), (0, 0, 0));
}
