use super::*;

fn rules(factor: u64, floor: u64) -> RpcRules {
    RpcRules { factor: RpcFactor::new(factor).unwrap(), floor: Micros::new(floor) }
}

#[test]
fn a_backoff_is_latency_times_factor_between_1_and_2000_ms() {
    let check = |factor, latency: u64, expected: Option<u64>| {
        let backoff = RpcFactor::new(factor).unwrap().backoff(Micros::new(latency));
        assert_eq!(backoff, expected.map(Micros::new), "{factor} thousandths of {latency} µs");
    };
    check(1000, 25_000, Some(25_000));
    check(2000, 50_000, Some(100_000));
    check(500, 50_000, Some(25_000));
    check(1000, 0, Some(1_000));
    check(1, 999_999, Some(1_000));
    check(1000, 1_999_999, Some(1_999_999));
    check(1000, 2_000_001, Some(2_000_000));
    check(5000, u64::MAX, Some(2_000_000));
    check(0, 50_000, None);
}

#[test]
fn a_factor_out_of_range_is_refused_with_the_range() {
    assert_eq!(RpcFactor::new(5000), Ok(RpcFactor::MAX));
    for given in [5001, 65_536, 66_536, u64::MAX] {
        let message = RpcFactor::new(given).unwrap_err().to_string();
        assert!(message.contains(&given.to_string()) && message.contains("0–5000"), "{message}");
    }
}

#[test]
fn the_default_is_exactly_the_latency() {
    assert_eq!(RpcFactor::default().thousandths(), 1000);
    assert_eq!(RpcFactor::default().backoff(Micros::new(31_415)), Some(Micros::new(31_415)));
}

#[test]
fn below_the_floor_nobody_is_told_to_back_off() {
    assert_eq!(rules(1000, 30_000).backoff(Micros::new(29_999)), None);
    assert_eq!(rules(1000, 30_000).backoff(Micros::new(30_000)), Some(Micros::new(30_000)));
}

#[test]
fn switching_off_is_worth_a_warning_and_any_other_factor_is_not() {
    assert_eq!(RpcFactor::OFF.off_event().map(|event| event.id), Some(EventId(5002)));
    assert_eq!(RpcFactor::default().off_event(), None);
}
