use std::sync::atomic::Ordering;

use weir_throttle::{Admission, Budget, Limits, Policy, Rules};
use weir_units::{Component, Micros, Tick};

use super::World;
use crate::types::MailboxChange;

#[tokio::test]
async fn an_owner_who_did_nothing_has_everything_left() {
    let world = World::example().await;
    let budgets = world.client.budgets("JohnDoe").await.unwrap();
    assert_eq!(budgets.owner, "john.doe@example.com");
    assert!(budgets.in_directory);
    let ews = &budgets.components[0];
    assert_eq!((ews.component.as_str(), ews.active), ("EWS", false));
    assert_eq!((ews.running, ews.max_concurrency), (0, Some(10)));
    assert_eq!((ews.find_count, ews.find_count_limit), (0, Some(1000)));
    assert_eq!((ews.subscriptions, ews.max_subscriptions), (0, Some(5000)));
    let parts: Vec<(&str, Option<u64>, u64, Option<i64>)> = ews
        .parts
        .iter()
        .map(|part| (part.part.as_str(), part.allowance_ms, part.used_ms, part.remainder_ms))
        .collect();
    assert_eq!(
        parts,
        [
            ("PercentTimeInAD", Some(30_000), 0, Some(30_000)),
            ("PercentTimeInCAS", Some(54_000), 0, Some(54_000)),
            ("PercentTimeInAddressBook", Some(30_000), 0, Some(30_000)),
            ("PercentTimeInMailboxRPC", Some(36_000), 0, Some(36_000)),
        ]
    );
}

#[tokio::test]
async fn the_source_of_a_policy_is_told_with_the_reasons() {
    let world = World::example().await;
    let default = world.client.budgets("JohnDoe").await.unwrap().policy;
    assert_eq!((default.source.as_str(), default.reasons.len()), ("default", 0));
    world.new_policy("Foo", 1).await;
    let assign =
        MailboxChange { throttling_policy: Some(Some("Foo".to_owned())), ..MailboxChange::default() };
    world.client.change_mailbox("JohnDoe", &assign).await.unwrap();
    let assigned = world.client.budgets("JohnDoe").await.unwrap();
    assert_eq!((assigned.policy.name.as_str(), assigned.policy.source.as_str()), ("Foo", "assigned"));
    assert_eq!(assigned.components[0].find_count_limit, Some(1));
    let stranger = world.client.budgets("somebody@elsewhere.example").await.unwrap();
    assert!(!stranger.in_directory);
    assert_eq!(stranger.policy.source, "fallback");
    assert_eq!(stranger.policy.reasons, ["the owner belongs to no organisation"]);
}

#[tokio::test]
async fn the_age_of_a_cached_policy_is_told() {
    let world = World::example().await;
    let first = world.client.budgets("JohnDoe").await.unwrap().policy;
    assert_eq!((first.cached, first.age_ms, first.rereads_in_ms), (false, 0, 300_000));
    world.gateway.now.store(Micros::MINUTE.count(), Ordering::SeqCst);
    let second = world.client.budgets("JohnDoe").await.unwrap().policy;
    assert_eq!((second.cached, second.age_ms, second.rereads_in_ms), (true, 60_000, 300_000));
}

#[tokio::test]
async fn what_runs_and_what_was_used_is_told() {
    let world = World::example().await;
    let limits = Limits::resolve(&Policy::new(), &Policy::fallback());
    let limits = limits.component(Component::Ews);
    let budget = Budget::new();
    let Admission::Run(call) = budget.admit(limits, &Rules::default(), Tick::START) else {
        panic!("the first call runs");
    };
    budget.add_subscription(limits).unwrap();
    let after = Tick::START.plus(Micros::SECOND.times(17));
    *world.gateway.snapshot.lock().unwrap() = Some(budget.snapshot(limits, after));
    assert!(!budget.end(call, after), "nobody waits");
    let budgets = world.client.budgets("JohnDoe").await.unwrap();
    let ews = &budgets.components[0];
    assert!(ews.active);
    assert_eq!((ews.running, ews.waiting, ews.hanging, ews.max_hanging), (1, 0, 0, Some(10)));
    assert_eq!(ews.subscriptions, 1);
    let cas = &ews.parts[1];
    assert_eq!((cas.used_ms, cas.remainder_ms, cas.used_percent), (17_000, Some(37_000), 28));
}
