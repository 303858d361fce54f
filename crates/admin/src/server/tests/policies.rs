use serde_json::json;

use super::World;
use crate::client::ClientError;
use crate::types::{NewPolicy, PolicyChange};

#[tokio::test]
async fn a_policy_is_made_in_either_spelling_and_shown_in_snake_case() {
    let world = World::example().await;
    let body = json!({"name": "FooPolicy", "settings": {"EWSFindCountLimit": 1, "cpu_start_percent": null}});
    let answer = world.ask("POST", "/api/v1/policies", &body.to_string()).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let policy = answer.json();
    assert_eq!(policy["name"], "FooPolicy");
    assert_eq!(policy["organisation"], "example.com");
    assert_eq!(policy["default"], false);
    assert_eq!(policy["settings"], json!({"ews_find_count_limit": 1, "cpu_start_percent": null}));
    assert_eq!(policy["effective"]["ews_find_count_limit"], 1);
    assert_eq!(policy["effective"]["cpu_start_percent"], json!(null));
    assert_eq!(policy["effective"]["ews_max_concurrency"], 10, "left out, so from the default policy");
    assert_eq!(policy["not_enforced"], json!([]));
    assert_eq!(policy["mailboxes"], 0);
    assert!(policy.get("unreadable").is_none());
}

#[tokio::test]
async fn value_null_and_left_out_are_set_apart() {
    let world = World::example().await;
    world.new_policy("Foo", 7).await;
    let change = |settings, leave_out: &[&str]| PolicyChange {
        settings,
        leave_out: leave_out.iter().map(|name| (*name).to_owned()).collect(),
    };
    let null = change([("ews_find_count_limit".to_owned(), None)].into(), &[]);
    let policy = world.client.change_policy("foo", &null).await.unwrap();
    assert_eq!(policy.settings.get("ews_find_count_limit"), Some(&None));
    assert_eq!(policy.effective.get("ews_find_count_limit"), Some(&None));
    let out = change([("EWSMaxConcurrency".to_owned(), Some(3))].into(), &["EWSFindCountLimit"]);
    let policy = world.client.change_policy("Foo", &out).await.unwrap();
    assert_eq!(policy.settings, [("ews_max_concurrency".to_owned(), Some(3))].into());
    assert_eq!(policy.effective.get("ews_find_count_limit"), Some(&Some(1000)));
}

#[tokio::test]
async fn a_limit_that_is_not_enforced_is_accepted_and_named() {
    let world = World::example().await;
    let settings = [("EASMaxDevices".to_owned(), Some(3)), ("ForwardeeLimit".to_owned(), None)].into();
    let wanted = NewPolicy { name: "Foo".to_owned(), organisation: None, settings };
    let policy = world.client.new_policy(&wanted).await.unwrap();
    assert_eq!(policy.not_enforced, ["eas_max_devices"], "no limit needs no enforcing");
    assert_eq!(world.client.policy("Foo").await.unwrap(), policy);
}

#[tokio::test]
async fn what_cannot_be_set_is_refused_with_what_can() {
    let world = World::example().await;
    world.new_policy("Foo", 1).await;
    for (settings, message) in [
        (
            r#"{"EWSFindContLimit": 1}"#,
            "no policy parameter is called \"EWSFindContLimit\"; close names are EWSFindCountLimit",
        ),
        (r#"{"CPUStartPercent": 101}"#, "CPUStartPercent is 101; allowed is 0 to 100, or null for no limit"),
        (r#"{"cpu_start_percent": -1}"#, "CPUStartPercent is -1; allowed is 0 to 100, or null for no limit"),
        (r#"{"CPUStartPercent": 9999999999}"#, "CPUStartPercent is 9999999999; allowed is 0 to 100"),
        (r#"{"CPUStartPercent": 1, "cpu_start_percent": 2}"#, "CPUStartPercent is given twice; give it once"),
        (r#"{"CPUStartPercent": "many"}"#, "invalid type: string \"many\""),
        (r#"{"CPUStartPercent": 1.5}"#, "invalid type: floating point `1.5`"),
    ] {
        for (method, path, body) in [
            ("PATCH", "/api/v1/policies/Foo", format!(r#"{{"settings": {settings}}}"#)),
            ("POST", "/api/v1/policies", format!(r#"{{"name": "Bar", "settings": {settings}}}"#)),
        ] {
            let answer = world.ask(method, path, &body).await;
            assert_eq!((answer.status, answer.code().as_str()), (400, "bad_request"), "{answer:?}");
            assert!(answer.message().contains(message), "{} in {}", message, answer.message());
        }
    }
    let policies = world.client.policies().await.unwrap();
    assert_eq!(policies.len(), 2, "nothing was made");
    assert_eq!(world.audit().len(), 4, "and nothing is in the audit log");
}

#[tokio::test]
async fn a_change_is_made_whole_or_not_at_all() {
    let world = World::example().await;
    world.new_policy("Foo", 1).await;
    let body = r#"{"settings": {"EWSFindCountLimit": 2, "FairShareWeight": 0}}"#;
    assert_eq!(world.ask("PATCH", "/api/v1/policies/Foo", body).await.status, 400);
    assert_eq!(world.client.policy("Foo").await.unwrap().settings["ews_find_count_limit"], Some(1));
}

#[tokio::test]
async fn a_policy_in_use_is_not_removed_and_its_mailboxes_are_counted() {
    let world = World::example().await;
    world.new_policy("Foo", 1).await;
    let assign = r#"{"throttling_policy": "Foo"}"#;
    for (mailbox, told) in [("JohnDoe", "1 mailbox uses it"), ("JaneDoe", "2 mailboxes use it")] {
        let path = format!("/api/v1/mailboxes/{mailbox}");
        assert_eq!(world.ask("PATCH", &path, assign).await.status, 200);
        let error = world.client.remove_policy("Foo").await.unwrap_err();
        assert!(
            matches!(&error, ClientError::Refused { status: 409, code, .. } if code == "conflict"),
            "{error:?}"
        );
        assert!(error.to_string().contains(told), "{error}");
        assert!(error.to_string().contains("`mailweir mailbox list --policy \"Foo\"` lists them"), "{error}");
    }
    for mailbox in ["JohnDoe", "JaneDoe"] {
        let path = format!("/api/v1/mailboxes/{mailbox}");
        assert_eq!(world.ask("PATCH", &path, r#"{"throttling_policy": null}"#).await.status, 200);
    }
    world.client.remove_policy("Foo").await.unwrap();
    let error = world.client.policy("Foo").await.unwrap_err();
    assert!(matches!(error, ClientError::Refused { status: 404, .. }), "{error:?}");
}

#[tokio::test]
async fn the_default_policy_stays_until_another_is_the_default() {
    let world = World::example().await;
    let default = world.client.policies().await.unwrap().remove(0);
    assert!(default.default && default.name.starts_with("DefaultThrottlingPolicy_"), "{default:?}");
    let error = world.client.remove_policy(&default.name).await.unwrap_err().to_string();
    assert!(error.contains("is the default policy of the organisation \"example.com\""), "{error}");
    world.new_policy("Foo", 1).await;
    assert!(world.client.make_default("Foo").await.unwrap().default);
    assert_eq!(world.client.organisations().await.unwrap()[0].default_policies, ["Foo"]);
    world.client.remove_policy(&default.name).await.unwrap();
}

#[tokio::test]
async fn a_policy_that_cannot_be_read_is_listed_with_the_reason() {
    let world = World::example().await;
    world.new_policy("Foo", 1).await;
    world.behind_its_back("UPDATE policy SET settings = '{' WHERE name = 'Foo'");
    let policies = world.client.policies().await.unwrap();
    let foo = policies.iter().find(|policy| policy.name == "Foo").unwrap();
    assert!(foo.unreadable.as_deref().is_some_and(|why| why.contains("EOF")), "{foo:?}");
    assert!(foo.settings.is_empty());
    assert_eq!(foo.effective["ews_find_count_limit"], Some(1000), "its mailboxes get the default policy");
}
