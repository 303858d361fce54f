use std::fs;

use serde_json::json;

use super::World;
use crate::audit::AUDIT_FILE;
use crate::events::EVENTS_FILE;
use crate::types::{AuditFilter, EventFilter};

/// The pretended gateway's time is 2010-03-09T15:15:12Z.
fn event(time: &str, id: u16, owner: &str) -> String {
    let fields = json!({"owner": owner});
    let event = json!({"time": time, "id": id, "level": "warning", "text": "a thing", "process": "mailweir", "pid": 1,
        "fields": fields});
    format!("{event}\n")
}

async fn world() -> World {
    let world = World::example().await;
    let older = event("2010-03-01T00:00:00.000000Z", 2914, "john.doe@example.com")
        + &event("2010-03-09T13:00:00.000000Z", 2901, "jane.doe@example.com");
    let newer = event("2010-03-09T14:30:00.000000Z", 2914, "jane.doe@example.com")
        + "{\"time\":\"2010-03-0\n"
        + &event("2010-03-09T15:00:00.000000Z", 2915, "john.doe@example.com");
    fs::write(world.state.logs.join("events.1.jsonl"), older).unwrap();
    fs::write(world.state.logs.join(EVENTS_FILE), newer).unwrap();
    world
}

#[tokio::test]
async fn events_are_found_by_number_time_and_owner() {
    let world = world().await;
    let text = |text: &str| Some(text.to_owned());
    for (which, ids) in [
        (EventFilter::default(), &[2915, 2914, 2901, 2914][..]),
        (EventFilter { id: Some(2914), ..EventFilter::default() }, &[2914, 2914]),
        (EventFilter { since: text("1h"), ..EventFilter::default() }, &[2915, 2914]),
        (EventFilter { since: text("30m"), ..EventFilter::default() }, &[2915]),
        (EventFilter { since: text("7d"), ..EventFilter::default() }, &[2915, 2914, 2901]),
        (
            EventFilter { since: text("2010-03-09T14:00:00+01:00"), ..EventFilter::default() },
            &[2915, 2914, 2901],
        ),
        (EventFilter { owner: text("JohnDoe"), ..EventFilter::default() }, &[2915, 2914]),
        (EventFilter { owner: text("nobody"), ..EventFilter::default() }, &[]),
        (
            EventFilter { owner: text("john.doe@example.com"), since: text("2w"), ..EventFilter::default() },
            &[2915, 2914],
        ),
    ] {
        let found = world.client.events(&which).await.unwrap();
        assert_eq!(found.items.iter().map(|event| event.id).collect::<Vec<_>>(), ids, "{which:?}");
        assert!(found.complete && found.broken == 1, "{which:?}");
    }
    let found = world.client.events(&EventFilter { limit: Some(2), ..EventFilter::default() }).await.unwrap();
    assert_eq!((found.items.len(), found.complete), (2, false));
}

#[tokio::test]
async fn changes_are_found_with_what_was_before_and_after() {
    let world = World::example().await;
    world.new_policy("Foo", 1).await;
    let body = json!({"settings": {"EWSFindCountLimit": 2}}).to_string();
    world.ask("PATCH", "/api/v1/policies/foo", &body).await;
    // What was written before the log was cut is found too.
    fs::rename(world.state.logs.join(AUDIT_FILE), world.state.logs.join("audit.1.jsonl")).unwrap();
    let which = AuditFilter { target: Some("foo".to_owned()), since: Some("1h".to_owned()), limit: None };
    let found = world.client.changes(&which).await.unwrap();
    let actions: Vec<_> = found.items.iter().map(|change| change.action.as_str()).collect();
    assert_eq!(actions, ["policy.set", "policy.new"]);
    let [set, made] = &found.items[..] else { panic!("{found:?}") };
    assert_eq!(set.before.as_ref().unwrap()["settings"]["ews_find_count_limit"], 1);
    assert_eq!(set.after.as_ref().unwrap()["settings"]["ews_find_count_limit"], 2);
    assert_eq!((set.who.as_str(), &made.before), ("admin-token", &None));
    assert_eq!(world.client.changes(&AuditFilter::default()).await.unwrap().items.len(), 5);
}

#[tokio::test]
async fn a_question_that_makes_no_sense_is_refused_with_what_does() {
    let world = world().await;
    for (path, told) in [
        ("/api/v1/events?since=yesterday", "write how long ago, as 30m, 1h or 2d"),
        ("/api/v1/events?since=-1h", "\"-1h\" is no time"),
        ("/api/v1/audit?since=", "\"\" is no time"),
        ("/api/v1/events?since=99999999999d", "is no time"),
        ("/api/v1/events?limit=0", "the limit is 0; allowed is 1 to 10000"),
        ("/api/v1/audit?limit=10001", "the limit is 10001; allowed is 1 to 10000"),
        ("/api/v1/events?id=70000", "an option after the ? is wrong"),
        ("/api/v1/events?idd=1", "an option after the ? is wrong"),
    ] {
        let answer = world.ask("GET", path, "").await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.message().contains(told), "{} in {}", told, answer.message());
    }
}
