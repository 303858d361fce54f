//! The waiting of T5–T7, T9, T11 and T26, on a pretended clock.

use std::time::Duration;

use tokio::time::{advance, sleep};
use weir_throttle::{Busy, Seen, Verdict};
use weir_units::{Micros, Part, TimePart};

use crate::permit::Permit;
use crate::settings::{OverBudget, Settings, ThrottleSettings};
use crate::testing::World;

pub(super) fn throttle(change: impl FnOnce(&mut ThrottleSettings)) -> Settings {
    let mut settings = Settings::default();
    change(&mut settings.throttle);
    settings
}

/// Seconds that have gone by on the pretended clock.
fn seconds(world: &World) -> u64 {
    world.gateway.clock.tick().micros() / 1_000_000
}

/// Uses `time` of the mailbox part and of CAS.
pub(super) async fn work(world: &World, time: Duration) {
    let mut permit = world.call().await.unwrap();
    permit.turn(true).await.unwrap();
    permit.during(TimePart::MailboxRpc, advance(time)).await;
}

/// A call that may wait five seconds for the only place, and has got it after three.
pub(super) async fn a_call_after_three_seconds() -> (World, Permit) {
    let world = World::new(throttle(|throttle| throttle.concurrency_wait = Duration::from_secs(5)));
    world.hold_john_to(&[("EWSMaxConcurrency", Some(1))]);
    let first = world.call().await.unwrap();
    let late = async {
        sleep(Duration::from_secs(3)).await;
        drop(first);
    };
    let (second, ()) = tokio::join!(world.call(), late);
    (world, second.unwrap())
}

#[tokio::test(start_paused = true)]
async fn over_budget_a_call_waits_until_something_is_left_and_then_runs() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSPercentTimeInMailboxRPC", Some(50))]);
    work(&world, Duration::from_secs(31)).await;
    let mut permit = world.call().await.unwrap();
    permit.turn(true).await.unwrap();
    let (waited, part) = permit.waited();
    assert_eq!(part, Some(Part::Time(TimePart::MailboxRpc)));
    // The first of the 31 s expires after a minute: 29 s after the work ended, or a slice later.
    assert!((29..=36).contains(&(waited.count() / 1_000_000)), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_at_the_cap_with_a_refusal_that_knows_when() {
    let world = World::new(throttle(|throttle| throttle.max_delay = Duration::from_secs(10)));
    world.hold_john_to(&[("EWSPercentTimeInMailboxRPC", Some(50))]);
    work(&world, Duration::from_secs(31)).await;
    let before = seconds(&world);
    let mut permit = world.call().await.unwrap();
    let refusal = permit.turn(true).await.unwrap_err();
    assert_eq!(seconds(&world) - before, 10);
    assert_eq!(refusal.part, Part::Time(TimePart::MailboxRpc));
    let back_off = refusal.retry_after.unwrap().count();
    assert!((15_000..=27_000).contains(&back_off), "{back_off} ms");
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_had_an_effect_runs_in_debt_at_the_cap() {
    let world = World::new(throttle(|throttle| throttle.max_delay = Duration::from_secs(10)));
    world.hold_john_to(&[("EWSPercentTimeInMailboxRPC", Some(1))]);
    work(&world, Duration::from_secs(5)).await;
    let mut permit = world.call().await.unwrap();
    for _ in 0..3 {
        permit.turn(false).await.unwrap();
    }
    assert_eq!(permit.waited().0, Micros::SECOND.times(10), "all waits together");
}

#[tokio::test(start_paused = true)]
async fn over_budget_refuses_at_once_where_it_is_told_to() {
    let world = World::new(throttle(|throttle| throttle.over_budget = OverBudget::Refuse));
    world.hold_john_to(&[("EWSPercentTimeInCAS", Some(1))]);
    work(&world, Duration::from_secs(2)).await;
    let before = seconds(&world);
    let refusal = world.call().await.unwrap().turn(true).await.unwrap_err();
    assert_eq!((refusal.part, seconds(&world) - before), (Part::Time(TimePart::Cas), 0));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_slowly_keeps_none_of_its_owners_calls_waiting() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSPercentTimeInCAS", Some(50))]);
    work(&world, Duration::from_secs(31)).await;
    let slow = world.call().await.unwrap();
    let mut quick = world.call().await.unwrap();
    quick.turn(true).await.unwrap();
    assert!(quick.waited().0 < Micros::SECOND.times(40), "{:?}", quick.waited());
    assert_eq!(slow.snapshot().connections, 2);
}

#[tokio::test(start_paused = true)]
async fn clients_that_hang_up_give_their_places_back() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSMaxConcurrency", Some(27))]);
    let mut calls = Vec::new();
    for _ in 0..27 {
        calls.push(world.call().await.unwrap());
    }
    assert_eq!(world.call().await.err().expect("a refusal").part, Part::MaxConcurrency);
    drop(calls);
    let permit = world.call().await.unwrap();
    assert_eq!(permit.snapshot().connections, 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_hangs_up_while_it_waits_leaves_the_line() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSPercentTimeInCAS", Some(50))]);
    work(&world, Duration::from_secs(31)).await;
    let mut first = world.call().await.unwrap();
    let mut second = world.call().await.unwrap();
    tokio::select! {
        _ = first.turn(true) => panic!("nothing is left yet"),
        () = sleep(Duration::from_secs(1)) => {}
    }
    drop(first);
    second.turn(true).await.unwrap();
    drop(second);
    let snapshot = world.call().await.unwrap().snapshot();
    assert_eq!((snapshot.connections, snapshot.waiting), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_call_may_wait_for_a_place_where_it_is_told_to() {
    let (_world, second) = a_call_after_three_seconds().await;
    assert_eq!(second.waited(), (Micros::SECOND.times(3), Some(Part::MaxConcurrency)));
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_a_hundred_is_checked_a_hundred_times_on_a_busy_processor() {
    let world = World::new(Settings::default());
    world.gateway.cpu.pretend(Busy::FULL);
    let mut permit = world.call().await.unwrap();
    for _ in 0..100 {
        permit.turn(true).await.unwrap();
    }
    assert_eq!(permit.waited(), (Micros::SECOND.times(50), Some(Part::Cpu)));
    for _ in 0..100 {
        permit.turn(true).await.expect("a delay for the processor never refuses");
    }
    assert_eq!(permit.waited().0, Micros::MINUTE, "at the cap the rest runs without it");
}

#[tokio::test(start_paused = true)]
async fn jane_may_be_spared_where_john_is_delayed() {
    let world = World::new(Settings::default());
    world.gateway.cpu.pretend(Busy::new(9000));
    world.hold_john_to(&[("CPUStartPercent", Some(100))]);
    let mut permit = world.call().await.unwrap();
    permit.turn(true).await.unwrap();
    assert_eq!(permit.waited().0, Micros::ZERO);
}

#[tokio::test(start_paused = true)]
async fn making_a_caller_wait_is_never_charged() {
    let world = World::new(Settings::default());
    world.gateway.cpu.pretend(Busy::FULL);
    let mut permit = world.call().await.unwrap();
    for _ in 0..20 {
        permit.turn(true).await.unwrap();
    }
    permit.pause();
    advance(Duration::from_secs(7)).await;
    permit.resume();
    let cas = permit.snapshot().time[TimePart::Cas.index()];
    assert!(cas.used < Micros::new(1000), "{cas:?}");
}

#[tokio::test(start_paused = true)]
async fn a_find_with_nothing_left_waits_for_what_others_give_back() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSFindCountLimit", Some(10))]);
    let mut first = world.call().await.unwrap();
    assert_eq!(first.take_found(10, true), 10);
    let mut second = world.call().await.unwrap();
    let late = async {
        sleep(Duration::from_secs(4)).await;
        first.release_found(3);
        drop(first);
    };
    let (left, ()) = tokio::join!(second.wait_for_find(), late);
    assert_eq!(left.unwrap(), Some(10));
    assert_eq!(second.waited(), (Micros::SECOND.times(4), Some(Part::FindCount)));
}

#[tokio::test(start_paused = true)]
async fn a_find_that_waits_in_vain_is_refused_with_a_back_off() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSFindCountLimit", Some(10))]);
    let mut first = world.call().await.unwrap();
    assert_eq!(first.take_found(12, true), 10, "the rest is dropped");
    let mut second = world.call().await.unwrap();
    let refusal = second.wait_for_find().await.unwrap_err();
    assert!(refusal.retry_after.is_some());
    assert_eq!(second.waited().0, Micros::MINUTE);
}

#[tokio::test(start_paused = true)]
async fn who_is_only_observed_is_neither_refused_nor_delayed() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[
        ("EWSMaxConcurrency", Some(1)),
        ("EWSPercentTimeInCAS", Some(1)),
        ("ObserveOnly", Some(1)),
    ]);
    work(&world, Duration::from_secs(5)).await;
    let _first = world.call().await.unwrap();
    let mut second = world.call().await.unwrap();
    second.turn(true).await.unwrap();
    assert_eq!(second.spared(), Some((Verdict::WouldRefuse, Part::MaxConcurrency)));
    assert_eq!(second.waited().0, Micros::ZERO);
}

/// What becomes of a call of John's, who is only observed, after `act`.
async fn observed(
    limits: &[(&str, Option<u32>)],
    settings: Settings,
    act: impl AsyncFnOnce(&World, &mut Permit),
) -> Option<(Verdict, Part)> {
    let world = World::new(settings);
    world.hold_john_to(&[limits, &[("ObserveOnly", Some(1))]].concat());
    work(&world, Duration::from_secs(31)).await;
    let mut permit = world.call().await.unwrap();
    permit.turn(true).await.unwrap();
    act(&world, &mut permit).await;
    assert_eq!(permit.waited(), (Micros::ZERO, None), "nothing was held up");
    permit.spared()
}

#[tokio::test(start_paused = true)]
async fn whatever_would_have_refused_or_delayed_an_observed_call_is_told() {
    let rpc = Part::Time(TimePart::MailboxRpc);
    let half = ("EWSPercentTimeInMailboxRPC", Some(50));
    let nothing = async |_: &World, _: &mut Permit| {};
    let usual = Settings::default;
    assert_eq!(observed(&[], usual(), nothing).await, None);
    assert_eq!(observed(&[half], usual(), nothing).await, Some((Verdict::WouldDelay, rpc)));
    let strict = throttle(|throttle| throttle.over_budget = OverBudget::Refuse);
    assert_eq!(observed(&[half], strict, nothing).await, Some((Verdict::WouldRefuse, rpc)));
    let none = [("EWSPercentTimeInMailboxRPC", Some(0))];
    assert_eq!(observed(&none, usual(), nothing).await, Some((Verdict::WouldRefuse, rpc)), "for ever");

    let busy = async |world: &World, permit: &mut Permit| {
        world.gateway.cpu.pretend(Busy::new(9000));
        permit.turn(true).await.unwrap();
    };
    assert_eq!(observed(&[], usual(), busy).await, Some((Verdict::WouldDelay, Part::Cpu)));
    let batch = async |_: &World, permit: &mut Permit| {
        permit.during(TimePart::MailboxRpc, advance(Duration::from_secs(5))).await;
        permit.turn(false).await.unwrap();
    };
    assert_eq!(observed(&[], usual(), batch).await, Some((Verdict::WouldDelay, rpc)), "36 s are allowed");
    let hang = async |_: &World, permit: &mut Permit| permit.hang().unwrap();
    assert_eq!(observed(&[], usual(), hang).await, None);
    let subscribe = async |_: &World, permit: &mut Permit| permit.take_subscription().unwrap();
    let few = [("EWSMaxSubscriptions", Some(0))];
    let refused = Some((Verdict::WouldRefuse, Part::MaxSubscriptions));
    assert_eq!(observed(&few, usual(), subscribe).await, refused);
    assert_eq!(observed(&[half, few[0]], usual(), subscribe).await, refused, "a refusal before a delay");
}

#[tokio::test(start_paused = true)]
async fn the_eleventh_observed_call_that_hangs_would_have_been_refused() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("ObserveOnly", Some(1))]);
    let mut calls = Vec::new();
    for number in 0..11 {
        let mut call = world.call().await.unwrap();
        call.hang().unwrap();
        let eleventh = (number == 10).then_some((Verdict::WouldRefuse, Part::HangingConnections));
        assert_eq!(call.spared(), eleventh);
        calls.push(call);
    }
}

#[tokio::test(start_paused = true)]
async fn an_observed_call_is_counted_once_for_its_delay_and_once_for_its_refusal() {
    let mut registry = prometheus_client::registry::Registry::default();
    let world = World::counted(Settings::default(), &mut registry);
    world.hold_john_to(&[("ObserveOnly", Some(1))]);
    let mut permit = world.call().await.unwrap();
    world.gateway.cpu.pretend(Busy::FULL);
    for _ in 0..3 {
        permit.turn(true).await.unwrap();
        permit.spare(Seen::Whole { came: 2, left: 1 });
    }
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &registry).unwrap();
    for line in [
        "mailweir_throttle_would_delay_total{component=\"EWS\",part=\"CPUStartPercent\"} 1",
        "mailweir_throttle_would_refuse_total{component=\"EWS\",part=\"FindCountLimit\"} 1",
    ] {
        assert!(text.lines().any(|one| one == line), "no {line} in {text}");
    }
    assert!(!text.contains("throttle_refused_total{") && !text.contains("throttle_delayed_total{"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_bypass_lets_everybody_pass_until_it_is_taken_back() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSMaxConcurrency", Some(0))]);
    world.gateway.set_bypass(true);
    let permit = world.call().await.unwrap();
    assert_eq!(permit.spared(), Some((Verdict::WouldRefuse, Part::MaxConcurrency)));
    drop(permit);
    world.gateway.set_bypass(false);
    assert_eq!(world.call().await.err().expect("a refusal").part, Part::MaxConcurrency);
}

#[tokio::test(start_paused = true)]
async fn subscriptions_that_the_origin_forgot_are_not_counted_on() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSMaxSubscriptions", Some(2))]);
    let mut permit = world.call().await.unwrap();
    for id in ["a", "b"] {
        permit.take_subscription().unwrap();
        permit.subscription_opened(id, Micros::MINUTE);
    }
    assert_eq!(permit.take_subscription().unwrap_err().part, Part::MaxSubscriptions);
    advance(Duration::from_secs(40)).await;
    permit.subscription_used("b");
    advance(Duration::from_secs(30)).await;
    permit.take_subscription().expect("a has timed out");
    permit.give_back_subscription();
    permit.subscription_closed("b");
    permit.subscription_closed("b");
    assert_eq!(permit.snapshot().subscriptions.1, 0);
}
