//! Waiting for a place at the origin, on a pretended clock (T4, T6, T20, T23, T26).

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{advance, sleep};
use weir_throttle::Verdict;
use weir_throttle::fair::LimitRules;
use weir_units::{Micros, Part, Refusal, Tick, TimePart};

use super::{WaitRules, entering};
use crate::permit::Permit;
use crate::places::{Place, Places};
use crate::settings::Settings;
use crate::testing::World;
use crate::testing::asking::ask;

/// A gateway where one call runs at the origin at a time, and that place, which somebody else has.
fn full(enforce: bool) -> (World, Arc<Places>, Place) {
    let mut settings = Settings::default();
    settings.throttle.enforce = enforce;
    settings.throttle.fair_share = Some(LimitRules::fixed(1).unwrap());
    let world = World::new(settings);
    let places = Arc::clone(&world.gateway.embedded_places);
    let taken = ask(&places, "jane.doe@example.com").at_once();
    (world, places, taken)
}

/// Takes a place for the call, and waits for one.
async fn enter(
    permit: &mut Permit,
    places: &Arc<Places>,
    rules: WaitRules,
) -> Result<Option<Place>, Refusal> {
    let (begin, place) = entering();
    permit.begin(places, rules, begin).await?;
    Ok(place.await.unwrap())
}

async fn free_after(seconds: u64, taken: Place) {
    sleep(Duration::from_secs(seconds)).await;
    taken.done(true);
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_place_counts_among_all_waits_and_is_not_charged() {
    let (world, places, taken) = full(true);
    let mut permit = world.call().await.unwrap();
    permit.turn(true).await.unwrap();
    let (place, ()) = tokio::join!(enter(&mut permit, &places, WaitRules::call(true)), free_after(7, taken));
    assert!(place.unwrap().is_some());
    assert_eq!(permit.waited(), (Micros::SECOND.times(7), Some(Part::FairShare)));
    assert_eq!(permit.evidence().verdict(), (Verdict::Delay, Some(Part::FairShare)));
    assert!(permit.cost()[TimePart::Cas.index()] < Micros::new(1000), "{:?}", permit.cost());
}

#[tokio::test(start_paused = true)]
async fn at_the_cap_of_all_waits_a_call_is_refused_and_a_batch_that_had_an_effect_runs() {
    let (world, places, _taken) = full(true);
    let mut permit = world.call().await.unwrap();
    permit.turn(true).await.unwrap();
    let refusal = enter(&mut permit, &places, WaitRules::call(true)).await.err().unwrap();
    assert_eq!((refusal.part, refusal.used, refusal.limit), (Part::FairShare, 1, 1));
    assert_eq!(permit.evidence().verdict(), (Verdict::Refuse, Some(Part::FairShare)));
    assert_eq!(permit.waited().0, Micros::MINUTE);
    assert_eq!(places.load().waiting, 0);

    let mut batch = world.call().await.unwrap();
    batch.turn(true).await.unwrap();
    let place = enter(&mut batch, &places, WaitRules::call(false)).await.unwrap();
    assert_eq!((place.is_some(), places.load().running), (true, 2));
    assert_eq!(batch.evidence().verdict(), (Verdict::Delay, Some(Part::FairShare)));
}

#[tokio::test(start_paused = true)]
async fn a_request_of_a_session_waits_ten_seconds() {
    let (world, places, _taken) = full(true);
    let mut permit = world.call().await.unwrap();
    permit.run_unjudged();
    assert!(enter(&mut permit, &places, WaitRules::of_session(true)).await.is_err());
    assert_eq!(permit.waited().0, Micros::SECOND.times(10));
}

#[tokio::test(start_paused = true)]
async fn whose_time_was_used_up_while_he_waited_waits_for_that_before_he_has_a_place() {
    let (world, places, taken) = full(true);
    let mut patient = (*world.gateway.settings()).clone();
    patient.throttle.max_delay = Duration::from_mins(2);
    world.gateway.reload(patient);
    world.hold_john_to(&[("EWSPercentTimeInMailboxRPC", Some(50))]);
    let mut waits = world.call().await.unwrap();
    waits.turn(true).await.unwrap();
    let mut works = world.call().await.unwrap();
    works.turn(true).await.unwrap();
    let uses = async {
        works.during(TimePart::MailboxRpc, advance(Duration::from_secs(31))).await;
        drop(works);
        taken.done(true);
    };
    let began = world.gateway.clock.tick();
    let (place, ()) = tokio::join!(enter(&mut waits, &places, WaitRules::call(true)), uses);
    assert!(place.unwrap().is_some());
    let waited = world.gateway.clock.tick().since(began).count() / 1_000_000;
    assert!((59..=66).contains(&waited), "until the first of the 31 s has expired: {waited} s");
    assert_eq!(waits.waited().1, Some(Part::Time(TimePart::MailboxRpc)));
}

#[tokio::test(start_paused = true)]
async fn who_is_only_observed_neither_waits_nor_takes_a_place() {
    let (world, places, _taken) = full(false);
    let mut permit = world.call().await.unwrap();
    permit.turn(true).await.unwrap();
    assert!(enter(&mut permit, &places, WaitRules::call(true)).await.unwrap().is_none());
    assert_eq!((permit.waited().0, places.load().running), (Micros::ZERO, 1));
}

/// How many calls of a tenth of a second go through a place each, one after the other, in a minute.
async fn calls<F: Future<Output = Place>>(world: &World, enter: impl Fn() -> F) -> u32 {
    let mut count = 0;
    while world.gateway.clock.tick().micros() < 60_000_000 {
        let place = enter().await;
        sleep(Duration::from_millis(100)).await;
        place.done(true);
        count += 1;
    }
    count
}

#[tokio::test(start_paused = true)]
async fn whose_policy_gives_him_three_times_the_weight_gets_three_times_as_much() {
    let (world, places, taken) = full(true);
    world.hold_john_to(&[("FairShareWeight", Some(3))]);
    drop(taken);
    let john = || async {
        let mut permit = world.call().await.unwrap();
        permit.turn(true).await.unwrap();
        enter(&mut permit, &places, WaitRules::call(true)).await.unwrap().unwrap()
    };
    let jane = || async { ask(&places, "jane.doe@example.com").until(Tick::NEVER).await.unwrap() };
    // Three of each, so that calls of both wait whenever a place is free.
    let johns = async { tokio::join!(calls(&world, john), calls(&world, john), calls(&world, john)) };
    let janes = async { tokio::join!(calls(&world, jane), calls(&world, jane), calls(&world, jane)) };
    let (johns, janes) = tokio::join!(johns, janes);
    let (johns, janes) = (johns.0 + johns.1 + johns.2, janes.0 + janes.1 + janes.2);
    assert!(
        (590..=610).contains(&(johns + janes)),
        "nobody waits while a place is free: {johns} and {janes}"
    );
    assert!((430..=470).contains(&johns), "{johns} of John's, {janes} of Jane's");
}
