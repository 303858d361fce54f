//! Every endpoint that changes something, by the table, so that none can be forgotten.

use serde_json::Value;

use super::World;
use super::world::mapi_session;
use crate::routes::{Endpoint, Method};
use crate::types::{TargetView, UsedBy};

/// A name and a body that make `endpoint` change something in [`world`]; nothing for one that changes nothing.
fn change(endpoint: Endpoint) -> Option<(&'static str, &'static str)> {
    match endpoint {
        Endpoint::Health
        | Endpoint::Ready
        | Endpoint::Metrics
        | Endpoint::OrganisationList
        | Endpoint::PolicyList
        | Endpoint::PolicyShow
        | Endpoint::MailboxList
        | Endpoint::MailboxShow
        | Endpoint::BudgetList
        | Endpoint::BudgetShow
        | Endpoint::BudgetLog
        | Endpoint::Overview
        | Endpoint::TargetList
        | Endpoint::QueueList
        | Endpoint::QueueShow
        | Endpoint::MessageShow
        | Endpoint::SessionList
        | Endpoint::BypassShow
        | Endpoint::EventList
        | Endpoint::AuditList => None,
        Endpoint::OrganisationNew => {
            Some(("", r#"{"name": "other", "short_name": "OTHER", "domains": ["other.example"]}"#))
        }
        Endpoint::OrganisationRemove => Some(("empty", "")),
        Endpoint::PolicyNew => Some(("", r#"{"name": "Bar", "organisation": "empty"}"#)),
        Endpoint::PolicyChange => Some(("Foo", r#"{"settings": {"EWSFindCountLimit": null}}"#)),
        Endpoint::PolicyImport => {
            Some(("", r#"{"policies": [{"name": "Foo", "organisation": "example.com", "settings": {}}]}"#))
        }
        Endpoint::PolicyRemove | Endpoint::PolicyDefault => Some(("Foo", "")),
        Endpoint::MailboxNew => Some(("", r#"{"address": "ken@example.com", "password": "secret-word"}"#)),
        Endpoint::MailboxChange => Some(("JohnDoe", r#"{"throttling_policy": "Foo"}"#)),
        Endpoint::MailboxRemove => Some(("JohnDoe", "")),
        Endpoint::MailboxPassword => Some(("JohnDoe", r#"{"password": "secret-word"}"#)),
        Endpoint::MailboxRepair | Endpoint::Reload => Some(("", "")),
        Endpoint::TargetDisable | Endpoint::TargetDrain | Endpoint::TargetEnable | Endpoint::TargetRetry => {
            Some(("192.0.2.11:443", ""))
        }
        Endpoint::QueueRetry | Endpoint::QueueSuspend | Endpoint::QueueResume => Some(("lab", "")),
        Endpoint::MessageRemove => Some(("11", "")),
        Endpoint::SessionClose => Some(("7", "")),
        Endpoint::BypassSet => Some(("", r#"{"on": true}"#)),
    }
}

/// A world in which everything can be changed.
async fn world() -> World {
    let world = World::example().await;
    let empty = r#"{"name": "empty", "short_name": "EMPTY", "domains": ["empty.example"]}"#;
    assert_eq!(world.ask("POST", "/api/v1/organisations", empty).await.status, 201);
    for name in ["Foo", "Gone"] {
        let policy = format!(
            r#"{{"name": "{name}", "organisation": "example.com", "settings": {{"EWSFindCountLimit": 1}}}}"#
        );
        assert_eq!(world.ask("POST", "/api/v1/policies", &policy).await.status, 201);
    }
    let assign = r#"{"throttling_policy": "Gone"}"#;
    assert_eq!(world.ask("PATCH", "/api/v1/mailboxes/JaneDoe", assign).await.status, 200);
    world.mail.fill();
    world.behind_its_back("DELETE FROM policy WHERE name = 'Gone'");
    *world.gateway.sessions.lock().unwrap() = vec![mapi_session()];
    *world.gateway.targets.lock().unwrap() = vec![TargetView {
        address: "192.0.2.11:443".to_owned(),
        name: "https://192.0.2.11".to_owned(),
        used_by: UsedBy::Origin,
        state: "unhealthy".to_owned(),
        error: Some("connection refused".to_owned()),
        retries: 2,
        last_attempt_ms: Some(1),
        next_retry_ms: Some(500),
        probing: false,
    }];
    world
}

#[tokio::test]
async fn whatever_changes_something_is_in_the_audit_log_with_before_and_after() {
    for endpoint in Endpoint::ALL {
        let Some((name, body)) = change(endpoint) else { continue };
        let world = world().await;
        let known = world.audit().len();
        let answer = world.ask(endpoint.route().0.name(), &endpoint.path(name), body).await;
        assert!((200..300).contains(&answer.status), "{endpoint:?} {answer:?}");
        let log = world.audit();
        let [line] = &log[known..] else { panic!("{endpoint:?} wrote {:?}", &log[known..]) };
        assert_eq!(line["who"], "admin-token", "{endpoint:?}");
        for field in ["time", "action", "target"] {
            assert!(line[field].as_str().is_some_and(|text| !text.is_empty()), "{endpoint:?} {line}");
        }
        assert!(!line.to_string().contains("secret-word"), "{line}");
        let same = line["before"] == line["after"];
        assert_eq!(same, endpoint == Endpoint::MailboxPassword, "only a password is not shown: {line}");
        let sides = [&line["before"], &line["after"]].map(Value::is_null);
        assert_ne!(sides, [true, true], "{endpoint:?} {line}");
    }
}

#[tokio::test]
async fn whatever_only_asks_leaves_the_audit_log_alone() {
    let world = world().await;
    let known = world.audit().len();
    for endpoint in Endpoint::ALL.into_iter().filter(|endpoint| change(*endpoint).is_none()) {
        assert_eq!(endpoint.route().0, Method::Get, "{endpoint:?} changes something, or should be a GET");
        world.ask("GET", &endpoint.path("Foo"), "").await;
    }
    assert_eq!(world.audit().len(), known);
}
