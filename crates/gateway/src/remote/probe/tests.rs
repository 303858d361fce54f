use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use weir_balance::State;
use weir_units::{Event, EventId};

use super::super::origin::RemoteOrigin;
use super::super::scripted::{Nobody, Scripted, Talk, answer_all, call, eventually, remote, settle};
use super::super::settings::ActiveCheck;

/// The background task of `origin`, and what stops it.
fn tend(origin: &Arc<RemoteOrigin>) -> (watch::Sender<bool>, JoinHandle<()>) {
    let (stop, stopped) = watch::channel(false);
    (stop, tokio::spawn(Arc::clone(origin).tend(stopped)))
}

/// The next event; a test that waits for nothing fails.
async fn next(events: &mut mpsc::UnboundedReceiver<Event>) -> Event {
    tokio::time::timeout(Duration::from_mins(1), events.recv()).await.expect("an event comes").unwrap()
}

/// Pretends that `time` has passed, with sockets left alone meanwhile.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

fn state(origin: &RemoteOrigin) -> State {
    origin.targets().first().unwrap().state
}

async fn until(origin: &RemoteOrigin, awaited: State) {
    eventually(|| state(origin) == awaited).await;
}

#[tokio::test]
async fn a_server_proves_itself_before_anybody_calls() {
    let server = Scripted::well().await;
    let (origin, _) = remote(&[server.url()], |_| {}).await;
    assert_eq!(state(&origin), State::Unproved);
    let (_stop, _task) = tend(&origin);
    until(&origin, State::Healthy).await;
}

#[tokio::test]
async fn a_server_that_comes_back_is_found_in_the_background_when_its_retry_is_due() {
    let nobody = Nobody::new();
    let (origin, mut events) = remote(&[nobody.url()], |_| {}).await;
    let (_stop, _task) = tend(&origin);
    assert_eq!(next(&mut events).await.id, EventId::TARGET_UNHEALTHY);
    let back = nobody.comes_back();
    pass(Duration::from_secs(4)).await;
    settle().await;
    assert_eq!(back.accepted(), 0, "between retries nothing is tried");
    pass(Duration::from_secs(1)).await;
    let event = next(&mut events).await;
    assert_eq!(event.id, EventId::TARGET_HEALTHY);
    assert!(event.fields.iter().any(|(name, _)| *name == "unhealthy_for_ms"));
    assert_eq!(call(&origin, None).await.unwrap(), "1");
}

#[tokio::test]
async fn a_failure_of_a_call_wakes_the_task_for_its_retry() {
    // An address of its own, so that nobody else is given its port meanwhile.
    let server = Scripted::at("127.0.0.3:0".parse().unwrap(), answer_all).await;
    let address = server.address;
    let (origin, mut events) =
        remote(&[server.url()], |settings| settings.idle_time = Duration::from_hours(1)).await;
    let (_stop, _task) = tend(&origin);
    until(&origin, State::Healthy).await;
    drop(server);
    while call(&origin, None).await.is_ok() {}
    assert_eq!(next(&mut events).await.id, EventId::TARGET_UNHEALTHY);
    settle().await;
    let _back = Scripted::at(address, answer_all).await;
    pass(Duration::from_secs(5)).await;
    assert_eq!(next(&mut events).await.id, EventId::TARGET_HEALTHY);
}

#[tokio::test]
async fn a_server_that_no_longer_speaks_tls_stays_out() {
    let (tell, mut told) = mpsc::channel(8);
    let plain = Scripted::start(move |number, mut talk: Talk| {
        let tell = tell.clone();
        async move {
            talk.say("HTTP/1.1 400 Bad Request\r\n\r\n").await;
            tell.send(number).await.unwrap();
        }
    })
    .await;
    let secure = format!("https://{}", plain.address).parse().unwrap();
    let (origin, mut events) = remote(&[secure], |_| {}).await;
    let (_stop, _task) = tend(&origin);
    let event = next(&mut events).await;
    assert!(event.fields.contains(&("failure", "TLS handshake failed".to_owned())), "{:?}", event.fields);
    assert_eq!(told.recv().await, Some(0));
    pass(Duration::from_secs(5)).await;
    assert_eq!(told.recv().await, Some(1), "its retry shakes hands too");
    assert_eq!(state(&origin), State::Unhealthy);
}

/// A server that answers everything with the status that `statuses` names for the number of its connection, or not at
/// all where it names 0; the last one stands for all that follow.
async fn answering(statuses: &'static [u16]) -> Scripted {
    Scripted::start(move |number, mut talk: Talk| async move {
        let head = talk.head().await.unwrap_or_default();
        assert!(head.starts_with("GET /healthz HTTP/1.1\r\n"), "{head}");
        match statuses[number.min(statuses.len() - 1)] {
            0 => talk.until_closed().await,
            status => drop(talk.say(format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n")).await),
        }
    })
    .await
}

async fn checked(
    server: &Scripted,
    change: impl FnOnce(&mut ActiveCheck),
) -> (Arc<RemoteOrigin>, mpsc::UnboundedReceiver<Event>) {
    remote(&[server.url()], |settings| {
        let mut check = ActiveCheck::new("/healthz");
        change(&mut check);
        settings.check = Some(check);
    })
    .await
}

#[tokio::test]
async fn any_answer_is_a_sign_of_life() {
    for status in [&[200_u16], &[302], &[401], &[404]] {
        let server = answering(status).await;
        let (origin, _) = checked(&server, |_| {}).await;
        let (_stop, _task) = tend(&origin);
        until(&origin, State::Healthy).await;
    }
}

#[tokio::test]
async fn whether_an_answer_of_500_is_one_too_is_a_setting() {
    let server = answering(&[503]).await;
    let (origin, mut events) = checked(&server, |_| {}).await;
    let (_stop, _task) = tend(&origin);
    let event = next(&mut events).await;
    assert!(event.fields.contains(&("failure", "failed its check".to_owned())), "{:?}", event.fields);
    let detail = "/healthz answers 503 Service Unavailable".to_owned();
    assert!(event.fields.contains(&("detail", detail)), "{:?}", event.fields);

    let (origin, _) = checked(&server, |check| check.fail_on_5xx = false).await;
    let (_stop, _task) = tend(&origin);
    until(&origin, State::Healthy).await;
}

#[tokio::test]
async fn a_healthy_server_is_asked_in_rounds_and_found_to_hang() {
    let server = answering(&[200, 200, 0, 200]).await;
    let (origin, mut events) = checked(&server, |check| check.interval = Duration::from_secs(20)).await;
    let (_stop, _task) = tend(&origin);
    until(&origin, State::Healthy).await;
    pass(Duration::from_secs(20)).await;
    eventually(|| server.accepted() == 2).await;
    assert_eq!(state(&origin), State::Healthy);
    pass(Duration::from_secs(20)).await;
    eventually(|| server.accepted() == 3).await;
    // It accepts and says nothing: the check's time runs out.
    settle().await;
    pass(Duration::from_secs(5)).await;
    assert_eq!(next(&mut events).await.id, EventId::TARGET_UNHEALTHY);
    pass(Duration::from_secs(5)).await;
    assert_eq!(next(&mut events).await.id, EventId::TARGET_HEALTHY);
}

#[tokio::test]
async fn a_call_that_connects_does_not_heal_a_server_that_fails_its_check() {
    let server = Scripted::start(|number, mut talk: Talk| async move {
        let head = talk.head().await.unwrap_or_default();
        let status = if head.starts_with("GET /healthz") { 503 } else { 200 };
        talk.say(format!("HTTP/1.1 {status} X\r\nContent-Length: 1\r\n\r\n{number}")).await;
    })
    .await;
    let (origin, mut events) = checked(&server, |_| {}).await;
    let (_stop, _task) = tend(&origin);
    assert_eq!(next(&mut events).await.id, EventId::TARGET_UNHEALTHY);
    assert_eq!(call(&origin, None).await.unwrap(), "1", "the last server is never filtered out");
    assert_eq!(state(&origin), State::Unhealthy);
    assert!(events.try_recv().is_err());
}

#[tokio::test]
async fn idle_connections_that_grew_old_are_closed_without_a_call() {
    let server = Scripted::well().await;
    let (origin, _) = remote(&[server.url()], |_| {}).await;
    call(&origin, None).await.unwrap();
    let (_stop, _task) = tend(&origin);
    settle().await;
    let member = origin.members.first().unwrap();
    assert_eq!((member.pool.len(), member.server.connections()), (1, 1));
    pass(origin.settings().idle_time).await;
    eventually(|| member.server.connections() == 0).await;
    assert_eq!(member.pool.len(), 0);
}

#[tokio::test]
async fn it_stops_when_told_to() {
    let server = Scripted::well().await;
    let (origin, _) = remote(&[server.url()], |_| {}).await;
    let (stop, task) = tend(&origin);
    stop.send_replace(true);
    task.await.unwrap();
}
