use super::World;
use crate::client::ClientError;
use crate::transport::QueueChange;
use crate::types::{MessageRemoval, QueueFilter};

const POOL: &str = "DnsConnectorDelivery/pool.test/internet";

async fn world() -> World {
    let world = World::empty().await;
    world.mail.fill();
    world
}

#[track_caller]
fn check_refused(error: &ClientError, wanted: u16, text: &str) {
    let ClientError::Refused { status, message, .. } = error else { panic!("{error:?}") };
    assert_eq!((*status, message.as_str()), (wanted, text));
}

#[tokio::test]
async fn queues_are_listed_with_what_administrators_ask_of_them() {
    let world = world().await;
    let queues = world.client.queues().await.unwrap();
    let names: Vec<_> = queues.iter().map(|queue| queue.next_hop.as_str()).collect();
    assert_eq!(names, [POOL, "DnsConnectorDelivery/lake.test/internet", "SmartHostConnectorDelivery/lab"]);
    let json = world.ask("GET", "/api/v1/queues", "").await.json();
    for (field, value) in [
        ("state", "Retry".into()),
        ("message_count", 6.into()),
        ("retry_count", 2.into()),
        ("next_hop_domain", "pool.test".into()),
        ("next_hop_connector", "internet".into()),
        ("next_retry_time", "2010-03-09T15:19:00.000000Z".into()),
        ("velocity", (-1.5).into()),
    ] {
        let value: serde_json::Value = value;
        assert_eq!(json["items"][0][field], value, "{field}");
    }
}

#[tokio::test]
async fn a_queue_is_looked_through_page_by_page() {
    let world = world().await;
    let mut which = QueueFilter { after: None, top: Some(2) };
    let mut seen = Vec::new();
    loop {
        let page = world.client.queue(POOL, &which).await.unwrap();
        assert_eq!(page.queue.next_hop, POOL);
        seen.push(page.messages.iter().map(|message| message.id).collect::<Vec<_>>());
        let Some(next) = page.next else { break };
        which.after = Some(next);
    }
    assert_eq!(seen, [vec![11, 12], vec![13, 14], vec![15]]);
    let exactly = world.client.queue(POOL, &QueueFilter { after: None, top: Some(5) }).await.unwrap();
    assert_eq!((exactly.messages.len(), exactly.next), (5, None), "nothing is behind the last one");
}

#[tokio::test]
async fn more_messages_than_are_shown_at_once_are_refused() {
    let world = world().await;
    for top in [0, 1_001] {
        let error = world.client.queue(POOL, &QueueFilter { after: None, top: Some(top) }).await.unwrap_err();
        check_refused(&error, 400, &format!("top is {top}; allowed is 1 to 1000"));
    }
}

#[tokio::test]
async fn a_queue_is_named_by_its_next_hop_or_by_a_part_that_only_one_has() {
    let world = world().await;
    for (name, meant) in [
        (POOL, POOL),
        ("dnsconnectordelivery/POOL.test/internet", POOL),
        ("Pool.Test", POOL),
        ("lab", "SmartHostConnectorDelivery/lab"),
    ] {
        let page = world.client.queue(name, &QueueFilter::default()).await.unwrap();
        assert_eq!(page.queue.next_hop, meant, "{name}");
    }
    let error = world.client.change_queue("Internet", QueueChange::Suspend).await.unwrap_err();
    check_refused(
        &error,
        409,
        "\"Internet\" means more than one queue: DnsConnectorDelivery/pool.test/internet, \
         DnsConnectorDelivery/lake.test/internet; write the whole name",
    );
    assert!(world.audit().is_empty(), "and nothing was done");
}

#[tokio::test]
async fn a_name_that_no_queue_has_is_answered_with_close_ones() {
    let world = world().await;
    for (name, close) in [
        ("pool.tets", format!("close names are {POOL}")),
        ("ool", format!("close names are {POOL}")),
        ("elsewhere.example", "list the queues to see those there are".to_owned()),
    ] {
        let error = world.client.change_queue(name, QueueChange::Retry).await.unwrap_err();
        let text = format!(
            "there is no queue {name:?}, as there soon is none for a next hop that nothing waits for; {close}"
        );
        check_refused(&error, 404, &text);
    }
}

#[tokio::test]
async fn each_change_of_a_queue_is_one_line_of_the_audit_log() {
    let world = world().await;
    for (change, state) in
        [(QueueChange::Suspend, "Suspended"), (QueueChange::Resume, "Ready"), (QueueChange::Retry, "Active")]
    {
        assert_eq!(world.client.change_queue("pool.test", change).await.unwrap().state, state);
    }
    let log = world.audit();
    let actions: Vec<_> = log.iter().map(|line| line["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["queue.suspend", "queue.resume", "queue.retry"]);
    assert_eq!(
        (&log[0]["target"], &log[0]["before"]["state"], &log[0]["after"]["state"]),
        (&POOL.into(), &"Retry".into(), &"Suspended".into())
    );
}

#[tokio::test]
async fn a_message_is_shown_with_each_recipients_standing() {
    let world = world().await;
    let message = world.client.message(12).await.unwrap();
    let told: Vec<_> = message
        .recipients
        .iter()
        .map(|recipient| (recipient.address.as_str(), recipient.state.as_str(), recipient.attempts))
        .collect();
    assert_eq!(told, [("ann@pool.test", "waiting", 2), ("bob@lake.test", "done", 0)]);
    for name in ["99", "twelve", "-1", "18446744073709551616"] {
        let answer = world.ask("GET", &format!("/api/v1/messages/{name}"), "").await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"), "{name}");
    }
}

#[tokio::test]
async fn a_message_is_removed_with_a_report_unless_one_says_otherwise() {
    let world = world().await;
    assert_eq!(world.ask("DELETE", "/api/v1/messages/11", "").await.status, 200);
    let removed = world.client.remove_message(12, MessageRemoval { report: false }).await.unwrap();
    assert_eq!((removed.message.id, removed.report), (12, false));
    assert_eq!(*world.mail.removed.lock().unwrap(), [(11, true), (12, false)]);
    let error = world.client.remove_message(12, MessageRemoval::default()).await.unwrap_err();
    assert!(matches!(error, ClientError::Refused { status: 404, .. }), "{error:?}");
    let log = world.audit();
    assert_eq!(log.len(), 2);
    assert_eq!(
        (&log[1]["action"], &log[1]["target"], &log[1]["before"]["report"], &log[1]["after"]),
        (&"message.remove".into(), &"12".into(), &false.into(), &serde_json::Value::Null)
    );
}

#[tokio::test]
async fn a_message_that_the_disk_does_not_let_go_is_said_to_stay() {
    let world = world().await;
    *world.mail.broken.lock().unwrap() = Some("the disk is full; make room".to_owned());
    let error = world.client.remove_message(11, MessageRemoval::default()).await.unwrap_err();
    check_refused(&error, 503, "the disk is full; make room");
    assert!(world.audit().is_empty());
}

#[tokio::test]
async fn where_no_transport_runs_all_of_it_says_so() {
    let world = World::without_mail().await;
    for (method, path) in [
        ("GET", "/api/v1/queues"),
        ("GET", "/api/v1/queues/pool.test"),
        ("POST", "/api/v1/queues/pool.test/retry"),
        ("GET", "/api/v1/messages/11"),
        ("DELETE", "/api/v1/messages/11"),
    ] {
        let answer = world.ask(method, path, "").await;
        assert_eq!(answer.status, 409, "{path}");
        assert!(answer.message().starts_with("no mail transport runs here, since "), "{path} {answer:?}");
    }
}
