use std::time::Duration;

use tokio::time::{advance, sleep};
use weir_throttle::{Busy, Evidence, Verdict};
use weir_units::{Micros, Part, TimePart};

use super::super::Permit;
use super::super::tests::{a_call_after_three_seconds, throttle, work};
use crate::settings::{OverBudget, Settings};
use crate::testing::World;

/// What follows from what the permit's log line would say.
#[track_caller]
fn check(permit: &Permit, verdict: Verdict, why: Option<Part>) {
    let text = permit.evidence().to_string();
    let read: Evidence = text.parse().unwrap();
    assert_eq!(read.verdict(), (verdict, why), "{text}");
}

const CAS: Part = Part::Time(TimePart::Cas);

#[tokio::test(start_paused = true)]
async fn a_wait_in_the_line_can_be_found_again() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSPercentTimeInCAS", Some(50))]);
    let mut quick = world.call().await.unwrap();
    quick.turn(true).await.unwrap();
    check(&quick, Verdict::Run, None);
    drop(quick);
    work(&world, Duration::from_secs(31)).await;
    let mut slow = world.call().await.unwrap();
    slow.turn(true).await.unwrap();
    assert_eq!(slow.waited().1, Some(CAS));
    check(&slow, Verdict::Delay, Some(CAS));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_can_be_found_again_at_once_and_at_the_cap() {
    for over_budget in [OverBudget::Delay, OverBudget::Refuse] {
        let settings = throttle(|throttle| {
            throttle.over_budget = over_budget;
            throttle.max_delay = Duration::from_secs(10);
        });
        let world = World::new(settings);
        world.hold_john_to(&[("EWSPercentTimeInCAS", Some(50))]);
        work(&world, Duration::from_secs(31)).await;
        let mut permit = world.call().await.unwrap();
        assert_eq!(permit.turn(true).await.unwrap_err().part, CAS);
        check(&permit, Verdict::Refuse, Some(CAS));
        let mut batch = world.call().await.unwrap();
        if batch.turn(false).await.is_ok() {
            check(&batch, Verdict::Delay, Some(CAS));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_line_can_be_found_again() {
    let world = World::new(throttle(|throttle| throttle.waiting_per_owner = 1));
    world.hold_john_to(&[("EWSPercentTimeInCAS", Some(50))]);
    work(&world, Duration::from_secs(31)).await;
    let (mut first, mut second) = (world.call().await.unwrap(), world.call().await.unwrap());
    let late = async {
        sleep(Duration::from_secs(1)).await;
        second.turn(true).await.unwrap_err()
    };
    let (ran, refusal) = tokio::join!(first.turn(true), late);
    ran.unwrap();
    second.refused(&refusal);
    check(&second, Verdict::Refuse, Some(Part::Waiting));
}

#[tokio::test(start_paused = true)]
async fn a_delay_for_the_processor_and_a_wait_for_a_place_can_be_found_again() {
    let (world, mut second) = a_call_after_three_seconds().await;
    check(&second, Verdict::Delay, Some(Part::MaxConcurrency));
    world.gateway.cpu.pretend(Busy::new(9000));
    second.turn(true).await.unwrap();
    check(&second, Verdict::Delay, Some(Part::Cpu));
}

#[tokio::test(start_paused = true)]
async fn finds_that_wait_and_finds_that_are_too_large_can_be_found_again() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSFindCountLimit", Some(10))]);
    let mut first = world.call().await.unwrap();
    first.take_found(10, true);
    check(&first, Verdict::Run, None);
    let mut second = world.call().await.unwrap();
    second.wait_for_find().await.unwrap_err();
    check(&second, Verdict::Refuse, Some(Part::FindCount));
    let mut third = world.call().await.unwrap();
    let late = async {
        sleep(Duration::from_secs(4)).await;
        drop(first);
    };
    let (left, ()) = tokio::join!(third.wait_for_find(), late);
    assert_eq!(left.unwrap(), Some(10));
    check(&third, Verdict::Delay, Some(Part::FindCount));
    third.saw_too_many(11, 10);
    check(&third, Verdict::Refuse, Some(Part::FindCount));
    assert_eq!(third.findings(), Some((11, false)));
}

#[tokio::test(start_paused = true)]
async fn who_is_only_observed_has_evidence_of_what_would_have_been() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[
        ("EWSMaxConcurrency", Some(1)),
        ("EWSPercentTimeInCAS", Some(1)),
        ("ObserveOnly", Some(1)),
    ]);
    work(&world, Duration::from_secs(5)).await;
    let mut first = world.call().await.unwrap();
    first.turn(true).await.unwrap();
    check(&first, Verdict::WouldDelay, Some(CAS));
    let mut second = world.call().await.unwrap();
    second.turn(true).await.unwrap();
    check(&second, Verdict::WouldRefuse, Some(Part::MaxConcurrency));
}

#[tokio::test(start_paused = true)]
async fn a_lone_call_costs_what_its_budget_was_charged() {
    let world = World::new(Settings::default());
    advance(Duration::from_secs(1)).await;
    let mut permit = world.call().await.unwrap();
    permit.charge(TimePart::Ad, Micros::new(3000));
    permit.turn(true).await.unwrap();
    advance(Duration::from_millis(20)).await;
    permit.during(TimePart::MailboxRpc, advance(Duration::from_millis(500))).await;
    permit.pause();
    advance(Duration::from_secs(9)).await;
    permit.resume();
    permit.during(TimePart::AddressBook, advance(Duration::from_millis(70))).await;
    let used = permit.snapshot().time.map(|part| part.used.floor_millis().count());
    assert_eq!(permit.cost().map(|cost| cost.floor_millis().count()), used);
    assert_eq!(used, [3, 593, 70, 500]);
    permit.hang().unwrap();
    advance(Duration::from_secs(9)).await;
    assert_eq!(permit.cost()[TimePart::Cas.index()].floor_millis().count(), 593);
}
