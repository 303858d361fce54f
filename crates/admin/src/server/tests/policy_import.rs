use serde_json::{Value, json};

use super::World;

const PATH: &str = "/api/v1/import/policies";

async fn world() -> World {
    let world = World::example().await;
    world.new_policy("Foo", 1).await;
    world.ask("PATCH", "/api/v1/policies/Foo", r#"{"settings": {"CPUStartPercent": 50}}"#).await;
    world
}

fn body(dry_run: bool) -> String {
    json!({"dry_run": dry_run, "policies": [
        {"name": "foo", "settings": {"ews_find_count_limit": null, "EWSMaxConcurrency": 2}},
        {"name": "Bar", "organisation": "example.com", "default": true, "settings": {"EWSFindCountLimit": 7}},
    ]})
    .to_string()
}

#[tokio::test]
async fn an_import_says_what_differs_and_is_audited_a_line_a_policy() {
    let world = world().await;
    let known = world.audit().len();
    let dry = world.ask("POST", PATH, &body(true)).await;
    assert_eq!(dry.status, 200, "{dry:?}");
    assert_eq!(world.audit().len(), known, "a dry run does nothing");
    assert_eq!(world.client.policies().await.unwrap().len(), 2);
    let done = world.ask("POST", PATH, &body(false)).await.json();
    assert_eq!(done["differences"], dry.json()["differences"], "what was done is what was shown");
    let [bar, default, foo] = done["differences"].as_array().unwrap().as_slice() else { panic!("{done}") };
    assert_eq!(
        bar,
        &json!({"name": "Bar", "organisation": "example.com", "action": "added", "default": true,
                "settings": [{"parameter": "ews_find_count_limit", "after": 7}]})
    );
    assert_eq!((&default["action"], &default["default"]), (&json!("changed"), &json!(false)), "no longer it");
    assert_eq!(
        foo,
        &json!({"name": "Foo", "organisation": "example.com", "action": "changed", "settings": [
            {"parameter": "cpu_start_percent", "before": 50},
            {"parameter": "ews_find_count_limit", "before": 1, "after": null},
            {"parameter": "ews_max_concurrency", "after": 2},
        ]})
    );
    let log = world.audit();
    let told: Vec<_> = log[known..].iter().map(|line| (&line["action"], &line["target"])).collect();
    let action = json!("policy.import");
    assert_eq!(told, [(&action, &json!("Bar")), (&action, &default["name"]), (&action, &json!("Foo"))]);
    assert_eq!(log[known]["before"], Value::Null);
    assert_eq!(
        log[known + 2]["before"]["settings"],
        json!({"cpu_start_percent": 50, "ews_find_count_limit": 1})
    );
    assert_eq!(
        log[known + 2]["after"]["settings"],
        json!({"ews_find_count_limit": null, "ews_max_concurrency": 2})
    );
}

#[tokio::test]
async fn the_same_import_once_more_changes_nothing() {
    let world = world().await;
    world.ask("POST", PATH, &body(false)).await;
    let known = world.audit().len();
    let again = world.ask("POST", PATH, &body(false)).await.json();
    assert_eq!(again, json!({"dry_run": false, "differences": [], "unchanged": 2}));
    assert_eq!(world.audit().len(), known);
}

#[tokio::test]
async fn an_import_is_in_force_when_it_is_answered() {
    let world = world().await;
    assert_eq!(world.find_count_limit("john.doe@example.com"), Some(1000));
    world.ask("POST", PATH, &body(false)).await;
    assert_eq!(world.find_count_limit("john.doe@example.com"), Some(7), "Bar is the default policy");
}

#[tokio::test]
async fn what_cannot_be_imported_names_the_policy_and_changes_nothing() {
    let world = world().await;
    let known = world.audit().len();
    for (policy, told) in [
        (json!({"name": "B", "settings": {"EWSFindContLimit": 1}}), "\"B\": no policy parameter is called"),
        (
            json!({"name": "B", "settings": {"CPUStartPercent": 101}}),
            "\"B\": CPUStartPercent is 101; allowed is 0 to 100",
        ),
        (
            json!({"name": "B", "organisation": "x"}),
            "the policy \"B\" cannot be imported: there is no organisation",
        ),
        (json!({"name": "A"}), "the policy \"A\" is there twice"),
        (json!({"nam": "A"}), "unknown field `nam`"),
    ] {
        let body = json!({"policies": [{"name": "A", "settings": {}}, policy]}).to_string();
        let answer = world.ask("POST", PATH, &body).await;
        assert!((400..500).contains(&answer.status), "{answer:?}");
        assert!(answer.message().contains(told), "{told} in {}", answer.message());
    }
    assert_eq!(world.client.policies().await.unwrap().len(), 2);
    assert_eq!(world.audit().len(), known);
}

#[tokio::test]
async fn what_is_pruned_is_told_and_audited() {
    let world = world().await;
    let body = json!({"prune": true, "policies": [{"name": "Bar"}]}).to_string();
    let done = world.ask("POST", PATH, &body).await.json();
    let told: Vec<_> =
        done["differences"].as_array().unwrap().iter().map(|it| (&it["action"], &it["name"])).collect();
    assert_eq!(told, [(&json!("added"), &json!("Bar")), (&json!("removed"), &json!("Foo"))]);
    let line = world.audit().pop().unwrap();
    assert_eq!((&line["target"], &line["after"]), (&json!("Foo"), &Value::Null));
}
