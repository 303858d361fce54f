use weir_units::{Micros, Tick, WallTime};

use super::Clock;

#[tokio::test(start_paused = true)]
async fn a_paused_runtime_pretends_both_times() {
    let start = WallTime::from_unix_micros(1_268_147_712_000_000);
    let clock = Clock::pretended(start);
    assert_eq!((clock.tick(), clock.wall()), (Tick::START, start));
    tokio::time::advance(std::time::Duration::from_secs(17)).await;
    assert_eq!(clock.tick(), Tick::new(17_000_000));
    assert_eq!(clock.wall(), start.plus(Micros::new(17_000_000)));
}

#[tokio::test(start_paused = true)]
async fn a_sleeper_wakes_at_its_tick() {
    let clock = Clock::start();
    clock.sleep_until(Tick::new(2_500_000)).await;
    assert_eq!(clock.tick(), Tick::new(2_500_000));
}

#[tokio::test(start_paused = true)]
async fn a_tick_that_has_passed_does_not_wait() {
    let clock = Clock::start();
    tokio::time::advance(std::time::Duration::from_secs(5)).await;
    clock.sleep_until(Tick::new(1)).await;
    assert_eq!(clock.tick(), Tick::new(5_000_000));
}

#[tokio::test(start_paused = true)]
async fn never_does_not_come() {
    let clock = Clock::start();
    let year = std::time::Duration::from_hours(365 * 24);
    assert!(tokio::time::timeout(year, clock.sleep_until(Tick::NEVER)).await.is_err());
}

#[test]
fn the_system_clock_is_later_than_this_test_was_written() {
    let clock = Clock::start();
    assert!(clock.wall() > WallTime::from_unix_micros(1_750_000_000_000_000));
    assert!(clock.tick() <= clock.tick());
}
