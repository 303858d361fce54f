use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Mutex;

use tokio::task::JoinHandle;
use weir_units::{Component, Part, WallTime};
use weir_wire::smtp::Credentials;

use super::*;
use crate::organisation::{Answer, Authenticated};

const RATE: &str =
    "action=421 4.4.2 Message submission rate for this client has exceeded the configured limit\n\n";
const DUNNO: &str = "action=dunno\n\n";

/// Owners who may send so many messages and recipients each, and what was charged to them.
struct Limited {
    messages: u32,
    recipients: u32,
    charged: Mutex<BTreeMap<Owner, (u32, u32)>>,
}

impl Limited {
    fn to(messages: u32, recipients: u32) -> Arc<Self> {
        Arc::new(Self { messages, recipients, charged: Mutex::default() })
    }

    fn charged(&self, owner: &str) -> (u32, u32) {
        self.charged.lock().unwrap().get(&Owner::new(owner)).copied().unwrap_or_default()
    }
}

fn charge(used: &mut u32, more: u32, limit: u32, part: Part) -> Result<(), Refusal> {
    if *used + more > limit {
        let (limit, used) = (limit.into(), (*used).into());
        return Err(Refusal { component: Component::Smtp, part, limit, used, retry_after: None });
    }
    *used += more;
    Ok(())
}

impl Submitters for Limited {
    fn authenticate<'a>(&'a self, _: &'a Credentials, _: IpAddr) -> Answer<'a, Authenticated> {
        Box::pin(async { Authenticated::Wrong })
    }

    fn message(&self, owner: &Owner) -> Result<(), Refusal> {
        let mut charged = self.charged.lock().unwrap();
        charge(&mut charged.entry(owner.clone()).or_default().0, 1, self.messages, Part::MessageRate)
    }

    fn recipients(&self, owner: &Owner, count: u32) -> Result<(), Refusal> {
        let mut charged = self.charged.lock().unwrap();
        charge(&mut charged.entry(owner.clone()).or_default().1, count, self.recipients, Part::RecipientRate)
    }

    fn owner<'a>(&'a self, address: &'a str) -> Answer<'a, Option<Owner>> {
        Box::pin(async move {
            let known = ["john", "john@example.com"].contains(&address);
            known.then(|| Owner::new("john@example.com"))
        })
    }
}

/// A policy service that runs.
struct Running {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Running {
    async fn with(limited: &Arc<Limited>, trust_sender: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopping) = watch::channel(false);
        let submitters: Arc<dyn Submitters> = Arc::<Limited>::clone(limited);
        let clock = Clock::pretended(WallTime::from_unix_micros(0));
        let task = tokio::spawn(serve(listener, submitters, trust_sender, clock, stopping));
        Self { address, stop, task }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

/// A request about the message `instance` that John sends, with further attributes.
fn request(state: &str, instance: &str, more: &str) -> String {
    format!(
        "request=smtpd_access_policy\nprotocol_state={state}\ninstance={instance}\nsasl_username=john\n{more}\n\n"
    )
}

fn to(instance: &str, recipient: &str) -> String {
    request("RCPT", instance, &format!("recipient={recipient}\nrecipient_count=0"))
}

fn end(instance: &str, recipients: u32) -> String {
    request("END-OF-MESSAGE", instance, &format!("recipient=\nrecipient_count={recipients}"))
}

/// What is answered to one request.
async fn ask(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\n\n") {
        let mut byte = [0];
        let read = timeout(std::time::Duration::from_secs(30), stream.read(&mut byte)).await;
        assert_eq!(read.unwrap().unwrap(), 1, "the answer ends with an empty line");
        answer.extend(byte);
    }
    String::from_utf8(answer).unwrap()
}

/// Asks one question after another, each with its answer, and says what John was charged.
async fn check(limited: Arc<Limited>, trust_sender: bool, talk: &[(String, &str)]) -> (u32, u32) {
    let service = Running::with(&limited, trust_sender).await;
    let mut stream = service.connect().await;
    for (request, expected) in talk {
        assert_eq!(ask(&mut stream, request).await, *expected, "to {request}");
    }
    limited.charged("john@example.com")
}

#[tokio::test]
async fn a_message_is_charged_once_with_each_recipient_wherever_postfix_asks() {
    let everywhere = [
        (request("MAIL", "1", "recipient="), DUNNO),
        (to("1", "a@example.net"), DUNNO),
        (to("1", "a@example.net"), DUNNO),
        (to("1", "b@example.net"), DUNNO),
        (request("DATA", "1", "recipient_count=2"), DUNNO),
        (end("1", 2), DUNNO),
    ];
    assert_eq!(check(Limited::to(9, 9), false, &everywhere).await, (1, 2));
    let at_recipients = [(to("1", "a@example.net"), DUNNO), (to("1", "b@example.net"), DUNNO)];
    assert_eq!(check(Limited::to(9, 9), false, &at_recipients).await, (1, 2));
    let at_the_end = [(end("1", 2), DUNNO), (end("2", 3), DUNNO), (end("2", 3), DUNNO)];
    assert_eq!(check(Limited::to(9, 9), false, &at_the_end).await, (2, 5));
}

#[tokio::test]
async fn exactly_what_the_limit_allows_passes_and_more_is_refused_in_the_words_of_the_rule() {
    let messages = [(end("1", 1), DUNNO), (end("2", 1), DUNNO), (end("3", 1), RATE), (end("3", 1), RATE)];
    assert_eq!(check(Limited::to(2, 9), false, &messages).await, (2, 2));
    let limited = Limited::to(9, 2);
    let service = Running::with(&limited, false).await;
    let mut stream = service.connect().await;
    assert_eq!(ask(&mut stream, &to("1", "a@example.net")).await, DUNNO);
    assert_eq!(ask(&mut stream, &to("1", "b@example.net")).await, DUNNO);
    let refusal = ask(&mut stream, &to("1", "c@example.net")).await;
    assert!(refusal.starts_with("action=452 4.5.3 "), "{refusal}");
    assert_eq!(ask(&mut stream, &end("1", 2)).await, DUNNO, "the other two are sent to");
    assert_eq!(limited.charged("john@example.com"), (1, 2));
}

#[tokio::test]
async fn a_message_is_known_again_on_another_connection() {
    let limited = Limited::to(9, 9);
    let service = Running::with(&limited, false).await;
    assert_eq!(ask(&mut service.connect().await, &to("1", "a@example.net")).await, DUNNO);
    assert_eq!(ask(&mut service.connect().await, &end("1", 1)).await, DUNNO);
    assert_eq!(limited.charged("john@example.com"), (1, 1));
}

#[tokio::test]
async fn a_message_without_an_instance_is_charged_for_each_question() {
    assert_eq!(check(Limited::to(9, 9), false, &[(end("", 1), DUNNO), (end("", 1), DUNNO)]).await, (2, 2));
}

#[tokio::test]
async fn nobody_spends_a_strangers_budget_by_writing_his_address() {
    let from = |user: &str, sender: &str| {
        let state = "request=smtpd_access_policy\nprotocol_state=END-OF-MESSAGE\nrecipient_count=1";
        format!("{state}\ninstance=1\nsasl_username={user}\nsender={sender}\n\n")
    };
    let anonymous = [(from("", "john@example.com"), DUNNO)];
    assert_eq!(check(Limited::to(9, 9), false, &anonymous).await, (0, 0));
    assert_eq!(check(Limited::to(9, 9), true, &anonymous).await, (1, 1), "where Postfix checks senders");
    let strangers = [(from("jane", "john@example.com"), DUNNO), (from("", ""), DUNNO)];
    assert_eq!(check(Limited::to(9, 9), true, &strangers).await, (0, 0), "who has logged in is it");
}

#[tokio::test]
async fn what_concerns_no_limit_is_left_to_others() {
    let states = ["CONNECT", "EHLO", "HELO", "VRFY", "ETRN", ""];
    let talk = states.map(|state| (request(state, "1", "recipient_count=1"), DUNNO));
    assert_eq!(check(Limited::to(0, 0), false, &talk).await, (0, 0));
}

#[tokio::test]
async fn requests_in_one_piece_are_answered_in_their_order() {
    let limited = Limited::to(1, 9);
    let service = Running::with(&limited, false).await;
    let mut stream = service.connect().await;
    assert_eq!(ask(&mut stream, &[end("1", 1), end("2", 1)].concat()).await, DUNNO);
    assert_eq!(ask(&mut stream, "").await, RATE);
}

#[tokio::test]
async fn what_is_no_request_ends_the_connection_and_no_other() {
    let limited = Limited::to(9, 9);
    let service = Running::with(&limited, false).await;
    let mut good = service.connect().await;
    assert_eq!(ask(&mut good, &end("1", 1)).await, DUNNO);
    for bytes in ["EHLO example.net\r\n", "request=other\n\n", "a=1\na=2\n"] {
        let mut bad = service.connect().await;
        bad.write_all(bytes.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        let closed = timeout(std::time::Duration::from_secs(30), bad.read_to_end(&mut rest)).await;
        assert!(closed.is_ok() && rest.is_empty(), "{bytes}: {rest:?}");
    }
    assert_eq!(ask(&mut good, &end("2", 1)).await, DUNNO);
}

#[tokio::test]
async fn when_it_is_told_to_stop_it_closes_idle_connections_and_ends() {
    let service = Running::with(&Limited::to(9, 9), false).await;
    let mut idle = service.connect().await;
    assert_eq!(ask(&mut idle, &end("1", 1)).await, DUNNO);
    service.stop.send(true).unwrap();
    timeout(std::time::Duration::from_secs(30), service.task).await.unwrap().unwrap();
    assert_eq!(idle.read(&mut [0]).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_silent_for_too_long_is_closed() {
    let service = Running::with(&Limited::to(9, 9), false).await;
    let mut idle = service.connect().await;
    let (clock, began) = (Clock::start(), weir_units::Tick::START);
    assert_eq!(idle.read(&mut [0]).await.unwrap(), 0);
    assert!(clock.tick().since(began) >= IDLE);
}

#[test]
fn the_messages_that_are_remembered_are_bounded() {
    let (instances, mut reader) = (Instances::default(), PolicyReader::default());
    for number in 0..=10_000 {
        let text = end(&number.to_string(), 1);
        let request = reader.next(&mut text.as_bytes()).unwrap().unwrap();
        let owed = instances.owed(&request).unwrap();
        assert_eq!(owed, Owed { message: true, recipients: 1 });
        instances.charged(&request, owed);
    }
    let mut owed = |number: u32| {
        let text = end(&number.to_string(), 1);
        instances.owed(&reader.next(&mut text.as_bytes()).unwrap().unwrap()).unwrap()
    };
    assert_eq!(owed(10_000), Owed { message: false, recipients: 0 });
    assert_eq!(owed(0), Owed { message: true, recipients: 1 }, "the oldest is forgotten");
}
