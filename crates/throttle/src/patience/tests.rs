use super::*;

#[test]
fn all_waits_of_a_request_draw_on_one_account() {
    let mut patience = Patience::new(Micros::SECOND.times(60));
    let now = Tick::new(5_000_000);
    assert_eq!(patience.until(Tick::new(6_000_000), now), Tick::new(6_000_000));
    assert_eq!(patience.until(Tick::NEVER, now), Tick::new(65_000_000));
    patience.spend(Micros::SECOND.times(40));
    patience.spend(Micros::SECOND.times(15));
    assert_eq!(patience.until(Tick::NEVER, now), Tick::new(10_000_000));
    assert_eq!(patience.waited(), Micros::SECOND.times(55));
    patience.spend(Micros::SECOND.times(15));
    assert!(patience.is_spent());
    assert_eq!(patience.until(Tick::NEVER, now), now);
}

#[test]
fn a_delay_for_the_processor_is_cut_at_the_cap_and_then_left_out() {
    let mut patience = Patience::new(Micros::SECOND);
    assert_eq!(patience.delay(Millis::new(500)), Micros::new(500_000));
    patience.spend(Micros::new(800_000));
    assert_eq!(patience.delay(Millis::new(500)), Micros::new(200_000));
    patience.spend(Micros::new(200_000));
    assert_eq!(patience.delay(Millis::new(500)), Micros::ZERO);
}
