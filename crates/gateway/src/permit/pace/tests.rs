//! Owners who may be faster than the origin, on a pretended clock.

use weir_throttle::Verdict;
use weir_throttle::rpc::{RpcFactor, RpcRules};
use weir_units::{Micros, Part};

use crate::settings::Settings;
use crate::testing::World;

const RULES: RpcRules = RpcRules { factor: RpcFactor::MAX, floor: Micros::ZERO };

/// A world in which John may make so many calls at a time.
fn world(enforce: bool, places: Option<u32>) -> World {
    let mut settings = Settings::default();
    settings.throttle.enforce = enforce;
    let world = World::new(settings);
    world.hold_john_to(&[("EWSMaxConcurrency", places)]);
    world
}

fn millis(count: u64) -> Micros {
    Micros::new(count * 1000)
}

#[tokio::test(start_paused = true)]
async fn who_is_as_fast_as_all_his_places_allow_passes_and_who_is_faster_backs_off() {
    let world = world(true, Some(4));
    let mut call = world.call().await.unwrap();
    // 1200 operations in a minute are one in 50 ms: as fast as four places are at 200 ms.
    call.keep_pace(1200, millis(200), &RULES).unwrap();
    call.keep_pace(1, millis(200), &RULES).unwrap();
    assert_eq!(call.keep_pace(2, millis(200), &RULES), Ok(()), "it outran the origin, passes, and owes");
    let refusal = call.keep_pace(1, millis(200), &RULES).unwrap_err();
    assert_eq!((refusal.part, refusal.retry_after.unwrap().count()), (Part::Backoff, 250));
    call.refused(&refusal);
    assert_eq!(call.evidence().verdict(), (Verdict::Refuse, Some(Part::Backoff)));
}

#[tokio::test(start_paused = true)]
async fn nobody_is_held_to_it_where_it_is_off_or_any_number_of_calls_is_allowed() {
    let limited = world(true, Some(4));
    let mut call = limited.call().await.unwrap();
    let off = RpcRules { factor: RpcFactor::OFF, ..RULES };
    for _ in 0..10 {
        call.keep_pace(100_000, millis(60_000), &off).unwrap();
    }
    let unlimited = world(true, None);
    let mut call = unlimited.call().await.unwrap();
    for _ in 0..10 {
        call.keep_pace(100_000, millis(60_000), &RULES).unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn who_is_only_observed_passes_and_is_told_of_it() {
    let world = world(false, Some(4));
    let mut call = world.call().await.unwrap();
    for _ in 0..3 {
        call.keep_pace(10_000, millis(200), &RULES).unwrap();
    }
    assert_eq!(call.spared(), Some((Verdict::WouldRefuse, Part::Backoff)));
}
