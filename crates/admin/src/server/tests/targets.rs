use super::World;
use crate::client::ClientError;
use crate::gateway::TargetChange;
use crate::types::{TargetView, UsedBy};

const DOWN: &str = "192.0.2.11:443";

async fn world() -> World {
    let world = World::empty().await;
    let healthy = TargetView {
        address: "192.0.2.10:443".to_owned(),
        name: "https://192.0.2.10".to_owned(),
        used_by: UsedBy::Origin,
        state: "healthy".to_owned(),
        error: None,
        retries: 0,
        last_attempt_ms: None,
        next_retry_ms: None,
        probing: false,
    };
    let unhealthy = TargetView {
        address: DOWN.to_owned(),
        name: "https://Mail.example.com".to_owned(),
        state: "unhealthy".to_owned(),
        error: Some("refused".to_owned()),
        retries: 2,
        last_attempt_ms: Some(1_500),
        next_retry_ms: Some(3_500),
        ..healthy.clone()
    };
    *world.gateway.targets.lock().unwrap() = vec![healthy, unhealthy];
    world
}

#[tokio::test]
async fn targets_are_listed_with_their_states() {
    let world = world().await;
    let targets = world.client.targets().await.unwrap();
    let told: Vec<_> = targets.iter().map(|target| (target.state.as_str(), target.next_retry_ms)).collect();
    assert_eq!(told, [("healthy", None), ("unhealthy", Some(3_500))]);
    assert!(World::empty().await.client.targets().await.unwrap().is_empty(), "none at the embedded origin");
    assert!(World::without_mail().await.client.targets().await.unwrap().is_empty(), "nor without mail");
}

#[tokio::test]
async fn a_target_is_named_by_its_address_or_as_the_configuration_names_it() {
    let world = world().await;
    for name in [DOWN, "https://Mail.example.com", "https://mail.example.com/"] {
        let target = world.client.change_target(name, TargetChange::Retry).await.unwrap().target;
        assert_eq!((target.address.as_str(), target.next_retry_ms), (DOWN, Some(0)), "{name}");
    }
    for name in ["192.0.2.12:443", "192.0.2.1", "https://", "mail.example.com"] {
        let error = world.client.change_target(name, TargetChange::Disable).await.unwrap_err();
        assert!(matches!(error, ClientError::Refused { status: 404, .. }), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn a_name_that_two_targets_have_means_neither() {
    let world = world().await;
    for target in world.gateway.targets.lock().unwrap().iter_mut() {
        "https://mail.example.com".clone_into(&mut target.name);
    }
    let error =
        world.client.change_target("https://mail.example.com", TargetChange::Drain).await.unwrap_err();
    assert!(matches!(error, ClientError::Refused { status: 404, .. }), "{error:?}");
    world.client.change_target(DOWN, TargetChange::Drain).await.unwrap();
}

#[tokio::test]
async fn each_change_of_a_target_is_one_line_of_the_audit_log() {
    let world = world().await;
    for (change, state) in [
        (TargetChange::Disable, "disabled"),
        (TargetChange::Drain, "draining"),
        (TargetChange::Enable, "unproved"),
        (TargetChange::Retry, "unhealthy"),
    ] {
        let target = world.client.change_target(DOWN, change).await.unwrap().target;
        assert_eq!(target.state, state);
    }
    let log = world.audit();
    let actions: Vec<_> = log.iter().map(|line| line["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["target.disable", "target.drain", "target.enable", "target.retry"]);
    assert_eq!(
        (&log[0]["target"], &log[0]["before"]["state"], &log[0]["after"]["state"]),
        (&DOWN.into(), &"unhealthy".into(), &"disabled".into())
    );
}

#[tokio::test]
async fn a_change_that_the_gateway_refuses_is_a_conflict_and_not_written_down() {
    let world = world().await;
    let error = world.client.change_target("192.0.2.10:443", TargetChange::Retry).await.unwrap_err();
    assert!(matches!(error, ClientError::Refused { status: 409, .. }), "{error:?}");
    assert_eq!(error.to_string(), "192.0.2.10:443 is healthy; there is nothing to retry");
    assert!(world.audit().is_empty());
}

/// A target of the mail transport at the address of the healthy server.
fn of_mail(world: &World, state: &str) {
    *world.mail.targets.lock().unwrap() = vec![TargetView {
        address: "192.0.2.10:443".to_owned(),
        name: "mx1.pool.test".to_owned(),
        used_by: UsedBy::Transport,
        state: state.to_owned(),
        error: (state == "unhealthy").then(|| "connection refused".to_owned()),
        retries: 0,
        last_attempt_ms: None,
        next_retry_ms: (state == "unhealthy").then_some(60_000),
        probing: false,
    }];
}

#[tokio::test]
async fn targets_of_the_mail_transport_are_listed_behind_those_of_the_origin() {
    let world = world().await;
    of_mail(&world, "healthy");
    let targets = world.client.targets().await.unwrap();
    let used_by: Vec<_> = targets.iter().map(|target| target.used_by).collect();
    assert_eq!(used_by, [UsedBy::Origin, UsedBy::Origin, UsedBy::Transport]);
    let changed = world.client.change_target("MX1.pool.test", TargetChange::Drain).await.unwrap();
    assert_eq!((changed.target.used_by, changed.also), (UsedBy::Transport, None), "whose name it is");
    assert_eq!(changed.target.state, "draining");
}

#[tokio::test]
async fn what_is_said_of_an_address_that_both_use_is_said_to_both() {
    let world = world().await;
    of_mail(&world, "healthy");
    let changed = world.client.change_target("192.0.2.10:443", TargetChange::Disable).await.unwrap();
    let also = changed.also.unwrap();
    assert_eq!((changed.target.used_by, also.used_by), (UsedBy::Origin, UsedBy::Transport));
    assert_eq!((changed.target.state.as_str(), also.state.as_str()), ("disabled", "disabled"));
    assert_eq!(world.audit().len(), 2, "two changes");
    of_mail(&world, "unhealthy");
    let changed = world.client.change_target("192.0.2.10:443", TargetChange::Retry).await.unwrap();
    assert_eq!((changed.target.used_by, changed.also), (UsedBy::Transport, None), "one alone is unhealthy");
}
