use serde_json::json;

use super::*;

#[test]
fn a_change_is_one_line_that_says_who_what_before_and_after() {
    let directory = tempfile::tempdir().unwrap();
    let log = AuditLog::open(directory.path(), AuditSettings::default()).unwrap();
    let change = Change {
        action: "policy.new",
        target: "FooPolicy".to_owned(),
        before: None,
        after: Some(json!({"ews_find_count_limit": 1})),
    };
    log.record(Actor::AdminToken, &change, WallTime::from_unix_micros(1_268_147_712_000_000)).unwrap();
    let text = std::fs::read_to_string(directory.path().join(AUDIT_FILE)).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"time":"2010-03-09T15:15:12.000000Z","who":"admin-token","action":"policy.new","target":"FooPolicy","#,
            r#""before":null,"after":{"ews_find_count_limit":1}}"#,
            "\n"
        )
    );
}

#[test]
fn the_log_goes_on_where_the_last_start_ended() {
    let directory = tempfile::tempdir().unwrap();
    let change = Change { action: "policy.remove", target: "A".to_owned(), before: None, after: None };
    for _ in 0..2 {
        let log = AuditLog::open(directory.path(), AuditSettings::default()).unwrap();
        log.record(Actor::AdminToken, &change, WallTime::default()).unwrap();
    }
    let text = std::fs::read_to_string(directory.path().join(AUDIT_FILE)).unwrap();
    assert_eq!(text.lines().count(), 2);
}
