use weir_admin::types::{MessageSource, MessageView, QueueMessages, RecipientView, TargetView, UsedBy};

use super::*;

fn queue() -> QueueView {
    QueueView {
        next_hop: "DnsConnectorDelivery/pool.test/lab".to_owned(),
        delivery_type: "DnsConnectorDelivery".to_owned(),
        next_hop_domain: Some("pool.test".to_owned()),
        next_hop_connector: Some("lab".to_owned()),
        state: "Retry".to_owned(),
        message_count: 6,
        ready: 5,
        sending: 0,
        deferred: 1,
        connections: 0,
        connection_limit: 5,
        last_error: Some("connection refused".to_owned()),
        retry_count: 2,
        first_retry_time: Some("2026-11-30T10:00:00.000000Z".to_owned()),
        last_retry_time: Some("2026-11-30T10:02:00.000000Z".to_owned()),
        next_retry_time: Some("2026-11-30T10:03:00.000000Z".to_owned()),
        incoming_rate: 1.5,
        outgoing_rate: 0.0,
        velocity: -1.5,
        targets: vec![TargetView {
            address: "127.0.0.11:2601".to_owned(),
            name: "mx1.pool.test".to_owned(),
            used_by: UsedBy::Transport,
            state: "unhealthy".to_owned(),
            error: Some("connection refused".to_owned()),
            retries: 2,
            last_attempt_ms: Some(60_000),
            next_retry_ms: Some(60_000),
            probing: false,
        }],
    }
}

fn recipient(address: &str) -> RecipientView {
    RecipientView {
        address: address.to_owned(),
        state: "waiting".to_owned(),
        last_error: Some("451 4.7.1 later".to_owned()),
        attempts: 1,
        next_try: Some("2026-11-30T10:05:00.000000Z".to_owned()),
        next_hop: Some(queue().next_hop),
        partner: None,
    }
}

fn message() -> MessageView {
    let done = RecipientView {
        state: "shadow".to_owned(),
        last_error: None,
        next_hop: None,
        next_try: None,
        partner: Some("hub02".to_owned()),
        ..recipient("eve@hub.test")
    };
    MessageView {
        id: 17,
        from: "john.doe@example.com".to_owned(),
        recipients: vec![done, recipient("ann@pool.test"), recipient("bob@pool.test")],
        size: 4_321,
        accepted: "2026-11-30T10:00:00.000000Z".to_owned(),
        expires: "2026-12-02T10:00:00.000000Z".to_owned(),
        source: MessageSource {
            address: Some("192.0.2.7".to_owned()),
            connector: Some("submission".to_owned()),
            owner: Some("john.doe@example.com".to_owned()),
            server: None,
        },
        next_hops: vec![queue().next_hop],
    }
}

#[test]
fn a_listing_says_what_waits_why_and_until_when() {
    let idle = QueueView {
        next_hop: "MailboxDelivery".to_owned(),
        state: "Active".to_owned(),
        message_count: 1,
        deferred: 0,
        sending: 1,
        connections: 1,
        last_error: None,
        retry_count: 0,
        next_retry_time: None,
        outgoing_rate: 2.25,
        ..queue()
    };
    assert_eq!(
        listing::queues(&[queue(), idle]),
        "NEXT HOP                            STATE   MESSAGES  SENDING  DEFERRED  CONNECTIONS  IN/S  OUT/S  RETRIES  \
         NEXT RETRY            LAST ERROR\n\
         DnsConnectorDelivery/pool.test/lab  Retry   6         0        1         0/5          1.5   0.0    2        \
         2026-11-30 10:03:00Z  connection refused\n\
         MailboxDelivery                     Active  1         1        0         1/5          1.5   2.2    0        \
         -                     -\n"
    );
    assert_eq!(listing::queues(&[]), "nothing waits: there is no queue\n");
}

#[test]
fn a_queue_is_shown_with_its_targets_and_its_messages() {
    let shown = QueueMessages { queue: queue(), messages: vec![message()], next: Some(17) };
    assert_eq!(
        listing::queue(&shown),
        "Next hop     DnsConnectorDelivery/pool.test/lab\n\
         State        Retry\n\
         Messages     6: 5 ready, 0 being sent, 1 deferred\n\
         Connections  0 of 5\n\
         A second     1.50 in, 0.00 out, velocity -1.50\n\
         Failing      since 2026-11-30 10:00:00Z, 2 retries in vain, the last at 2026-11-30 10:02:00Z\n\
         Next retry   2026-11-30 10:03:00Z\n\
         Last error   connection refused\n\
         \n\
         ADDRESS          NAME           USED BY    STATE      RETRIES  NEXT RETRY  LAST ERROR\n\
         127.0.0.11:2601  mx1.pool.test  transport  unhealthy  2        in 60 s     connection refused\n\
         \n\
         ID  ACCEPTED              FROM                  TO                        BYTES  TRIED  NEXT TRY              LAST ERROR\n\
         17  2026-11-30 10:00:00Z  john.doe@example.com  ann@pool.test and 1 more  4321   1      2026-11-30 10:05:00Z  451 4.7.1 later\n\
         There are more; --after 17 shows them.\n"
    );
}

#[test]
fn a_message_is_shown_with_how_it_came_and_how_it_stands_with_each_recipient() {
    assert_eq!(
        listing::message(&message()),
        "Message   17\n\
         From      john.doe@example.com\n\
         Came      from 192.0.2.7, by submission, sent by john.doe@example.com\n\
         Bytes     4321\n\
         Accepted  2026-11-30 10:00:00Z\n\
         Expires   2026-12-02 10:00:00Z\n\
         \n\
         RECIPIENT      STATE            TRIED  NEXT TRY              NEXT HOP                            LAST ERROR\n\
         eve@hub.test   shadow at hub02  1      -                     -                                   -\n\
         ann@pool.test  waiting          1      2026-11-30 10:05:00Z  DnsConnectorDelivery/pool.test/lab  451 4.7.1 later\n\
         bob@pool.test  waiting          1      2026-11-30 10:05:00Z  DnsConnectorDelivery/pool.test/lab  451 4.7.1 later\n"
    );
    let report = MessageView { from: String::new(), source: MessageSource::default(), ..message() };
    let text = listing::message(&report);
    assert!(text.contains("From      <>\nCame      written by this server\n"), "{text}");
}

#[test]
fn what_was_done_is_told_with_who_hears_of_it() {
    for (report, from, told) in [
        (true, "john.doe@example.com", "removed message 17; john.doe@example.com is told"),
        (true, "", "removed message 17; it has no sender who could be told"),
        (false, "john.doe@example.com", "removed message 17; nobody is told"),
    ] {
        let message = MessageView { from: from.to_owned(), ..message() };
        assert_eq!(removal(&RemovedMessage { message, report }), told);
    }
    assert_eq!(
        told(&queue(), QueueChange::Retry),
        "DnsConnectorDelivery/pool.test/lab is tried at once; 6 messages wait"
    );
}
