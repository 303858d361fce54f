use std::time::Duration;

use tokio::time::advance;
use weir_throttle::Seen;
use weir_units::{Component, Micros, Part, TimePart};

use crate::permit::Permit;
use crate::settings::Settings;
use crate::testing::World;

#[tokio::test(start_paused = true)]
async fn the_fullest_come_first_and_idle_budgets_not_at_all() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("EWSMaxConcurrency", Some(4)), ("EWSPercentTimeInCAS", None)]);
    let gateway = &world.gateway;
    let open = |name: &str, component| {
        let owner = weir_units::Owner::new(name);
        gateway.budgets.of(&owner, component, gateway.clock.tick()).unwrap()
    };
    for number in 0..100 {
        open(&format!("idle{number}@example.com"), Component::Ews);
    }
    advance(Duration::from_mins(10)).await;
    let calls = [world.call().await.unwrap(), world.call().await.unwrap(), world.call().await.unwrap()];
    let jane = open("jane.doe@example.com", Component::Ews);
    let policy = gateway.policies.lookup(&jane.owner, gateway.clock.tick());
    let settings = gateway.settings();
    let mut one = Permit::take(gateway.clone(), jane, policy, &settings.throttle).await.unwrap();
    one.turn(true).await.unwrap();
    one.during(TimePart::MailboxRpc, advance(Duration::from_secs(27))).await;

    let told = |most| {
        let spenders = gateway.spenders(most, gateway.clock.tick()).into_iter();
        spenders.map(|one| (one.owner.to_string(), one.fullest, one.policy.is_some())).collect::<Vec<_>>()
    };
    let john = ("john.doe@example.com".to_owned(), Some((Part::MaxConcurrency, 75)), true);
    let jane =
        |share| ("jane.doe@example.com".to_owned(), Some((Part::Time(TimePart::MailboxRpc), share)), true);
    assert_eq!(
        told(20),
        [john.clone(), jane(75)].into_iter().rev().collect::<Vec<_>>(),
        "she used more time"
    );
    assert_eq!(told(1), [jane(75)]);
    let fourth = world.call().await.unwrap();
    assert_eq!(told(20)[0], jane(75), "a ranking is good for a second");
    advance(Duration::from_secs(1)).await;
    assert_eq!(told(20)[0].1, Some((Part::MaxConcurrency, 100)));
    drop((calls, fourth));
    one.spare(Seen::Whole { came: 1, left: 0 });
    drop(one);
    advance(Duration::from_mins(3)).await;
    assert_eq!(told(20), []);
}

#[tokio::test(start_paused = true)]
async fn whose_policy_nobody_knows_is_listed_without_a_share() {
    let world = World::new(Settings::default());
    advance(Duration::from_secs(5)).await;
    let john = world.john();
    john.budget.charge(TimePart::MailboxRpc, Micros::SECOND, world.gateway.clock.tick());
    let [spender] = &world.gateway.spenders(5, world.gateway.clock.tick())[..] else { panic!("one") };
    assert_eq!((spender.fullest, spender.policy.is_none()), (None, true));
    assert!(spender.snapshot.time[TimePart::Cas.index()].used >= Micros::new(990_000));
}
