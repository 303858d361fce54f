use super::*;
use crate::rpc::RpcFactor;

const RULES: fn() -> RpcRules = RpcRules::default;

fn latency(millis: u64) -> Micros {
    Micros::new(millis * 1000)
}

fn at(millis: u64) -> Tick {
    Tick::new(millis * 1000)
}

fn back_off(millis: u64) -> RpcDecision {
    RpcDecision::BackOff(Millis::new(millis))
}

fn owing(millis: u64) -> RpcDecision {
    RpcDecision::PassOwing { debt: latency(millis) }
}

/// A session that has made 2400 operations, 40 a second of a minute.
fn busy() -> RpcSession {
    let session = RpcSession::new();
    assert_eq!(session.decide(2_400, latency(100), &RULES(), at(0)), RpcDecision::Pass);
    session
}

#[test]
fn a_request_is_judged_without_its_own_operations_and_owes_an_entry_for_each() {
    let session = busy();
    assert_eq!(session.decide(4, latency(25), &RULES(), at(1)), RpcDecision::Pass, "the gap is 25 ms");
    assert_eq!(session.decide(4, latency(25), &RULES(), at(2)), owing(100), "it is lower");
    assert_eq!(session.decide(4, latency(25), &RULES(), at(2)), back_off(25));
    assert_eq!(session.state(at(2)).last_minute.count(), 2_408, "what is refused does not count");
}

#[test]
fn an_early_retry_gets_what_is_left_and_at_the_end_the_request_passes() {
    let session = busy();
    let decide = |now| session.decide(2, latency(100), &RULES(), at(now));
    assert_eq!(decide(1_000), owing(200));
    assert_eq!(decide(1_001), back_off(99));
    assert_eq!(decide(1_040), back_off(60));
    assert_eq!(decide(1_099), back_off(1));
    assert_eq!(decide(1_100), back_off(100), "the next entry");
    assert_eq!(decide(1_199), back_off(1));
    assert_eq!(decide(1_200), owing(200));
}

#[test]
fn whoever_is_not_proved_yet_hears_what_the_session_owes_and_nothing_is_counted() {
    let session = busy();
    assert_eq!(session.owes(at(0)), None);
    assert_eq!(session.decide(2, latency(100), &RULES(), at(0)), owing(200));
    assert_eq!(session.owes(at(30)), Some(Millis::new(70)));
    assert_eq!((session.state(at(30)).backoffs, session.state(at(30)).last_minute.count()), (0, 2_402));
    assert_eq!(session.owes(at(200)), None);
}

#[test]
fn what_is_left_is_never_rounded_down() {
    let session = busy();
    assert_eq!(
        session.decide(1, Micros::new(100_001), &RULES(), at(0)),
        RpcDecision::PassOwing { debt: Micros::new(100_001) }
    );
    assert_eq!(session.decide(1, latency(100), &RULES(), at(100)), back_off(1));
    assert_eq!(session.decide(1, latency(25), &RULES(), at(101)), owing(25));
}

#[test]
fn a_request_without_operations_that_count_passes_at_any_time() {
    let session = busy();
    assert_eq!(session.decide(1, latency(100), &RULES(), at(0)), owing(100));
    assert_eq!(session.decide(0, latency(100), &RULES(), at(1)), RpcDecision::Pass);
    assert_eq!(session.decide(1, latency(100), &RULES(), at(2)), back_off(98));
}

#[test]
fn the_factor_is_that_of_the_moment_and_zero_forgives() {
    let session = busy();
    let rules = |factor| RpcRules { factor: RpcFactor::new(factor).unwrap(), ..RULES() };
    assert_eq!(session.decide(1, latency(50), &rules(2000), at(0)), owing(100));
    assert_eq!(session.decide(1, latency(50), &rules(1000), at(60)), back_off(40), "it was promised");
    assert_eq!(session.decide(1, latency(50), &rules(0), at(61)), RpcDecision::Pass);
    assert_eq!(session.decide(1, latency(50), &rules(1000), at(62)), owing(50));
}

#[test]
fn below_the_floor_a_session_of_any_pace_passes() {
    let session = busy();
    let rules = RpcRules { floor: latency(100), ..RULES() };
    for now in 0..100 {
        assert_eq!(session.decide(50, latency(99), &rules, at(now)), RpcDecision::Pass);
    }
    assert_eq!(session.decide(50, latency(100), &rules, at(100)), owing(5_000));
}

#[test]
fn back_offs_and_their_milliseconds_are_counted() {
    let session = busy();
    for now in [0, 30, 60, 110] {
        let _ = session.decide(2, latency(100), &RULES(), at(now));
    }
    let state = session.state(at(110));
    assert_eq!((state.rops, state.backoffs, state.handed_out), (2_402, 3, Millis::new(70 + 40 + 90)));
    assert_eq!(state.debt, latency(90));
}

#[test]
fn a_request_that_passes_although_it_was_refused_counts() {
    let session = busy();
    assert_eq!(session.decide(1, latency(100), &RULES(), at(0)), owing(100));
    assert_eq!(session.decide(7, latency(100), &RULES(), at(1)), back_off(99));
    session.pass_anyway(7, at(1));
    assert_eq!(session.state(at(1)).rops, 2_408);
}

#[test]
fn a_session_is_active_for_a_minute_after_it_asked_and_backed_off_for_one_after_it_owed() {
    let session = busy();
    let check = |now, active, backed_off| {
        let state = session.state(at(now));
        assert_eq!((state.active, state.backed_off), (active, backed_off), "at {now} ms");
    };
    check(59_999, true, false);
    check(60_000, false, false);
    assert_eq!(session.decide(10, latency(2_000), &RULES(), at(61_000)), owing(20_000));
    check(120_999, true, true);
    check(121_000, false, true);
    check(140_999, false, true);
    check(141_000, false, false);
    assert!(!RpcSession::new().state(at(0)).active);
}
