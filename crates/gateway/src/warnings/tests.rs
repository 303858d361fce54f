use std::time::Duration;

use weir_throttle::warnings::WarningSettings;
use weir_units::{EventId, Micros, Refusal, TimePart};

use crate::permit::Permit;
use crate::settings::Settings;
use crate::testing::World;

use super::*;

fn world(warnings: WarningSettings) -> World {
    World::new(Settings { warnings, ..Settings::default() })
}

/// Shows the gateway that one of John's calls ended so.
fn ended(world: &World, outcome: &Result<Permit, Refusal>) {
    let john = world.john();
    let call = Ended {
        id: RequestId::from_bytes([7; 16]),
        owner: &john.owner,
        component: john.component,
        policy: Some("FooPolicy"),
        held_by: outcome.as_ref().err().map(|refusal| refusal.part),
        cost: outcome.as_ref().map(Permit::cost).unwrap_or_default(),
    };
    let now = world.gateway.clock.tick();
    world.gateway.warn(&call, &world.gateway.settings().warnings, now);
}

#[tokio::test(start_paused = true)]
async fn an_owner_who_is_refused_again_and_again_is_told_once_a_minute() {
    let world = world(WarningSettings { over_budget: 5, many_owners_least: 1, ..WarningSettings::default() });
    world.hold_john_to(&[("EWSMaxConcurrency", Some(0))]);
    for _ in 0..6 {
        ended(&world, &world.call().await);
    }
    assert!(world.events().is_empty(), "the minute is not over");
    tokio::time::advance(Duration::from_mins(1)).await;
    world.gateway.close_minute(&world.gateway.settings().warnings, world.gateway.clock.tick());
    let told: Vec<_> = world.events().into_iter().map(|event| (event.id, event.text)).collect();
    let [(many, _), (often, text)] = &told[..] else { panic!("{told:?}") };
    assert_eq!((*many, *often), (EventId::MANY_OVER_BUDGET, EventId::OWNER_OVER_BUDGET));
    assert!(text.starts_with("john.doe@example.com went over budget 6 times for component EWS"), "{text}");
    world.gateway.close_minute(&world.gateway.settings().warnings, world.gateway.clock.tick());
    assert!(world.events().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_next_call_over_budget_closes_the_minute() {
    let world = world(WarningSettings { over_budget: 1, many_owners: 0, ..WarningSettings::default() });
    world.hold_john_to(&[("EWSMaxConcurrency", Some(0))]);
    for _ in 0..2 {
        ended(&world, &world.call().await);
    }
    tokio::time::advance(Duration::from_mins(2)).await;
    ended(&world, &world.call().await);
    assert_eq!(world.events().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_long_charge_is_an_event_only_where_it_is_asked_for() {
    for (long_charge, told) in [(None, 0), (Some(Micros::SECOND), 1), (Some(Micros::MINUTE), 0)] {
        let world = world(WarningSettings { long_charge, ..WarningSettings::default() });
        let mut permit = world.call().await.unwrap();
        permit.during(TimePart::MailboxRpc, tokio::time::sleep(Duration::from_secs(3))).await;
        ended(&world, &Ok(permit));
        let events = world.events();
        assert_eq!(events.len(), told, "{long_charge:?} {events:?}");
        let fields: Vec<_> = events.iter().flat_map(|event| &event.fields).collect();
        assert_eq!(fields.iter().any(|(name, _)| *name == "request"), told == 1);
    }
}
