//! MAPI before a remote origin: sessions, back-offs, and what the origin sees of them (R7, R9, R11, R15).

use std::sync::Arc;

use tokio::sync::Notify;
use weir_units::{Component, Micros};
use weir_wire::mapi::body::{Answer as AnswerBody, Connected, Executed, STATUS_TOO_BUSY, Waited};
use weir_wire::mapi::envelope::PROCESSING;
use weir_wire::mapi::rop::{Backoff, too_busy};

use super::stage::{Answered, Got, JOHN, Origin, Stage, answer, basic, header_of, message, reply};
use crate::claim::vectors::{header, ntlm_authenticate, ntlm_challenge, ntlm_negotiate};
use crate::mapi::session::Session;
use crate::mapi::testing::{
    OUTLOOK, OUTLOOK_2003, RELEASE, behind_envelope, connect, connected, disconnected, execute, executed,
    payload, request, rops, waited,
};
use crate::remote::scripted::{Scripted, Talk};

const DONE: &[u8] = b"DONE\r\nX-ElapsedTime: 1\r\nX-StartTime: Fri, 05 Mar 2010 17:00:00 GMT\r\n\r\n";

/// An answer of an origin with this envelope and body, and a cookie of its own.
fn enveloped(envelope: &[u8], body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/mapi-http\r\nX-ResponseCode: 0\r\nSet-Cookie: sid=1\r\n\
         Content-Length: {}\r\n\r\n",
        envelope.len() + body.len()
    );
    [head.as_bytes(), envelope, body].concat()
}

fn well(body: &[u8]) -> Vec<u8> {
    enveloped(&[PROCESSING, DONE].concat(), body)
}

/// What an origin of this kind answers.
fn answers(got: &Got) -> Vec<u8> {
    match header_of(&got.head, "x-requesttype").as_deref() {
        Some("Connect") => well(&connected(0)),
        Some("Execute") => well(&executed(b"rops")),
        Some("Disconnect") => well(&disconnected()),
        Some("NotificationWait") => well(&waited()),
        _ => well(&[]),
    }
}

/// A client with a jar for its cookies.
struct Client<'s> {
    stage: &'s Stage,
    application: &'static str,
    info: &'static str,
    login: String,
    cookies: Vec<String>,
}

impl<'s> Client<'s> {
    fn new(stage: &'s Stage) -> Self {
        Self::of(stage, JOHN, OUTLOOK, "{C}:1")
    }

    fn of(stage: &'s Stage, name: &str, application: &'static str, info: &'static str) -> Self {
        Self { stage, application, info, login: basic(name, "secret"), cookies: Vec::new() }
    }

    fn bytes(&self, asks: &str, body: &[u8]) -> Vec<u8> {
        let Self { application, info, login, cookies, .. } = self;
        let cookie =
            if cookies.is_empty() { String::new() } else { format!("Cookie: {}\r\n", cookies.join("; ")) };
        let fields = format!("{login}X-ClientInfo: {info}\r\nX-ClientApplication: {application}\r\n{cookie}");
        request(asks, &fields, body)
    }

    async fn ask(&mut self, asks: &str, body: &[u8]) -> Answered {
        let answered = self.stage.ask(self.bytes(asks, body)).await;
        for line in answered
            .head
            .lines()
            .filter_map(|line| line.strip_prefix("set-cookie: ").or(line.strip_prefix("Set-Cookie: ")))
        {
            let cookie = line.split(';').next().unwrap().to_owned();
            let name = cookie.split('=').next().unwrap().to_owned() + "=";
            self.cookies.retain(|old| !old.starts_with(&name));
            self.cookies.push(cookie);
        }
        answered
    }

    async fn connect(stage: &'s Stage) -> Self {
        let mut client = Self::new(stage);
        client.begin().await;
        client
    }

    async fn begin(&mut self) {
        let answered = self.ask("Connect", &connect("/o=x/cn=john")).await;
        assert_eq!(answered.status, 200, "{}", answered.text());
        assert!(self.cookies.iter().any(|cookie| cookie.starts_with("MailweirMapi=")), "{:?}", self.cookies);
    }

    async fn execute(&mut self, list: &[u8]) -> Answered {
        self.ask("Execute", &execute(list)).await
    }
}

/// The only session that there is.
fn session(stage: &Stage) -> Arc<Session> {
    let mut all = stage.world.gateway.sessions.all();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// Makes the origin slow, and its only session too fast for that; another request of it will owe.
fn overdo(stage: &Stage) -> Arc<Session> {
    let session = session(stage);
    let now = stage.world.gateway.clock.tick();
    session.state().server.unwrap().took(Micros::new(3_600_000_000));
    session.rpc.pass_anyway(1_000, now);
    session
}

/// The back-offs in the answer to an `Execute`: logon and milliseconds.
fn back_offs(answered: &Answered) -> Vec<(u8, u64)> {
    let (list, handles) = payload(&behind_envelope(&answered.body));
    assert_eq!(handles, [0x28, u32::MAX], "they come back as they were");
    let (mut list, mut all) = (list.as_slice(), Vec::new());
    while let Some((backoff, rest)) = Backoff::read(list).unwrap() {
        all.push((backoff.logon, backoff.duration.count()));
        list = rest;
    }
    assert!(list.is_empty());
    all
}

fn executes(origin: &Origin) -> usize {
    let is_one = |got: &&Got| header_of(&got.head, "x-requesttype").as_deref() == Some("Execute");
    origin.got().iter().filter(is_one).count()
}

#[tokio::test]
async fn the_gateways_cookie_goes_no_further_and_the_origins_own_pass_untouched() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = Client::connect(&stage).await;
    client.cookies.insert(0, "a=\"x y\"".to_owned());
    assert_eq!(
        client.execute(&rops(2, &[0])).await.body,
        [&[PROCESSING, DONE].concat()[..], &executed(b"rops")].concat()
    );
    let got = origin.got().pop().unwrap();
    assert_eq!(header_of(&got.head, "cookie").as_deref(), Some("a=\"x y\"; sid=1"));
    assert_eq!(got.body, execute(&rops(2, &[0])));
    let all = stage.world.gateway.sessions();
    assert_eq!((all[0].owner.name(), all[0].client.as_str(), all[0].state.rops), (JOHN, OUTLOOK, 2));
    assert_eq!((all[0].mailboxes, all[0].origin.as_str()), (1, origin.scripted.url().to_string().as_str()));
}

#[tokio::test]
async fn a_session_that_owes_is_refused_and_the_origin_sees_nothing_of_it() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = Client::connect(&stage).await;
    client.execute(&rops(1, &[0])).await;
    let session = overdo(&stage);
    assert_eq!(
        client.execute(&rops(4, &[0])).await.body[..],
        answers_to_execute()[..],
        "it passes, and owes"
    );
    let (seen, cookies) = (origin.got().len(), client.cookies.clone());
    let refused = client.execute(&rops(3, &[0, 7])).await;
    let told = back_offs(&refused);
    assert_eq!(
        told.iter().map(|(logon, _)| *logon).collect::<Vec<_>>(),
        [0, 7],
        "one queue, for all mailboxes"
    );
    assert!(told.iter().all(|(_, millis)| (1..=2000).contains(millis)), "{told:?}");
    assert_eq!((refused.status, refused.header("x-requestid").as_deref()), (200, Some("{A}:7")));
    assert_eq!(refused.header("x-responsecode").as_deref(), Some("0"));
    assert!(refused.header("set-cookie").is_none() && client.cookies == cookies, "the origin's stay valid");
    assert_eq!(origin.got().len(), seen);
    assert_eq!(session.rpc.state(stage.world.gateway.clock.tick()).backoffs, 1);
    let line = stage.world.logged();
    let line = line.lines().last().unwrap();
    assert!(line.contains("SoapAction=m:Execute") && line.contains("Why=Backoff;"), "{line}");
    assert!(line.contains("Verdict=refuse") && line.contains("pace:6:"), "{line}");
}

fn answers_to_execute() -> Vec<u8> {
    [PROCESSING, DONE, &executed(b"rops")].concat()
}

#[tokio::test]
async fn an_older_client_hears_that_the_server_is_too_busy_and_how_often_to_try_again() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = Client::of(&stage, JOHN, OUTLOOK_2003, "{C}:1");
    client.begin().await;
    let answered = client.ask("Connect", &connect("/o=x/cn=john")).await;
    let body = behind_envelope(&answered.body);
    let AnswerBody::Done(advised) = AnswerBody::<Connected<'_>>::read(&body).unwrap() else { panic!() };
    assert_eq!((advised.retry_count, advised.retry_delay), (60, 1000));
    assert_eq!((advised.polls_max, advised.display_name), (60_000, &b"J\0"[..]), "all else is the origin's");
    client.execute(&rops(1, &[0])).await;
    overdo(&stage);
    client.execute(&rops(4, &[0])).await;
    let refused = client.execute(&rops(4, &[0])).await;
    let body = behind_envelope(&refused.body);
    let AnswerBody::Failed(failure) = AnswerBody::<Executed<'_>>::read(&body).unwrap() else { panic!() };
    assert_eq!((refused.status, failure.status), (200, STATUS_TOO_BUSY));
}

#[tokio::test]
async fn a_client_of_today_gets_the_origins_own_advice() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    let answered = Client::new(&stage).ask("Connect", &connect("/o=x/cn=john")).await;
    assert_eq!(answered.body, [PROCESSING, DONE, &connected(0)].concat());
}

#[tokio::test]
async fn what_has_no_operations_passes_whatever_its_session_owes() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = Client::connect(&stage).await;
    client.execute(&rops(1, &[0])).await;
    let session = overdo(&stage);
    client.execute(&rops(4, &[0])).await;
    let packets = session.state().server.unwrap().packets();
    for (asks, body) in [
        ("Execute", execute(&[])),
        ("Execute", execute(&RELEASE.repeat(3))),
        ("NotificationWait", vec![0; 8]),
        ("PING", Vec::new()),
    ] {
        let before = origin.got().len();
        assert_eq!(client.ask(asks, &body).await.status, 200);
        assert_eq!(origin.got().len(), before + 1, "{asks}");
    }
    assert_eq!(session.state().server.unwrap().packets(), packets, "nor is it timed");
}

#[tokio::test]
async fn leaving_the_cookie_out_is_no_way_around_a_back_off() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = Client::connect(&stage).await;
    client.execute(&rops(1, &[0])).await;
    overdo(&stage);
    client.execute(&rops(4, &[0])).await;
    client.cookies.retain(|cookie| !cookie.starts_with("MailweirMapi"));
    assert_eq!(back_offs(&client.execute(&rops(4, &[0])).await).len(), 1);
}

#[tokio::test]
async fn a_session_that_the_gateway_does_not_know_is_taken_in_and_takes_a_place() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    stage.world.hold_john_to(&[("RCAMaxConcurrency", Some(1))]);
    stage.accept_john_for_mapi().await;
    let mut client = Client::new(&stage);
    assert_eq!(client.execute(&rops(1, &[0])).await.status, 200);
    assert_eq!(session(&stage).rpc.state(stage.world.gateway.clock.tick()).rops, 1);
    assert_eq!(stage.budget(JOHN, Component::Rca).unwrap().connections, 1);
    let mut another = Client::of(&stage, JOHN, OUTLOOK, "{C}:2");
    let refused = another.execute(&rops(1, &[0])).await;
    assert_eq!(refused.header("x-responsecode").as_deref(), Some("10"), "its client connects anew");
    assert_eq!(executes(&origin), 1);
}

#[tokio::test]
async fn a_client_without_cookies_and_without_a_name_for_its_session_has_one_all_the_same() {
    let origin = Origin::new(answers).await;
    let stage = Stage::observing(&origin.scripted).await;
    stage.accept_john_for_mapi().await;
    let fields = format!("{}X-ClientApplication: {OUTLOOK}\r\n", basic(JOHN, "secret"));
    for _ in 0..3 {
        assert_eq!(stage.ask(request("Execute", &fields, &execute(&rops(1, &[0])))).await.status, 200);
    }
    assert_eq!(session(&stage).rpc.state(stage.world.gateway.clock.tick()).rops, 3);
}

#[tokio::test]
async fn a_session_too_many_fails_at_connect_and_one_that_ends_makes_room() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    stage.world.hold_john_to(&[("RCAMaxConcurrency", Some(1))]);
    let mut first = Client::connect(&stage).await;
    let mut second = Client::of(&stage, JOHN, OUTLOOK, "{D}:1");
    let refused = second.ask("Connect", &connect("/o=x/cn=john")).await;
    let body = behind_envelope(&refused.body);
    let AnswerBody::Done(failed) = AnswerBody::<Connected<'_>>::read(&body).unwrap() else { panic!() };
    assert_eq!((refused.status, failed.error_code), (200, 0x8004_0112));
    assert_eq!(origin.got().len(), 1, "the origin has seen the first only");
    assert_eq!(first.execute(&rops(1, &[0])).await.status, 200, "the one that is there goes on");
    first.ask("Disconnect", &[0; 4]).await;
    assert_eq!(stage.budget(JOHN, Component::Rca).unwrap().connections, 0);
    second.begin().await;
}

#[tokio::test]
async fn over_ntlm_a_session_is_its_owners_once_he_is_proved_and_one_too_many_is_known_by_its_claim() {
    let [negotiate, challenge] = [ntlm_negotiate(), ntlm_challenge()]
        .map(|message| String::from_utf8(header("NTLM", &message)).unwrap());
    let first = negotiate.clone();
    let origin = Origin::new(move |got| {
        if header_of(&got.head, "authorization").as_deref() == Some(first.as_str()) {
            return reply("401 Unauthorized", &format!("WWW-Authenticate: {challenge}\r\n"), "");
        }
        answers(got)
    })
    .await;
    let stage = Stage::before(&origin.scripted).await;
    stage.world.hold_john_to(&[("RCAMaxConcurrency", Some(1))]);
    let third = String::from_utf8(header("NTLM", &ntlm_authenticate("EXAMPLE", "johndoe"))).unwrap();
    let ask = async |talk: &mut Talk, login: &str, asks: &str, body: &[u8]| {
        let login = if login.is_empty() { String::new() } else { format!("Authorization: {login}\r\n") };
        talk.say(request(asks, &format!("{login}X-ClientApplication: {OUTLOOK}\r\n"), body)).await;
        answer(talk).await
    };
    let (accepted, mut johns) = (connected(0), stage.client().await);
    assert_eq!(ask(&mut johns, &negotiate, "Connect", &[]).await.status, 401);
    assert!(stage.world.gateway.sessions().is_empty());
    let connected = ask(&mut johns, &third, "Connect", &connect("/o=x/cn=john")).await;
    assert_eq!(behind_envelope(&connected.body), accepted);
    assert_eq!(session(&stage).new.owner.name(), JOHN);
    assert_eq!(stage.budget(JOHN, Component::Rca).unwrap().connections, 1);
    let mut others = stage.client().await;
    assert_eq!(ask(&mut others, &negotiate, "Connect", &[]).await.status, 401);
    let seen = origin.got().len();
    let refused = ask(&mut others, &third, "Connect", &connect("/o=x/cn=john")).await;
    assert_eq!(behind_envelope(&refused.body)[4..8], 0x8004_0112_u32.to_le_bytes());
    assert_eq!(origin.got().len(), seen, "the origin sees nothing of it");
    assert_eq!(ask(&mut johns, "", "PING", &[]).await.status, 200, "his connection is still his");
}

#[tokio::test]
async fn a_connect_that_the_origin_refuses_leaves_no_session() {
    let origin = Origin::new(|_| well(&connected(0x3F2))).await;
    let stage = Stage::before(&origin.scripted).await;
    let answered = Client::new(&stage).ask("Connect", &connect("/o=x/cn=john")).await;
    assert_eq!(behind_envelope(&answered.body), connected(0x3F2));
    assert!(stage.world.gateway.sessions().is_empty());
    assert_eq!(stage.budget(JOHN, Component::Rca).unwrap().connections, 0);
}

#[tokio::test]
async fn a_client_that_begins_anew_has_one_session() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    stage.world.hold_john_to(&[("RCAMaxConcurrency", Some(1))]);
    Client::connect(&stage).await;
    Client::connect(&stage).await;
    assert_eq!(session(&stage).id, 2);
    assert_eq!(stage.budget(JOHN, Component::Rca).unwrap().connections, 1);
}

#[tokio::test]
async fn nobody_comes_to_another_ones_session() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    let client = Client::connect(&stage).await;
    let mut jane = Client::of(&stage, "jane.doe@example.com", OUTLOOK, "{J}:1");
    jane.begin().await;
    jane.cookies.clone_from(&client.cookies);
    let seen = origin.got().len();
    for asks in ["Execute", "NotificationWait", "Disconnect"] {
        let refused = jane.ask(asks, &execute(&rops(1, &[0]))).await;
        assert_eq!(refused.header("x-responsecode").as_deref(), Some("11"), "{asks}");
    }
    assert_eq!((origin.got().len(), stage.world.gateway.sessions().len()), (seen, 2));
    assert_eq!(stage.world.gateway.sessions()[0].state.rops, 0);
}

#[tokio::test]
async fn who_only_observes_touches_nothing_and_counts_what_would_have_been() {
    let origin = Origin::new(answers).await;
    let stage = Stage::observing(&origin.scripted).await;
    let mut client = Client::of(&stage, JOHN, OUTLOOK_2003, "{C}:1");
    let answered = client.ask("Connect", &connect("/o=x/cn=john")).await;
    assert_eq!(answered.body, [PROCESSING, DONE, &connected(0)].concat());
    assert_eq!(client.cookies, ["sid=1"]);
    client.execute(&rops(1, &[0])).await;
    overdo(&stage);
    for _ in 0..2 {
        assert_eq!(client.execute(&rops(4, &[0])).await.body, answers_to_execute());
    }
    assert_eq!(executes(&origin), 3);
    let log = stage.world.logged();
    let line = log.lines().last().unwrap();
    assert!(line.contains("Why=Backoff;") && line.contains("Verdict=would-refuse"), "{line}");
}

#[tokio::test]
async fn over_its_owners_time_a_request_is_told_so_at_once() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    stage.world.hold_john_to(&[("RCAPercentTimeInCAS", Some(0))]);
    let mut client = Client::connect(&stage).await;
    let refused = client.execute(&rops(1, &[0])).await;
    assert_eq!(back_offs(&refused), [(0, 2000)]);
    assert_eq!(executes(&origin), 0);
}

#[tokio::test]
async fn an_origin_that_refuses_by_itself_is_not_taken_for_a_quick_one() {
    let origin = Origin::new(|got| match header_of(&got.head, "x-requesttype").as_deref() {
        Some("Execute") => well(&too_busy()),
        _ => answers(got),
    })
    .await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = Client::connect(&stage).await;
    assert_eq!(behind_envelope(&client.execute(&rops(1, &[0])).await.body), too_busy());
    assert_eq!(stage.world.gateway.origin_rpc()[0].packets, 0);
}

#[tokio::test]
async fn that_the_work_has_begun_is_passed_on_at_once() {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&begun), Arc::clone(&go_on));
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let (tell, wait) = (Arc::clone(&tell), Arc::clone(&wait));
        async move {
            while let Some((head, _)) = message(&mut talk).await {
                if header_of(&head, "x-requesttype").as_deref() == Some("Connect") {
                    talk.say(well(&connected(0))).await;
                    continue;
                }
                // An origin that does not follow the protocol to the letter: no line's end behind PENDING.
                let body = [b"PENDING", DONE, &executed(b"rops")].concat();
                let length = PROCESSING.len() + body.len();
                talk.say(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n")).await;
                talk.say(PROCESSING).await;
                tell.notify_one();
                wait.notified().await;
                talk.say(&body).await;
            }
        }
    })
    .await;
    let stage = Stage::before(&origin).await;
    let client = Client::connect(&stage).await;
    let mut talk = stage.client().await;
    talk.say(client.bytes("Execute", &execute(&rops(1, &[0])))).await;
    begun.notified().await;
    let head = talk.head().await.unwrap();
    let length: usize = header_of(&head, "content-length").unwrap().parse().unwrap();
    assert_eq!(talk.body(PROCESSING.len()).await, PROCESSING);
    go_on.notify_one();
    let rest = talk.body(length - PROCESSING.len()).await;
    assert_eq!(rest, [b"PENDING", DONE, &executed(b"rops")].concat());
    assert_eq!(session(&stage).state().server.unwrap().packets(), 1);
}

#[tokio::test]
async fn one_request_of_a_session_is_carried_out_at_a_time() {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&begun), Arc::clone(&go_on));
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let (tell, wait) = (Arc::clone(&tell), Arc::clone(&wait));
        async move {
            while let Some((head, body)) = message(&mut talk).await {
                let got = Got { connection: 0, head, body };
                if header_of(&got.head, "x-requesttype").as_deref() == Some("Execute") {
                    tell.notify_one();
                    wait.notified().await;
                }
                talk.say(answers(&got)).await;
            }
        }
    })
    .await;
    let stage = Stage::before(&origin).await;
    let mut client = Client::connect(&stage).await;
    let mut talk = stage.client().await;
    talk.say(client.bytes("Execute", &execute(&rops(1, &[0])))).await;
    begun.notified().await;
    let refused = client.execute(&rops(1, &[0])).await;
    assert_eq!(refused.header("x-responsecode").as_deref(), Some("15"));
    go_on.notify_one();
    assert_eq!(answer(&mut talk).await.body, answers_to_execute());
    assert_eq!(stage.budget(JOHN, Component::Rca).unwrap().connections, 1);
}

#[tokio::test]
async fn waiting_for_notifications_holds_no_place_and_has_a_limit_of_its_own() {
    let go_on = Arc::new(Notify::new());
    let wait = Arc::clone(&go_on);
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let wait = Arc::clone(&wait);
        async move {
            while let Some((head, body)) = message(&mut talk).await {
                let got = Got { connection: 0, head, body };
                if header_of(&got.head, "x-requesttype").as_deref() == Some("NotificationWait") {
                    wait.notified().await;
                }
                talk.say(answers(&got)).await;
            }
        }
    })
    .await;
    let stage = Stage::before(&origin).await;
    stage.world.hold_john_to(&[("RCAMaxConcurrency", Some(1))]);
    let mut client = Client::connect(&stage).await;
    let mut talk = stage.client().await;
    talk.say(client.bytes("NotificationWait", &[0; 8])).await;
    stage.johns(Component::Rca, |budget| budget.hanging == 1).await;
    assert_eq!(stage.budget(JOHN, Component::Rca).unwrap().connections, 1, "the session's");
    let refused = client.ask("NotificationWait", &[0; 8]).await;
    let body = behind_envelope(&refused.body);
    let AnswerBody::Done(failed) = AnswerBody::<Waited<'_>>::read(&body).unwrap() else { panic!() };
    assert_eq!((failed.error_code, failed.event_pending), (0x8004_0112, false));
    assert_eq!(client.execute(&rops(1, &[0])).await.status, 200, "it works meanwhile");
    go_on.notify_one();
    assert_eq!(behind_envelope(&answer(&mut talk).await.body), waited());
}

#[tokio::test]
async fn an_origin_that_fails_is_answered_for_and_the_session_lives_on() {
    let origin = Origin::new(|got| match header_of(&got.head, "x-requesttype").as_deref() {
        Some("Connect") => well(&connected(0)),
        _ => b"HTTP/1.1 nonsense\r\n\r\n".to_vec(),
    })
    .await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = Client::connect(&stage).await;
    let answered = client.execute(&rops(1, &[0])).await;
    assert_eq!(answered.status, 503);
    assert!(answered.header("retry-after").is_some());
    assert_eq!(stage.world.gateway.sessions().len(), 1);
    assert_eq!(stage.budget(JOHN, Component::Rca).unwrap().connections, 1);
}

#[tokio::test]
async fn bodies_that_lie_pass_as_one_operation_and_ones_that_are_too_large_do_not_pass() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = Client::connect(&stage).await;
    let whole = execute(&rops(5, &[0]));
    for length in [0, 3, 7, 11, 20, whole.len() - 1] {
        let before = client.stage.world.gateway.sessions()[0].state.rops;
        assert_eq!(client.ask("Execute", &whole[..length]).await.status, 200);
        assert_eq!(client.stage.world.gateway.sessions()[0].state.rops, before + 1, "{length}");
    }
    let seen = origin.got().len();
    let refused = client.ask("Execute", &vec![0; 0x5_0000]).await;
    assert_eq!(refused.header("x-responsecode").as_deref(), Some("9"));
    assert_eq!(origin.got().len(), seen);
}

#[tokio::test]
async fn the_address_book_passes_unparsed_and_uncharged() {
    let origin = Origin::new(|_| well(b"anything")).await;
    let stage = Stage::before(&origin.scripted).await;
    let bind = request("Bind", &basic(JOHN, "secret"), b"?").split_off(0);
    let bind = String::from_utf8(bind).unwrap().replace("/mapi/emsmdb/", "/mapi/nspi/");
    assert_eq!(behind_envelope(&stage.ask(bind).await.body), b"anything");
    assert!(stage.budget(JOHN, Component::Rca).is_none());
}

#[tokio::test]
async fn a_session_that_was_ended_by_hand_is_not_taken_in_again() {
    let origin = Origin::new(answers).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = Client::connect(&stage).await;
    let gateway = &stage.world.gateway;
    assert!(gateway.close_session(session(&stage).id));
    for (asks, body) in [("Execute", execute(&rops(1, &[0]))), ("NotificationWait", vec![0; 8])] {
        let answered = client.ask(asks, &body).await;
        assert_eq!(answered.header("X-ResponseCode").as_deref(), Some("10"), "{asks}: {answered:?}");
    }
    assert_eq!((origin.got().len(), gateway.sessions().len()), (1, 0), "the origin sees nothing of it");
    client.begin().await;
    assert_eq!(client.execute(&rops(1, &[0])).await.status, 200);
    assert!(!gateway.close_session(1), "it is gone");
}
