use std::sync::{Arc, Mutex};

use weir_units::Tick;
use weir_wire::mapi::auxiliary::{Told, told};
use weir_wire::mapi::body::ExecuteRequest;
use weir_wire::mapi::call::notification::{RegisterNotification, Scope};
use weir_wire::mapi::property::{PropertyValue, TaggedValue, tag};
use weir_wire::mapi::reply::notify::Event;

use super::super::fake::{Fake, INBOX, Refusal};
use super::super::scripted::{Scripted, enveloped};
use super::super::session::captured::{batch_of, captured};
use super::super::{Folder, Mailbox};
use super::*;

const DN: &str = "/o=x/cn=jane";

/// A server that holds a fake mailbox, and the mailbox.
fn serving(fake: Fake) -> (Scripted, Arc<Mutex<Fake>>) {
    let fake = Arc::new(Mutex::new(fake));
    let shared = Arc::clone(&fake);
    let server = Scripted::within(move |_, mut talk| {
        let fake = Arc::clone(&shared);
        async move {
            while let Some(request) = talk.request().await {
                let kind = request.header("X-RequestType").unwrap().to_owned();
                let answer = enveloped(&fake.lock().unwrap().answer(&kind, &request.body));
                talk.answer("X-ResponseCode: 0\r\n", &answer, &[7, 1, 300]).await;
            }
        }
    });
    (server, fake)
}

async fn logged_on(server: &Scripted) -> (MapiClient, Mailbox) {
    let mut client = MapiClient::over(server.link(), DN).await.unwrap();
    let mailbox = client.log_on(DN).await.unwrap();
    (client, mailbox)
}

#[tokio::test]
async fn folders_and_messages_are_listed_with_their_counts_in_as_many_answers_as_it_takes() {
    let (server, fake) = serving(Fake::with(250));
    let (mut client, mailbox) = logged_on(&server).await;
    assert_eq!(client.display_name(), "Jane");
    let folder =
        |id, depth, name: &str| Folder { id, depth, name: name.to_owned(), messages: 250, unread: 0 };
    let folders = client.folders(&mailbox).await.unwrap();
    assert_eq!(folders, [folder(INBOX, 0, "Inbox"), folder(0xE, 1, "Projects")]);
    for (range, first, rows) in [(0..1000, 250, 250), (0..20, 250, 20), (240..1000, 10, 10), (300..400, 0, 0)]
    {
        let page = client.messages(&mailbox, INBOX, range.clone()).await.unwrap();
        assert_eq!((page.total, page.rows.len()), (250, rows), "{range:?}");
        assert_eq!(page.rows.first().map_or(0, |message| message.id), first, "{range:?}");
    }
    let newest = client.messages(&mailbox, INBOX, 0..1).await.unwrap().rows.remove(0);
    assert_eq!((newest.subject.as_str(), newest.from.as_str()), ("Message 250", "Jane"));
    assert_eq!((newest.size, newest.read), (1000, true));
    assert_eq!(newest.time.map(weir_units::WallTime::unix_seconds), Some(250));
    // Nothing but the mailbox stays open.
    assert_eq!(fake.lock().unwrap().open(), 1);
    client.log_off(mailbox).await.unwrap();
    assert_eq!(fake.lock().unwrap().open(), 0);
    client.ping().await.unwrap();
    client.disconnect().await.unwrap();
}

#[tokio::test]
async fn messages_are_made_read_and_deleted() {
    let (server, fake) = serving(Fake::with(2));
    let (mut client, mailbox) = logged_on(&server).await;
    for text in ["short", &"Grüße, ein langer Text. ".repeat(4000)] {
        let values = [
            TaggedValue::new(tag::SUBJECT, PropertyValue::Unicode("New".to_owned())),
            TaggedValue::new(tag::BODY, PropertyValue::Unicode("short".to_owned())),
        ];
        let id = client.create_message(&mailbox, INBOX, &values).await.unwrap();
        // A text that is too long for one request gets there by other ways.
        let body = TaggedValue::new(tag::BODY, PropertyValue::Unicode((*text).to_owned()));
        fake.lock().unwrap().messages.insert(id, vec![body]);
        let message = client.open_message(&mailbox, INBOX, id).await.unwrap();
        assert_eq!(message.subject, "Hello");
        assert_eq!(client.read_body(&message).await.unwrap(), *text);
        client.close_message(message).await.unwrap();
        assert_eq!(fake.lock().unwrap().open(), 1);
    }
    assert!(client.delete_messages(&mailbox, INBOX, &[1, 3]).await.unwrap());
    assert!(!client.delete_messages(&mailbox, INBOX, &[1, 2]).await.unwrap());
    assert_eq!(fake.lock().unwrap().messages.keys().copied().collect::<Vec<_>>(), [4]);
    assert_eq!(fake.lock().unwrap().open(), 1);
}

#[tokio::test]
async fn what_the_server_does_not_do_is_an_error_and_leaves_nothing_open() {
    let (server, fake) = serving(Fake::with(2));
    let (mut client, mailbox) = logged_on(&server).await;
    let error = client.messages(&mailbox, 0x77, 0..10).await.unwrap_err().to_string();
    assert!(error.contains("does not list that folder") && error.contains("NotFound"), "{error}");
    let error = client.open_message(&mailbox, INBOX, 77).await.unwrap_err().to_string();
    assert!(error.ends_with("it is not there, or no longer"), "{error}");
    let sealed = [TaggedValue::new(tag::MID, PropertyValue::Integer64(1))];
    let error = client.create_message(&mailbox, INBOX, &sealed).await.unwrap_err();
    assert!(matches!(error, MapiError::Property { tag: tag::MID, .. }), "{error}");
    assert_eq!(fake.lock().unwrap().open(), 1);
    assert_eq!(fake.lock().unwrap().messages.len(), 2);
    // The session goes on.
    assert_eq!(client.messages(&mailbox, INBOX, 0..10).await.unwrap().rows.len(), 2);
}

#[tokio::test]
async fn events_are_told_to_who_subscribed() {
    let (server, fake) = serving(Fake::with(2));
    let (mut client, mailbox) = logged_on(&server).await;
    let subscription =
        client.subscribe(&mailbox, Scope::WholeStore, RegisterNotification::NEW_MAIL).await.unwrap();
    assert_eq!(client.wait().await.unwrap(), []);
    fake.lock().unwrap().event = true;
    let told = client.wait().await.unwrap();
    assert!(matches!(&told[..], [notify] if matches!(notify.event, Event::Modified { .. })), "{told:?}");
    // What comes with another answer is not lost.
    fake.lock().unwrap().event = true;
    client.messages(&mailbox, INBOX, 0..1).await.unwrap();
    assert_eq!(client.wait().await.unwrap().len(), 1);
    client.unsubscribe(subscription).await.unwrap();
    assert_eq!(fake.lock().unwrap().open(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_waits_as_long_as_it_is_told_and_then_gets_what_it_asked_for() {
    let (server, fake) = serving(Fake::with(3));
    let (mut client, mailbox) = logged_on(&server).await;
    let clock = Clock::start();
    fake.lock().unwrap().refusals =
        vec![Refusal::BackOff(1500), Refusal::TooBusy, Refusal::BackOff(30), Refusal::BackOff(2000)];
    let page = client.messages(&mailbox, INBOX, 0..10).await.unwrap();
    assert_eq!(page.rows.len(), 3);
    let counts = client.counts();
    assert_eq!((counts.back_offs, counts.too_busy), (3, 1));
    let least = Millis::new(2000 + 30 + 1000 + 1500).micros();
    assert!(counts.waited >= least && clock.tick() >= Tick::START.plus(least), "{counts:?}");
}

#[tokio::test(start_paused = true)]
async fn an_old_server_that_stays_too_busy_is_given_up_after_a_minute() {
    let (server, fake) = serving(Fake::with(3));
    let (mut client, mailbox) = logged_on(&server).await;
    let clock = Clock::start();
    fake.lock().unwrap().refusals = vec![Refusal::TooBusy; 60];
    let error = client.messages(&mailbox, INBOX, 0..10).await.unwrap_err();
    assert!(
        error.to_string().starts_with("the server was too busy 60 times in a row, asked again every 1000 ms")
    );
    let seconds = clock.tick().micros() / 1_000_000;
    assert!((59..70).contains(&seconds), "{seconds}");
    let error = client.messages(&mailbox, INBOX, 0..10).await.unwrap_err();
    assert!(matches!(error, MapiError::Session(SessionError::Ended)), "{error}");
}

#[tokio::test]
async fn a_captured_session_is_played_word_for_word() {
    let (heard, mut hear) = tokio::sync::mpsc::unbounded_channel();
    let server = Scripted::start(move |_, mut talk| {
        let heard = heard.clone();
        async move {
            let mut executes = captured("Execute resp-body").into_iter();
            let mut sequence = 0;
            while let Some(request) = talk.request().await {
                let kind = request.header("X-RequestType").unwrap().to_owned();
                let answer = match kind.as_str() {
                    "Execute" => executes.next().unwrap(),
                    kind => captured(&format!("{kind} resp-body")).remove(0),
                };
                sequence += 1;
                let cookies = format!("Set-Cookie: sequence={sequence}\r\n");
                let cookie = request.header("Cookie").map(str::to_owned);
                heard.send((kind, cookie, request.body)).unwrap();
                talk.answer(&cookies, &answer, &[1, 13, 200]).await;
            }
        }
    })
    .await;
    let dn = "/o=Gromox default/ou=Exchange Administrative Group (FYDIBOHF23SPDLT)/cn=Recipients/cn=0100000002000000-alice";
    let mut client = MapiClient::connect(server.settings(), dn).await.unwrap();
    assert_eq!(client.display_name(), "Alice Example");
    let (_, cookie, connect) = hear.recv().await.unwrap();
    let request = ConnectRequest::read(&connect).unwrap();
    let other = captured("Connect req-body").remove(0);
    assert_eq!(
        request,
        ConnectRequest { auxiliary: request.auxiliary, ..ConnectRequest::read(&other).unwrap() }
    );
    let introduced = told(request.auxiliary);
    assert!(matches!(&introduced[..], [Told::Process { name }, Told::Client { .. }] if name == "mailweir"));
    assert_eq!(cookie, None);

    for _ in 0..3 {
        client.take_place().unwrap();
    }
    for (nth, request) in captured("Execute req-body").iter().take(2).enumerate() {
        let (batch, _) = batch_of(request);
        client.execute(batch).await.unwrap();
        let (_, cookie, body) = hear.recv().await.unwrap();
        assert_eq!(cookie, Some(format!("sequence={}", nth + 1)));
        // From the second on, the client reports how long the one before took.
        let execute = ExecuteRequest::read(&body).unwrap();
        let reported = told(execute.auxiliary);
        assert_eq!(reported.iter().filter(|told| matches!(told, Told::Call(_))).count(), nth);
    }
    client.ping().await.unwrap();
    client.disconnect().await.unwrap();
    let (kind, ..) = hear.recv().await.unwrap();
    assert_eq!(kind, "PING");
    assert_eq!(hear.recv().await.unwrap().0, "Disconnect");
}
