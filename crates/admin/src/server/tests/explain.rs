use std::sync::atomic::Ordering;

use serde_json::json;
use weir_throttle::{Admission, Budget, ComponentLimits, Limits, Policy, Rules};
use weir_units::{Component, Micros, Owner, Part, Tick};

use super::World;
use super::world::{johns_calls, overview};
use crate::gateway::Spender;
use crate::types::{ClientProgram, MailboxChange, MinuteView, OwnerHistory, OwnerLogFilter, ThrottledCall};

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
async fn what_an_owner_has_sent_stands_beside_what_he_may() {
    let world = World::example().await;
    let settings = r#"{"name": "Few", "settings": {"MessageRateLimit": 30, "RecipientRateLimit": 500}}"#;
    assert_eq!(world.ask("POST", "/api/v1/policies", settings).await.status, 201);
    let assign =
        MailboxChange { throttling_policy: Some(Some("Few".to_owned())), ..MailboxChange::default() };
    world.client.change_mailbox("JohnDoe", &assign).await.unwrap();
    let submission = world.client.budgets("JohnDoe").await.unwrap().submission;
    assert_eq!((submission.messages, submission.message_rate_limit), (3, Some(30)));
    assert_eq!((submission.recipients, submission.recipient_rate_limit), (40, Some(500)));
}

#[tokio::test]
async fn what_of_an_owners_calls_runs_and_waits_at_each_origin_is_told() {
    let world = World::example().await;
    assert_eq!(world.client.budgets("JohnDoe").await.unwrap().origins, []);
    *world.gateway.at_origins.lock().unwrap() = vec![johns_calls()];
    assert_eq!(world.client.budgets("JohnDoe").await.unwrap().origins, [johns_calls()]);
    let raw = world.ask("GET", "/api/v1/budgets/JohnDoe", "").await.json();
    let all = json!({"running": 8, "limit": 8, "waiting": 1_240});
    let his = json!({"origin": "embedded", "running": 1, "waiting": 31, "ahead_ms": 340, "all": all});
    assert_eq!(raw["origins"], json!([his]));
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
    assert_eq!((second.cached, second.age_ms, second.rereads_in_ms), (true, 60_000, 240_000));
}

#[tokio::test]
async fn to_be_looked_at_keeps_no_policy_in_the_cache() {
    let world = World::example().await;
    for minute in 0..5 {
        world.gateway.now.store(Micros::MINUTE.times(minute).count(), Ordering::SeqCst);
        let policy = world.client.budgets("JohnDoe").await.unwrap().policy;
        assert_eq!((policy.cached, policy.age_ms), (minute > 0, minute * 60_000));
    }
    world.gateway.now.store(Micros::MINUTE.times(5).count(), Ordering::SeqCst);
    let policy = world.client.budgets("JohnDoe").await.unwrap().policy;
    assert_eq!((policy.cached, policy.age_ms), (false, 0), "five minutes after its last use");
}

#[tokio::test]
async fn a_policy_that_is_missing_deleted_or_corrupt_is_a_reason() {
    let world = World::example().await;
    let assign =
        MailboxChange { throttling_policy: Some(Some("Foo".to_owned())), ..MailboxChange::default() };
    world.new_policy("Foo", 1).await;
    world.client.change_mailbox("JohnDoe", &assign).await.unwrap();
    let policy = async || {
        world.state.cache.invalidate();
        world.client.budgets("JohnDoe").await.unwrap().policy
    };
    world.behind_its_back("UPDATE policy SET settings = 'no JSON' WHERE name = 'Foo'");
    let corrupt = policy().await;
    assert_eq!(corrupt.source, "default");
    assert!(
        corrupt.reasons[0].contains("the assigned throttling policy \"Foo\" cannot be read"),
        "{corrupt:?}"
    );
    world.behind_its_back("DELETE FROM policy WHERE name = 'Foo'");
    let deleted = policy().await;
    assert_eq!(deleted.source, "default");
    assert!(deleted.reasons[0].contains("Foo\\nDEL:"), "the tombstone: {deleted:?}");
    world.behind_its_back("UPDATE policy SET is_default = 0");
    let missing = policy().await;
    assert_eq!(missing.source, "fallback");
    assert!(missing.reasons[1].contains("is missing"), "{missing:?}");
}

#[tokio::test]
async fn what_is_remembered_of_an_owner_is_told() {
    let world = World::example().await;
    let at = "2010-03-09T10:14:00.000000Z".to_owned();
    let history = OwnerHistory {
        programs: vec![ClientProgram {
            user_agent: "Archiver/2".to_owned(),
            first_seen: at.clone(),
            last_seen: at.clone(),
            requests: 7,
        }],
        throttled: vec![ThrottledCall {
            at: at.clone(),
            first_at: at.clone(),
            count: 3,
            component: "EWS".to_owned(),
            verdict: "delay".to_owned(),
            part: "PercentTimeInCAS".to_owned(),
            waited_ms: 7_500,
            status: 200,
            line: "2010-03-09 10:14:00 …".to_owned(),
        }],
        minutes: vec![MinuteView {
            at,
            requests: 7,
            refused: 0,
            delayed: 3,
            would_refuse: 0,
            would_delay: 0,
            cas_ms: 54_000,
            rpc_ms: 36_000,
        }],
    };
    *world.gateway.history.lock().unwrap() = history.clone();
    assert_eq!(world.client.budgets("JohnDoe").await.unwrap().history, history);
    let raw = world.ask("GET", "/api/v1/budgets/JohnDoe", "").await.json();
    assert_eq!(raw["throttled"][0]["line"], "2010-03-09 10:14:00 …", "beside the budgets, not below");
}

#[tokio::test]
async fn the_log_is_asked_for_an_owner_by_any_of_his_names() {
    let world = World::example().await;
    let around = OwnerLogFilter { at: Some("10:14".to_owned()), since: None };
    let log = world.client.owner_log("EXAMPLE\\JohnDoe", &around).await.unwrap();
    assert_eq!(log.throttled, ["a line of john.doe@example.com"]);
    let (from, to) = ("2010-03-09T10:13:00.000000Z", "2010-03-09T10:16:00.000000Z");
    assert_eq!((log.from.as_str(), log.to.as_str()), (from, to));
    let stranger = world.client.owner_log("Nobody@elsewhere.example", &around).await.unwrap();
    assert_eq!(stranger.throttled, ["a line of nobody@elsewhere.example"]);
    let answer = world.ask("GET", "/api/v1/budgets/JohnDoe/log", "").await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "bad_request"));
}

#[tokio::test]
async fn the_budgets_of_which_most_is_used_are_listed_as_many_as_asked_for() {
    let world = World::example().await;
    let limits = *Limits::resolve(&Policy::new(), &Policy::fallback()).component(Component::Ews);
    let spender = |owner: &str, limits: ComponentLimits, fullest| Spender {
        owner: Owner::new(owner),
        policy: Some("Foo".to_owned()),
        observe_only: false,
        limits,
        snapshot: Budget::new().snapshot(&limits, Tick::START),
        fullest,
    };
    *world.gateway.spenders.lock().unwrap() = vec![
        spender("john.doe@example.com", limits, Some((Part::MaxConcurrency, 90))),
        spender("jane.doe@example.com", ComponentLimits::unlimited(Component::Ews), None),
    ];
    let top = world.client.top_budgets(20).await.unwrap();
    assert_eq!(top.len(), 2);
    assert_eq!((top[0].owner.as_str(), top[0].share_percent), ("john.doe@example.com", Some(90)));
    assert_eq!(top[0].part.as_deref(), Some("MaxConcurrency"));
    assert_eq!((top[0].budget.component.as_str(), top[0].budget.max_concurrency), ("EWS", Some(10)));
    assert_eq!((top[1].part.as_deref(), top[1].share_percent), (None, None));
    assert_eq!(world.client.top_budgets(1).await.unwrap().len(), 1);
    for wrong in ["0", "1001"] {
        let answer = world.ask("GET", &format!("/api/v1/budgets?top={wrong}"), "").await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "bad_request"));
        assert!(answer.message().contains("1 to 1000"), "{answer:?}");
    }
}

#[tokio::test]
async fn how_it_goes_is_told() {
    let world = World::example().await;
    assert_eq!(world.client.overview().await.unwrap(), overview());
    let raw = world.ask("GET", "/api/v1/overview", "").await.json();
    assert_eq!(
        (&raw["seconds"][0]["requests"], &raw["seconds"][0]["cpu_percent"]),
        (&90.into(), &37.5.into())
    );
    let at_embedded = json!({"origin": "embedded", "running": 8, "limit": 8, "waiting": 1_240});
    assert_eq!(raw["origins"], json!([at_embedded]));
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
