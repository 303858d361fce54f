use std::sync::Arc;

use weir_units::{Micros, Millis, Tick};
use weir_wire::mapi::auxiliary::{Callee, Ground, SeenCall, Told};

use super::Session;
use crate::mapi::cookie::{Sequence, SessionKey};
use crate::mapi::rpc_server::RpcServer;
use crate::mapi::testing::new_session;

fn session() -> Arc<Session> {
    let new = new_session("john.doe@example.com");
    Arc::new(Session::new(1, SessionKey([1; 16]), new, Tick::START))
}

fn call(took: u64, failed: bool) -> Told {
    let (callee, ground) = (Callee::Mailbox, Ground::Foreground);
    Told::Call(SeenCall { callee, ground, took: Millis::new(took), ago: Millis::new(1), failed })
}

fn at(millis: u64) -> Tick {
    Tick::new(millis * 1000)
}

#[test]
fn what_a_client_tells_of_itself_is_kept_and_its_last_report_counts() {
    let session = session();
    session.hears(vec![
        Told::Process { name: "OUTLOOK.EXE".into() },
        call(20, false),
        call(30, false),
        call(900, true),
    ]);
    assert_eq!(session.state().seen_latency, Some(Micros::new(25_000)));
    session.hears(vec![call(100, false)]);
    session.hears(Vec::new());
    let state = session.state();
    assert_eq!(
        (state.process.as_deref(), state.seen_latency),
        (Some("OUTLOOK.EXE"), Some(Micros::new(100_000)))
    );
}

#[test]
fn a_session_in_use_is_not_idle() {
    let session = session();
    let minute = Micros::MINUTE;
    let in_use = session.begins(at(1_000));
    assert!(!session.is_idle(minute, at(500_000)));
    drop(in_use);
    assert!(!session.is_idle(minute, at(60_999)));
    assert!(session.is_idle(minute, at(61_000)));
}

#[test]
fn who_comes_before_his_time_is_early_but_for_a_clocks_tick() {
    let session = session();
    assert!(!session.is_early(at(0)));
    session.told(Millis::new(100), at(1_000));
    assert!(session.is_early(at(1_094)));
    assert!(!session.is_early(at(1_095)));
}

#[test]
fn a_session_without_a_server_has_no_latency() {
    let session = session();
    assert_eq!(session.latency(), Micros::ZERO);
    let server = Arc::new(RpcServer::new("one"));
    server.took(Micros::new(7_000));
    session.answered_by(&server, Micros::new(7_000));
    assert_eq!((session.latency(), session.state().took), (Micros::new(7_000), Some(Micros::new(7_000))));
}

#[test]
fn each_request_has_the_next_number() {
    let session = session();
    assert_eq!(session.sequence(), Sequence(0));
    assert_eq!(session.advance(Sequence(0)), Some(Sequence(1)));
    assert_eq!(session.advance(Sequence(0)), None, "one with the same number was faster");
    assert_eq!(session.sequence(), Sequence(1));
}
