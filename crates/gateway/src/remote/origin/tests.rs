use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};
use weir_balance::{Health, State};
use weir_units::{EventId, EventSink, Owner};

use super::super::error::RemoteError;
use super::super::failure::{Blame, Failure, FailureKind};
use super::super::scripted::{
    Nobody, Scripted, Talk, all, answer_all, call, eventually, get, give_back, remote, request,
};
use super::super::server_url::ServerUrl;
use super::super::settings::RemoteSettings;
use super::RemoteOrigin;
use crate::settings::ThrottleSettings;
use weir_clock::Clock;

const LONG: Duration = Duration::from_mins(5);

fn owner(number: usize) -> Owner {
    Owner::new(&format!("user{number}@example.com"))
}

/// An owner whose calls go to the server at `address`.
fn owner_at(origin: &RemoteOrigin, address: SocketAddr) -> Owner {
    let goes_there = |owner: &Owner| {
        let picked = origin.selector.pick_for(owner, origin.clock.tick()).attempt();
        picked.is_some_and(|attempt| attempt.address() == address)
    };
    (0..1_000).map(owner).find(goes_there).unwrap()
}

#[tokio::test]
async fn one_connection_carries_one_call_after_another() {
    let server = Scripted::well().await;
    let (origin, _) = remote(&[server.url()], |_| {}).await;
    for _ in 0..5 {
        assert_eq!(call(&origin, None).await.unwrap(), "0");
    }
    assert_eq!((server.accepted(), origin.members.first().unwrap().pool.len()), (1, 1));
}

#[tokio::test]
async fn calls_at_the_same_time_have_a_connection_each_and_leave_no_more_than_the_bound() {
    let server = Scripted::well().await;
    let (origin, _) = remote(&[server.url()], |settings| settings.idle_per_server = 2).await;
    let mut taken = Vec::new();
    for _ in 0..4 {
        taken.push(origin.take(None).await.unwrap());
    }
    let member = origin.members.first().unwrap();
    assert_eq!((member.server.connections(), member.pool.len()), (4, 0));
    for upstream in taken {
        give_back(&origin, upstream).await;
    }
    assert_eq!(member.pool.len(), 2);
}

#[tokio::test]
async fn the_connection_used_last_is_used_next_and_old_ones_are_closed() {
    let server = Scripted::well().await;
    let (origin, _) = remote(&[server.url()], |_| {}).await;
    let (mut first, mut second) = (origin.take(None).await.unwrap(), origin.take(None).await.unwrap());
    for upstream in [&mut first, &mut second] {
        drop(upstream.send(get("/"), LONG).await.unwrap());
    }
    give_back(&origin, first).await;
    give_back(&origin, second).await;
    assert_eq!(call(&origin, None).await.unwrap(), "1");
    tokio::time::pause();
    tokio::time::advance(origin.settings().idle_time).await;
    tokio::time::resume();
    assert_eq!(call(&origin, None).await.unwrap(), "2", "both grew old");
}

#[tokio::test]
async fn a_connection_whose_answer_was_not_read_to_the_end_is_not_handed_out() {
    let server = Scripted::start(|number, mut talk: Talk| async move {
        talk.head().await;
        talk.say(format!("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{number}")).await;
        talk.until_closed().await;
    })
    .await;
    let (origin, _) = remote(&[server.url()], |_| {}).await;
    let (answer, upstream) = origin.exchange(None, get("/"), LONG).await.unwrap();
    origin.give_back(upstream);
    let (_, other) = origin.exchange(None, get("/"), LONG).await.unwrap();
    assert_eq!(server.accepted(), 2);
    drop((answer, other));
}

/// A server that answers once on each connection and closes it: at once, or when it has read another request.
async fn once_then_closes(read_the_next: bool) -> Scripted {
    Scripted::start(move |number, mut talk: Talk| async move {
        talk.head().await;
        talk.body(4).await;
        talk.say(format!("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{number}")).await;
        if read_the_next {
            talk.head().await;
            talk.body(4).await;
        }
    })
    .await
}

#[tokio::test]
async fn a_kept_connection_that_the_server_closed_is_never_handed_out() {
    let close = Arc::new(Notify::new());
    let closing = Arc::clone(&close);
    let server = Scripted::start(move |number, talk: Talk| {
        let closing = Arc::clone(&closing);
        async move {
            tokio::select! {
                () = answer_all(number, talk) => {}
                () = closing.notified() => {}
            }
        }
    })
    .await;
    let (origin, _) = remote(&[server.url()], |_| {}).await;
    let member = origin.members.first().unwrap();
    for number in 0..10 {
        assert_eq!(call(&origin, None).await.unwrap(), number.to_string());
        assert_eq!(member.pool.len(), 1);
        close.notify_waiters();
        eventually(|| member.server.connections() == 0).await;
        if number > 5 {
            member.pool.sweep(origin.clock.tick());
            assert_eq!(member.pool.len(), 0);
        }
    }
}

#[tokio::test]
async fn a_kept_connection_that_died_unseen_is_replaced_once() {
    let server = once_then_closes(false).await;
    let (origin, _) = remote(&[server.url()], |_| {}).await;
    let mut upstream = origin.take(None).await.unwrap();
    drop(upstream.send(request("POST", "/", Some("body")), LONG).await.unwrap());
    eventually(|| upstream.is_closed()).await;
    let posted = request("POST", "/", Some("body"));
    let (mut answer, fresh) = origin.send_or_replace(upstream, None, posted, LONG).await.unwrap();
    assert_eq!(all(answer.body_mut(), &origin.clock).await, "1");
    assert_eq!(server.accepted(), 2);
    drop(fresh);
}

#[tokio::test]
async fn nothing_is_sent_again_once_a_byte_of_it_was_written() {
    let server = once_then_closes(true).await;
    let other = Scripted::well().await;
    let (origin, _) = remote(&[server.url(), other.url()], |_| {}).await;
    let mine = owner_at(&origin, server.address);
    assert_eq!(call(&origin, Some(&mine)).await.unwrap(), "0");
    let failure = call(&origin, Some(&mine)).await.unwrap_err();
    assert_eq!((&failure.kind, failure.sent), (&FailureKind::ClosedBeforeHead, true));
    assert_eq!((failure.retry(), failure.kind.blame(), server.accepted()), (false, Blame::Origin, 1));
    assert_eq!(other.accepted(), 0);
}

#[tokio::test]
async fn a_server_that_refuses_costs_one_attempt_and_the_next_one_answers() {
    let (gone, well) = (Nobody::new(), Scripted::well().await);
    let (origin, mut events) = remote(&[gone.url(), well.url()], |_| {}).await;
    let unlucky = owner_at(&origin, gone.address);
    for owner in std::iter::once(unlucky).chain((0..20).map(owner)) {
        call(&origin, Some(&owner)).await.unwrap();
    }
    let event = events.try_recv().unwrap();
    assert_eq!(event.id, EventId::TARGET_UNHEALTHY);
    assert!(event.text.starts_with(&format!("{} ", gone.url())), "{}", event.text);
    assert!(event.fields.contains(&("failure", "connection refused".to_owned())), "{:?}", event.fields);
    assert!(events.try_recv().is_err(), "it is told once");
    let count = |state| origin.targets().iter().filter(|target| target.state == state).count();
    assert_eq!((count(State::Healthy), count(State::Unhealthy), well.accepted()), (1, 1, 1));
}

#[tokio::test]
async fn calls_of_one_owner_stay_with_one_server_and_owners_spread() {
    let servers = [Scripted::well().await, Scripted::well().await];
    let (origin, _) = remote(&servers.each_ref().map(Scripted::url), |_| {}).await;
    let (_stop, stopped) = watch::channel(false);
    tokio::spawn(Arc::clone(&origin).tend(stopped));
    eventually(|| origin.targets().iter().all(|target| target.state == State::Healthy)).await;
    let mut seen = [0_usize; 2];
    for number in 0..40 {
        let places = [0; 5].map(|_| origin.selector.pick_for(&owner(number), origin.clock.tick()));
        let places = places.map(|pick| pick.attempt().unwrap().address());
        assert!(places.iter().all(|place| *place == places[0]), "user {number} was sent to {places:?}");
        seen[usize::from(places[0] == servers[1].address)] += 1;
    }
    assert!(seen[0] >= 8 && seen[1] >= 8, "{seen:?}");
}

#[tokio::test]
async fn the_last_server_is_never_filtered_out() {
    let nobody = Nobody::new();
    let (origin, _) = remote(&[nobody.url()], |_| {}).await;
    for _ in 0..3 {
        let failure = call(&origin, Some(&owner(1))).await.unwrap_err();
        assert_eq!(
            (failure.server, failure.kind.blame(), failure.retry()),
            (Some(nobody.address), Blame::Origin, true)
        );
    }
    let _back = nobody.comes_back();
    assert_eq!(call(&origin, Some(&owner(1))).await.unwrap(), "0", "it is tried although it is marked");
}

#[tokio::test]
async fn a_server_out_of_service_gets_nothing_and_loses_its_idle_connections() {
    let server = Scripted::well().await;
    let health = Health::default();
    let settings = RemoteSettings::new(vec![server.url()]);
    let origin =
        RemoteOrigin::new(settings, &ThrottleSettings::default(), &health, Clock::start(), EventSink::none())
            .await
            .unwrap();
    call(&origin, None).await.unwrap();
    health.disable(server.address, origin.clock.tick()).unwrap();
    origin.targets_changed();
    assert_eq!(origin.members.first().unwrap().pool.len(), 0);
    let failure = call(&origin, None).await.unwrap_err();
    assert!(matches!(failure.kind, FailureKind::NoServer { .. }), "{failure}");
    assert_eq!((failure.kind.blame(), server.accepted()), (Blame::Us, 1));
}

#[tokio::test]
async fn connections_to_one_server_are_bounded_and_that_marks_nobody() {
    let server = Scripted::well().await;
    let (origin, mut events) = remote(&[server.url()], |settings| settings.connections_per_server = 2).await;
    let held = [origin.take(None).await.unwrap(), origin.take(None).await.unwrap()];
    let refused = |failure: Failure| (failure.kind.clone(), failure.kind.blame(), failure.retry());
    let third = origin.take(None).await.err().map(refused).unwrap();
    assert_eq!(third, (FailureKind::TooMany { bound: 2 }, Blame::Us, true));
    assert!(events.try_recv().is_err());
    drop(held);
    eventually(|| origin.members.first().unwrap().server.connections() == 0).await;
    assert!(origin.take(None).await.is_ok());
}

#[tokio::test]
async fn a_connection_to_authenticate_on_is_always_a_fresh_one() {
    let server = Scripted::well().await;
    let (origin, _) = remote(&[server.url()], |_| {}).await;
    call(&origin, None).await.unwrap();
    let bound = origin.connect_for(None).await.unwrap();
    assert!(!bound.is_reused());
    let member = origin.members.first().unwrap();
    assert_eq!((member.server.connections(), member.pool.len()), (2, 1));
}

async fn refused(servers: &[&str]) -> RemoteError {
    let servers: Vec<ServerUrl> = servers.iter().map(|server| server.parse().unwrap()).collect();
    let settings = RemoteSettings::new(servers);
    let made = RemoteOrigin::new(
        settings,
        &ThrottleSettings::default(),
        &Health::default(),
        Clock::start(),
        EventSink::none(),
    )
    .await;
    made.map(drop).unwrap_err()
}

#[tokio::test]
async fn settings_that_make_no_origin_are_refused() {
    assert!(matches!(refused(&[]).await, RemoteError::NoServer));
    assert!(matches!(
        refused(&["http://192.0.2.1", "http://192.0.2.1:80/"]).await,
        RemoteError::Twice { .. }
    ));
    assert!(matches!(refused(&["http://no-such-name.invalid"]).await, RemoteError::Unresolvable { .. }));
}

#[tokio::test]
async fn a_server_is_found_by_its_name() {
    let server = Scripted::well().await;
    let named: ServerUrl = format!("http://localhost:{}", server.address.port()).parse().unwrap();
    let (origin, _) = remote(&[named], |_| {}).await;
    assert_eq!(call(&origin, None).await.unwrap(), "0");
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_its_connection_to_nobody() {
    let (tell, mut told) = mpsc::channel(1);
    let server = Scripted::start(move |_, mut talk: Talk| {
        let tell = tell.clone();
        async move {
            talk.head().await;
            tell.send(()).await.unwrap();
            talk.until_closed().await;
        }
    })
    .await;
    let (origin, _) = remote(&[server.url()], |_| {}).await;
    let calling = Arc::clone(&origin);
    let given_up = tokio::spawn(async move { call(&calling, None).await });
    told.recv().await.unwrap();
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    let member = origin.members.first().unwrap();
    eventually(|| member.server.connections() == 0).await;
    assert_eq!(member.pool.len(), 0);
}
