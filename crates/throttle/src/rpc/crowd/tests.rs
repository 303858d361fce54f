use super::*;
use crate::rpc::{RpcRules, RpcSession};

fn millis(count: u64) -> Micros {
    Micros::new(count * 1000)
}

fn second(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

/// A session of so many operations; whether it is backed off follows from the latency of 100 ms.
fn session(rops: u32) -> SessionState {
    let session = RpcSession::new();
    for _ in 0..2 {
        let _ = session.decide(rops, millis(100), &RpcRules::default(), second(0));
    }
    session.state(second(0))
}

fn crowd(slow: usize, fast: usize) -> Crowd {
    let mut crowd = Crowd::default();
    for (count, rops) in [(slow, 1), (fast, 601)] {
        for number in 0..count {
            crowd.add(&session(rops), || format!("{rops}-{number}"));
        }
    }
    crowd
}

#[test]
fn half_of_the_active_sessions_are_many_and_one_alone_is_not() {
    let check = |slow, fast, expected| {
        let crowd = crowd(slow, fast);
        assert_eq!(crowd.active(), u64::try_from(slow + fast).unwrap());
        assert_eq!(crowd.backed_off(), u64::try_from(fast).unwrap());
        assert_eq!(crowd.blames_the_server(), expected, "{fast} of {}", slow + fast);
    };
    check(0, 0, false);
    check(5, 0, false);
    check(0, 1, false);
    check(1, 1, false);
    check(0, 2, true);
    check(2, 2, true);
    check(3, 2, false);
    check(51, 50, false);
    check(50, 50, true);
}

#[test]
fn a_session_that_was_idle_for_a_minute_does_not_count() {
    let mut crowd = crowd(0, 2);
    let idle = SessionState { active: false, ..session(1) };
    for _ in 0..10 {
        crowd.add(&idle, || unreachable!("it is not among the busiest"));
    }
    assert_eq!((crowd.active(), crowd.blames_the_server()), (2, true));
}

#[test]
fn the_event_says_once_that_the_server_is_the_problem_and_names_the_five_busiest() {
    let mut crowd = Crowd::default();
    for rops in [601, 1, 3_000, 700, 2, 900, 650, 800] {
        crowd.add(&session(rops), || format!("user{rops}@example.com"));
    }
    let mut watch = CrowdWatch::default();
    let event = watch.look(&crowd, "ex1", millis(240), second(0)).unwrap();
    assert_eq!(event.id, EventId(5003));
    assert!(event.text.contains("6 of 8 MAPI sessions at ex1"), "{}", event.text);
    assert!(event.text.contains("the server is the problem"), "{}", event.text);
    let top = "user3000@example.com:6000, user900@example.com:1800, user800@example.com:1600, \
               user700@example.com:1400, user650@example.com:1300";
    assert_eq!(event.fields[4], ("top", top.to_owned()));
    assert_eq!(watch.look(&crowd, "ex1", millis(240), second(90)), None);
}

#[test]
fn it_is_said_again_after_it_was_over_and_not_twice_a_minute() {
    let (calm, many) = (crowd(9, 1), crowd(1, 9));
    let mut watch = CrowdWatch::default();
    let mut check = |at, crowd: &Crowd, told: bool| {
        assert_eq!(watch.look(crowd, "ex1", millis(240), second(at)).is_some(), told, "at {at} s");
    };
    check(0, &calm, false);
    check(10, &many, true);
    check(20, &calm, false);
    check(30, &many, false);
    check(69, &many, false);
    check(70, &many, true);
    check(80, &many, false);
}
