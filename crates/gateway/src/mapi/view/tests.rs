//! What is said about an origin server and its sessions, on a pretended clock.

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use tokio::time::advance;
use weir_throttle::rpc::{RpcFactor, RpcRules};
use weir_units::{EventId, Micros};

use crate::mapi::session::{NewSession, Session};
use crate::mapi::testing::new_session;
use crate::settings::Settings;
use crate::testing::World;

fn open(world: &World, owner: &str) -> Arc<Session> {
    let gateway = &world.gateway;
    let new = NewSession { server: Some(Arc::clone(&gateway.embedded_rpc)), ..new_session(owner) };
    gateway.sessions.open(new, &gateway.settings().mapi, gateway.clock.tick()).unwrap()
}

/// Makes the origin's average `millis`.
fn pin(world: &World, millis: u64) {
    (0..1024).for_each(|_| world.gateway.embedded_rpc.took(Micros::new(millis * 1000)));
}

/// Lets the session make so many operations, and then owe.
fn overdo(world: &World, session: &Session, rops: u32) {
    let now = world.gateway.clock.tick();
    session.rpc.pass_anyway(rops, now);
    let rules = RpcRules::default();
    for _ in 0..2 {
        let _ = session.rpc.decide(1, session.latency(), &rules, now);
    }
}

fn told(world: &World) -> Vec<EventId> {
    world.gateway.look_at_rpc();
    world.events().iter().map(|event| event.id).collect()
}

#[tokio::test(start_paused = true)]
async fn an_origin_above_its_goal_for_a_minute_is_told_once() {
    let world = World::new(Settings::default());
    pin(&world, 150);
    assert_eq!(told(&world), []);
    advance(Duration::from_secs(59)).await;
    assert_eq!(told(&world), []);
    advance(Duration::from_secs(2)).await;
    assert_eq!(told(&world), [EventId::RPC_LATENCY_ABOVE_GOAL]);
    assert_eq!(told(&world), []);
}

#[tokio::test(start_paused = true)]
async fn many_sessions_that_are_backed_off_at_once_are_the_servers_fault() {
    let world = World::new(Settings::default());
    let sessions: Vec<_> = ["john", "jane", "jim"].iter().map(|owner| open(&world, owner)).collect();
    pin(&world, 90);
    overdo(&world, &sessions[0], 2_000);
    assert_eq!(told(&world), [], "one alone is no crowd");
    overdo(&world, &sessions[1], 1_000);
    world.gateway.look_at_rpc();
    let events = world.events();
    assert_eq!(events[0].id, EventId::MANY_SESSIONS_BACKED_OFF);
    assert!(
        events[0].text.contains("john (Outlook/16.0.5000.1000, session 1):2001, jane"),
        "{}",
        events[0].text
    );
    let rpc = world.gateway.origin_rpc().remove(0);
    assert_eq!((rpc.origin.as_str(), rpc.latency, rpc.sessions), ("embedded", Micros::new(90_000), 3));
    assert_eq!((rpc.active, rpc.backed_off), (2, 2), "who has asked nothing is not active");
}

#[tokio::test(start_paused = true)]
async fn every_session_is_shown_with_what_it_did_and_can_be_closed() {
    let mut registry = Registry::default();
    let world = World::counted(Settings::default(), &mut registry);
    let session = open(&world, "john");
    pin(&world, 90);
    overdo(&world, &session, 2_000);
    advance(Duration::from_secs(7)).await;
    let shown = world.gateway.sessions().remove(0);
    assert_eq!((shown.id, shown.owner.name(), shown.origin.as_str()), (1, "john", "embedded"));
    assert_eq!(
        (shown.idle, shown.state.last_minute.count(), shown.state.backoffs),
        (Micros::SECOND.times(7), 2_001, 1)
    );
    world.gateway.refresh_metrics(&[]);
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    assert!(text.contains("mailweir_rpc_average_latency_seconds{origin=\"embedded\"} 0.09\n"), "{text}");
    assert!(text.contains("mailweir_rpc_sessions{origin=\"embedded\"} 1\n"), "{text}");
    assert!(world.gateway.close_session(1) && !world.gateway.close_session(1));
    assert!(world.gateway.sessions().is_empty());
}

#[tokio::test(start_paused = true)]
async fn switching_rpc_throttling_off_is_told_whenever_it_becomes_so() {
    let world = World::new(Settings::default());
    let with = |factor| {
        let mut settings = Settings::default();
        settings.throttle.rpc.factor = RpcFactor::new(factor).unwrap();
        settings
    };
    for (factor, expected) in [(2000, 0), (0, 1), (0, 0), (1000, 0), (0, 1)] {
        world.gateway.reload(with(factor));
        let off = world.events().iter().filter(|event| event.id == EventId::RPC_THROTTLING_OFF).count();
        assert_eq!(off, expected, "{factor}");
    }
}
