//! MAPI before the embedded mailbox server, over sockets: what a session is told when it does as it should, and when not.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::sync::watch;
use weir_units::{Component, Micros, Owner};
use weir_wire::mapi::body::{Answer, Connected, Disconnected, Executed, Waited};
use weir_wire::mapi::envelope::Envelope;
use weir_wire::mapi::rop::Backoff;

use crate::mapi::testing::{OUTLOOK, behind_envelope, connect, execute, payload, request, rops};
use crate::remote::scripted::client_of;
use crate::settings::Settings;
use crate::testing::World;
use crate::testing::http::{Answered, answer, basic};

const JOHN: &str = "john.doe@example.com";
const JANE: &str = "jane.doe@example.com";

struct Stage {
    world: World,
    address: SocketAddr,
    _stop: watch::Sender<bool>,
}

impl Stage {
    async fn new() -> Self {
        Self::with(Settings::default()).await
    }

    async fn with(mut settings: Settings) -> Self {
        settings.listen.http = Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let world = World::new(settings);
        let (stop, stopping) = watch::channel(false);
        let bound = world.gateway.bind().await.unwrap();
        let address = bound.addresses().next().unwrap().1;
        tokio::spawn(bound.on_one_clock().serve(stopping));
        Self { world, address, _stop: stop }
    }

    async fn say(&self, bytes: Vec<u8>) -> Answered {
        let mut talk = client_of(self.address).await;
        talk.say(bytes).await;
        answer(&mut talk).await
    }

    fn places(&self, owner: &str) -> u32 {
        let account = self.world.gateway.budgets.peek(&Owner::new(owner), Component::Rca);
        account.map_or(0, |account| account.budget.places())
    }
}

/// A client with a jar for its cookies.
struct Client<'s> {
    stage: &'s Stage,
    name: &'static str,
    cookies: Vec<(String, String)>,
}

impl<'s> Client<'s> {
    fn new(stage: &'s Stage, name: &'static str) -> Self {
        Self { stage, name, cookies: Vec::new() }
    }

    async fn connected(stage: &'s Stage, name: &'static str) -> Self {
        let mut client = Self::new(stage, name);
        let body = client.ask("Connect", &connect(&client.dn())).await.body;
        let body = behind_envelope(&body);
        let Answer::Done(done) = Answer::<Connected<'_>>::read(&body).unwrap() else { panic!("{body:x?}") };
        assert_eq!((done.error_code, done.retry_count, done.retry_delay), (0, 60, 1000));
        client
    }

    fn dn(&self) -> String {
        let local = self.name.split('@').next().unwrap();
        let unit = "Exchange Administrative Group (FYDIBOHF23SPDLT)";
        format!("/o=example.com/ou={unit}/cn=Recipients/cn={local}")
    }

    fn bytes(&self, asks: &str, body: &[u8]) -> Vec<u8> {
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookie =
            if cookies.is_empty() { String::new() } else { format!("Cookie: {}\r\n", cookies.join("; ")) };
        let login = basic(self.name, "secret");
        request(
            asks,
            &format!("{login}X-ClientInfo: {{C}}:1\r\nX-ClientApplication: {OUTLOOK}\r\n{cookie}"),
            body,
        )
    }

    async fn ask(&mut self, asks: &str, body: &[u8]) -> Answered {
        let answered = self.stage.say(self.bytes(asks, body)).await;
        self.keep(&answered);
        answered
    }

    fn keep(&mut self, answered: &Answered) {
        for line in answered.head.lines() {
            let Some(set) = line.strip_prefix("set-cookie: ") else { continue };
            let (name, value) = set.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(old, _)| old != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
    }

    async fn execute(&mut self, list: &[u8]) -> Answered {
        self.ask("Execute", &execute(list)).await
    }

    /// Logs on to the mailbox of this distinguished name; the handle, or the error.
    async fn log_on(&mut self, dn: &str) -> Result<u32, u32> {
        let mut list = vec![0xFE, 0, 0, 1];
        list.extend(0x0100_0004_u32.to_le_bytes());
        list.extend(0_u32.to_le_bytes());
        list.extend(u16::try_from(dn.len() + 1).unwrap().to_le_bytes());
        list.extend(dn.as_bytes());
        list.push(0);
        let answered = self.execute(&list).await;
        let (list, handles) = payload(&behind_envelope(&answered.body));
        match u32::from_le_bytes(list[2..6].try_into().unwrap()) {
            0 => Ok(handles[0]),
            error => Err(error),
        }
    }
}

fn code(answered: &Answered) -> Option<u32> {
    answered.header("x-responsecode").and_then(|code| code.parse().ok())
}

#[tokio::test]
async fn a_session_begins_works_and_ends() {
    let stage = Stage::new().await;
    let mut client = Client::connected(&stage, JOHN).await;
    let before = client.cookies.clone();
    let dn = client.dn();
    client.log_on(&dn).await.unwrap();
    assert_ne!(client.cookies, before, "each request has a number of its own");
    assert_eq!(stage.places(JOHN), 1);
    let sessions = stage.world.gateway.sessions();
    assert_eq!((sessions[0].state.rops, sessions[0].origin.as_str()), (1, "embedded"));
    let ended = behind_envelope(&client.ask("Disconnect", &[0; 4]).await.body);
    assert!(
        matches!(Answer::<Disconnected<'_>>::read(&ended).unwrap(), Answer::Done(done) if done.error_code == 0)
    );
    assert!(stage.world.gateway.sessions().is_empty() && stage.places(JOHN) == 0);
    assert_eq!(code(&client.execute(&rops(1, &[0])).await), Some(10));
    let log = stage.world.logged();
    assert!(log.lines().any(|line| line.contains("SoapAction=m:Connect") && line.contains(JOHN)), "{log}");
}

#[tokio::test]
async fn an_answer_repeats_its_request_and_says_how_it_went() {
    let stage = Stage::new().await;
    let mut client = Client::connected(&stage, JOHN).await;
    let answered = client.ask("PING", &[]).await;
    assert_eq!((answered.status, code(&answered)), (200, Some(0)));
    assert_eq!(answered.header("content-type").as_deref(), Some("application/mapi-http"));
    assert_eq!(answered.header("x-requesttype").as_deref(), Some("PING"));
    assert_eq!(answered.header("x-requestid").as_deref(), Some("{A}:7"));
    assert_eq!(answered.header("x-clientinfo").as_deref(), Some("{C}:1"));
    let mut envelope = Envelope::new();
    assert_eq!(envelope.feed(&answered.body).unwrap(), b"");
    assert!(envelope.is_processing() && envelope.elapsed().is_some());
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_said_by_its_code() {
    let stage = Stage::new().await;
    let mut client = Client::connected(&stage, JOHN).await;
    assert_eq!(code(&client.ask("Unheard", &[]).await), Some(5));
    for (asks, body) in [
        ("Connect", vec![1]),
        ("Execute", vec![0; 5]),
        ("Disconnect", vec![1; 9]),
        ("NotificationWait", vec![]),
    ] {
        let before = client.cookies.clone();
        assert_eq!(code(&client.ask(asks, &body).await), Some(12), "{asks}");
        assert_eq!(client.cookies, before, "the next request has the same number");
    }
    assert_eq!(code(&client.ask("Execute", &vec![0; 0x5_0000]).await), Some(9));
    let login = basic(JOHN, "secret");
    let got = stage.say(format!("GET /mapi/emsmdb HTTP/1.1\r\nHost: x\r\n{login}\r\n").into_bytes()).await;
    assert_eq!((got.status, code(&got)), (200, Some(2)));
    let silent = format!("POST /mapi/emsmdb HTTP/1.1\r\nHost: x\r\n{login}Content-Length: 0\r\n\r\n");
    assert_eq!(code(&stage.say(silent.into_bytes()).await), Some(7));
    let nobody = stage.say(request("Connect", "", &connect("/o=x"))).await;
    assert!(nobody.status == 401 && nobody.header("www-authenticate").is_some());
    let huge = format!("Cookie: a={}\r\n", "x".repeat(1 << 20));
    assert_eq!(stage.say(request("PING", &huge, &[])).await.status, 431);
}

#[tokio::test]
async fn a_request_needs_the_cookies_of_its_own_session() {
    let stage = Stage::new().await;
    let mut john = Client::connected(&stage, JOHN).await;
    let mut jane = Client::connected(&stage, JANE).await;
    let (johns, janes) = (john.cookies.clone(), jane.cookies.clone());
    jane.cookies.clone_from(&johns);
    for asks in ["Execute", "Disconnect", "NotificationWait", "PING"] {
        assert_eq!(
            code(&jane.ask(asks, &execute(&rops(1, &[0]))).await),
            Some(if asks == "Disconnect" || asks == "NotificationWait" { 12 } else { 11 }),
            "{asks}"
        );
    }
    assert_eq!(code(&jane.ask("Disconnect", &[0; 4]).await), Some(11));
    assert_eq!(code(&jane.ask("NotificationWait", &[0; 8]).await), Some(11));
    assert_eq!(stage.world.gateway.sessions().len(), 2, "John's is untouched");
    jane.cookies = janes.into_iter().filter(|(name, _)| name == "MapiContext").collect();
    assert_eq!(code(&jane.execute(&rops(1, &[0])).await), Some(13), "its number is missing");
    john.cookies.retain(|(name, _)| name != "MapiContext");
    assert_eq!(code(&john.execute(&rops(1, &[0])).await), Some(13));
    john.cookies.push(("MapiContext".into(), "0".repeat(32)));
    assert_eq!(code(&john.execute(&rops(1, &[0])).await), Some(10));
}

#[tokio::test]
async fn a_request_that_is_sent_again_is_not_carried_out_again() {
    let stage = Stage::new().await;
    let mut client = Client::connected(&stage, JOHN).await;
    let again = client.bytes("Execute", &execute(&rops(1, &[0])));
    client.execute(&rops(1, &[0])).await;
    assert_eq!(code(&stage.say(again).await), Some(15));
    assert_eq!(stage.world.gateway.sessions()[0].state.rops, 1);
}

#[tokio::test]
async fn nobody_gets_a_session_or_a_mailbox_that_is_not_his() {
    let stage = Stage::new().await;
    let mut jane = Client::new(&stage, JANE);
    let johns = Client::new(&stage, JOHN).dn();
    let body = behind_envelope(&jane.ask("Connect", &connect(&johns)).await.body);
    let Answer::Done(refused) = Answer::<Connected<'_>>::read(&body).unwrap() else { panic!() };
    assert_ne!(refused.error_code, 0);
    assert!(jane.cookies.is_empty() && stage.world.gateway.sessions().is_empty() && stage.places(JANE) == 0);
    let mut jane = Client::connected(&stage, JANE).await;
    assert!(jane.log_on(&johns).await.is_err());
    let dn = jane.dn();
    jane.log_on(&dn).await.unwrap();
}

#[tokio::test]
async fn a_session_that_owes_is_told_so_and_sends_the_very_same_again() {
    let stage = Stage::new().await;
    let mut client = Client::connected(&stage, JOHN).await;
    client.execute(&rops(1, &[0])).await;
    let session = stage.world.gateway.sessions.all().remove(0);
    stage.world.gateway.embedded_rpc.took(Micros::new(3_600_000_000));
    session.rpc.pass_anyway(1_000, stage.world.gateway.clock.tick());
    client.execute(&rops(4, &[0])).await;
    let cookies = client.cookies.clone();
    let refused = client.execute(&rops(4, &[0])).await;
    let (list, _) = payload(&behind_envelope(&refused.body));
    let (backoff, rest) = Backoff::read(&list).unwrap().unwrap();
    assert!((1..=2000).contains(&backoff.duration.count()) && rest.is_empty());
    assert_eq!(client.cookies, cookies, "the same request, with the same number, is the next one");
    let before = session.rpc.state(stage.world.gateway.clock.tick()).rops;
    client.execute(&[]).await;
    assert_ne!(client.cookies, cookies, "an empty one passes");
    assert_eq!(session.rpc.state(stage.world.gateway.clock.tick()).rops, before);
}

#[tokio::test]
async fn who_waits_for_notifications_hears_that_the_wait_goes_on_and_what_it_came_to() {
    let mut settings = Settings::default();
    settings.mapi.notification_wait = Micros::new(400_000);
    settings.mapi.pending_period = Micros::new(110_000);
    let stage = Stage::with(settings).await;
    let mut client = Client::connected(&stage, JOHN).await;
    let dn = client.dn();
    client.log_on(&dn).await.unwrap();
    let answered = client.ask("NotificationWait", &[0; 8]).await;
    let mut envelope = Envelope::new();
    let body = envelope.feed(&answered.body).unwrap().to_vec();
    assert!(envelope.is_processing() && envelope.pending() >= 1, "{answered:?}");
    let Answer::Done(waited) = Answer::<Waited<'_>>::read(&body).unwrap() else { panic!() };
    assert!(!waited.event_pending);
    assert_eq!(stage.places(JOHN), 1, "the session's");
}

#[tokio::test]
async fn a_session_too_many_fails_at_connect() {
    let stage = Stage::new().await;
    stage.world.hold_john_to(&[("RCAMaxConcurrency", Some(0))]);
    let mut client = Client::new(&stage, JOHN);
    let body = behind_envelope(&client.ask("Connect", &connect(&client.dn())).await.body);
    let Answer::Done(failed) = Answer::<Connected<'_>>::read(&body).unwrap() else { panic!() };
    assert_eq!(failed.error_code, 0x8004_0112);
    assert!(client.cookies.is_empty() && stage.world.gateway.sessions().is_empty());
}

#[tokio::test]
async fn an_answer_to_execute_has_what_the_mailbox_server_says() {
    let stage = Stage::new().await;
    let mut client = Client::connected(&stage, JOHN).await;
    let body = behind_envelope(&client.execute(&rops(1, &[0])).await.body);
    assert!(
        matches!(Answer::<Executed<'_>>::read(&body).unwrap(), Answer::Done(done) if done.error_code == 0)
    );
}
