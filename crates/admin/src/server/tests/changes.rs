use serde_json::json;
use weir_units::EventId;

use super::World;
use crate::audit::AUDIT_FILE;
use crate::server::AdminSettings;
use crate::types::{MailboxChange, NewOrganisation, PolicyChange};

const JOHN: &str = "john.doe@example.com";

#[tokio::test]
async fn a_change_is_in_force_when_it_is_answered() {
    let world = World::example().await;
    assert_eq!(world.find_count_limit(JOHN), Some(1000), "the default policy, in the cache from here on");
    world.new_policy("Foo", 1).await;
    let assign =
        MailboxChange { throttling_policy: Some(Some("Foo".to_owned())), ..MailboxChange::default() };
    world.client.change_mailbox("JohnDoe", &assign).await.unwrap();
    assert_eq!(world.find_count_limit(JOHN), Some(1));
    let change =
        PolicyChange { settings: [("EWSFindCountLimit".to_owned(), Some(2))].into(), leave_out: Vec::new() };
    world.client.change_policy("Foo", &change).await.unwrap();
    assert_eq!(world.find_count_limit(JOHN), Some(2));
}

#[tokio::test]
async fn each_change_is_one_line_of_the_audit_log() {
    let world = World::example().await;
    world.new_policy("Foo", 1).await;
    let body = json!({"settings": {"EWSFindCountLimit": 2}}).to_string();
    world.ask("PATCH", "/api/v1/policies/foo", &body).await;
    world.client.make_default("Foo").await.unwrap();
    let log = world.audit();
    let told: Vec<(&str, &str)> =
        log.iter().map(|line| (line["action"].as_str().unwrap(), line["target"].as_str().unwrap())).collect();
    assert_eq!(
        told,
        [
            ("organisation.new", "example.com"),
            ("mailbox.new", "john.doe@example.com"),
            ("mailbox.new", "jane.doe@example.com"),
            ("policy.new", "Foo"),
            ("policy.set", "Foo"),
            ("policy.default", "Foo"),
        ]
    );
    let set = &log[4];
    assert_eq!(set["who"], "admin-token");
    assert_eq!(set["time"], "2010-03-09T15:15:12.000000Z");
    assert_eq!(set["before"]["settings"]["ews_find_count_limit"], 1);
    assert_eq!(set["after"]["settings"]["ews_find_count_limit"], 2);
    assert_eq!(log[3]["before"], json!(null));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_changes_at_the_same_time_each_begins_where_another_ended() {
    let world = World::example().await;
    world.new_policy("Foo", 0).await;
    let mut asked = tokio::task::JoinSet::new();
    for value in 1..=16 {
        let client = world.client.clone();
        let settings = [("EWSFindCountLimit".to_owned(), Some(value))].into();
        asked.spawn(async move {
            let change = PolicyChange { settings, leave_out: Vec::new() };
            client.change_policy("Foo", &change).await.unwrap();
        });
    }
    while let Some(done) = asked.join_next().await {
        done.unwrap();
    }
    let log = world.audit();
    let changes: Vec<_> = log.iter().filter(|line| line["action"] == "policy.set").collect();
    assert_eq!(changes.len(), 16);
    for pair in changes.windows(2) {
        assert_eq!(pair[0]["after"], pair[1]["before"]);
    }
    let last = changes.last().unwrap()["after"]["settings"]["ews_find_count_limit"].as_u64();
    world.new_policy("Bar", 0).await;
    let assign =
        MailboxChange { throttling_policy: Some(Some("Foo".to_owned())), ..MailboxChange::default() };
    world.client.change_mailbox("JohnDoe", &assign).await.unwrap();
    assert_eq!(world.find_count_limit(JOHN).map(u64::from), last);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_audit_log_that_cannot_be_written_is_an_event() {
    let data = tempfile::tempdir().unwrap();
    std::fs::create_dir(data.path().join("log")).unwrap();
    // Every write to this device fails as on a full disk.
    std::os::unix::fs::symlink("/dev/full", data.path().join("log").join(AUDIT_FILE)).unwrap();
    let world = World::over(data, AdminSettings::default()).await;
    let wanted = NewOrganisation {
        name: "example.com".to_owned(),
        short_name: "EXAMPLE".to_owned(),
        domains: vec!["example.com".to_owned()],
    };
    world.client.new_organisation(&wanted).await.unwrap();
    let events = world.gateway.events.lock().unwrap();
    assert_eq!(events.iter().map(|event| event.id).collect::<Vec<_>>(), [EventId::AUDIT_UNWRITABLE]);
}
