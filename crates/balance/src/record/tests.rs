use super::*;

fn at(seconds: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(seconds))
}

fn record() -> Arc<Record> {
    let address = SocketAddr::from(([10, 0, 2, 4], 25));
    Arc::new(Record::new(address, &Arc::from("hub4"), &Arc::default()))
}

fn fail(record: &Record, begun: u64, right: Option<&Right>, now: Tick) -> Option<Transition> {
    let report = Report { failure: Failure::Refused, begun, ticket: right.map(Right::ticket) };
    record.failed(report, &Schedule::hub(), now)
}

#[test]
fn the_right_to_a_retry_is_there_when_it_is_due_and_not_before() {
    let record = record();
    assert!(fail(&record, record.generation.current(), None, at(0)).is_some());
    let claim = |now| record.claim(Micros::MINUTE, now).map(|(_, kind)| kind);
    assert_eq!(claim(Tick::new(59_999_999)), None);
    assert_eq!(claim(at(60)), Some(Kind::Retry));
    let (right, _) = record.claim(Micros::MINUTE, at(60)).unwrap();
    assert_eq!(claim(at(60)), None, "somebody has it");
    assert!(fail(&record, 0, Some(&right), at(61)).is_some());
    assert_eq!(claim(at(120)), None, "the next one is due a minute after the end");
    drop(right);
    assert_eq!(claim(at(120)), None, "a ticket that was used gives nothing back");
    assert_eq!(claim(at(121)), Some(Kind::Retry));
}

#[test]
fn every_change_counts_the_generation_up_and_nothing_else_does() {
    let record = record();
    let changes = |act: &dyn Fn()| {
        let before = record.generation.current();
        act();
        record.generation.current() > before
    };
    let ignore = |_: Option<Transition>| {};
    assert!(changes(&|| drop(record.claim(Micros::SECOND, at(0)))), "given back");
    assert!(changes(&|| ignore(record.connected(at(0)))));
    assert!(!changes(&|| ignore(record.connected(at(0)))));
    assert!(!changes(&|| record.serve(Service::Enabled, at(0))));
    assert!(!changes(&|| assert!(record.retry_now(at(0)).is_none())));
    assert!(!changes(&|| ignore(fail(&record, 0, None, at(0)))), "begun before the proof");
    assert!(changes(&|| ignore(fail(&record, u64::MAX, None, at(0)))));
    assert!(!changes(&|| ignore(fail(&record, u64::MAX, None, at(0)))));
    assert!(changes(&|| assert!(record.retry_now(at(0)).is_some())));
    assert!(changes(&|| record.serve(Service::Draining, at(0))));
}

#[test]
fn the_flag_that_picks_read_says_in_service_proved_and_healthy() {
    let record = record();
    assert!(!record.is_plain());
    assert!(record.connected(at(0)).is_some());
    assert!(record.is_plain());
    assert!(fail(&record, u64::MAX, None, at(0)).is_some());
    assert!(!record.is_plain());
    assert!(record.connected(at(1)).is_some());
    for (service, plain) in [
        (Service::Draining, false),
        (Service::Enabled, true),
        (Service::Disabled, false),
        (Service::Enabled, false),
    ] {
        record.serve(service, at(2));
        assert_eq!(record.is_plain(), plain, "{service:?}");
    }
    assert!(record.connected(at(3)).is_some(), "one that was disabled proves itself again");
    assert!(record.is_plain());
}
