use super::*;

fn millis(count: u64) -> Micros {
    Micros::new(count * 1000)
}

fn second(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

#[test]
fn the_mean_is_over_the_packets_there_are_until_there_are_enough() {
    let latency = RpcLatency::default();
    latency.record(millis(10));
    latency.record(millis(40));
    assert_eq!((latency.mean(), latency.packets()), (millis(25), 2));
}

#[test]
fn the_packet_before_the_last_1024_does_not_count() {
    let latency = RpcLatency::default();
    latency.record(millis(2_048));
    for _ in 1..PACKETS {
        latency.record(Micros::ZERO);
    }
    assert_eq!(latency.mean(), millis(2));
    latency.record(Micros::ZERO);
    assert_eq!(latency.mean(), Micros::ZERO);
}

#[test]
fn a_packet_that_took_forever_counts_as_the_longest_there_is() {
    let latency = RpcLatency::<4>::new();
    for _ in 0..9 {
        latency.record(Micros::new(u64::MAX));
    }
    assert_eq!(latency.mean(), Micros::new(u32::MAX.into()));
}

#[test]
fn an_origin_above_the_goal_for_a_minute_is_told_once_until_it_has_met_the_goal() {
    let mut watch = LatencyWatch::default();
    let mut check = |at: u64, mean: u64, expected: bool| {
        let event = watch.look("ex1", millis(mean), second(at));
        assert_eq!(event.is_some(), expected, "at {at} s with {mean} ms");
    };
    check(0, 150, false);
    check(59, 101, false);
    check(60, 300, true);
    check(200, 300, false);
    check(210, 100, false);
    check(211, 101, false);
    check(270, 101, false);
    check(271, 101, true);
    check(280, 99, false);
    check(281, 400, false);
    check(340, 400, false);
}

#[test]
fn the_event_names_the_server_and_its_latency() {
    let mut watch = LatencyWatch::default();
    let _ = watch.look("ex1", millis(240), second(0));
    let event = watch.look("ex1", millis(250), second(60)).unwrap();
    assert_eq!(event.id, EventId(5001));
    assert!(event.text.contains("ex1 has been above 100 ms for a minute and is 250 ms"), "{}", event.text);
    assert_eq!(event.fields[1], ("latency_ms", "250".to_owned()));
}
