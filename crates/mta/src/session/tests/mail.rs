use weir_transport::receive::PermissionGroup;
use weir_transport::routing::Lookup;

use super::*;
use crate::envelope::Envelope;

const GREETED: &str = "
    S: 220 hub01.example.com ESMTP Mailweir
    C: EHLO pc1.example.net
    S: 250-hub01.example.com
    S: 250-SIZE 37748736
    S: 250-PIPELINING
    S: 250-8BITMIME
    S: 250-SMTPUTF8
    S: 250-CHUNKING
    S: 250-ENHANCEDSTATUSCODES
    S: 250 DSN
";

#[tokio::test]
async fn a_message_is_on_disk_with_its_trace_when_it_is_acknowledged() {
    let world = World::new();
    let mut client = world.connect("198.51.100.7");
    client.play(GREETED).await;
    client
        .play(
            "C: MAIL FROM:<a@example.net> SIZE=100 RET=HDRS
             C: RCPT TO:<john@example.com> NOTIFY=NEVER
             C: DATA
             S: 250 2.1.0 Sender OK
             S: 250 2.1.5 Recipient OK
             S: 354 Start mail input; end with <CRLF>.<CRLF>
             C: Subject: hello
             C:
             C: ..dot
             C: .
             C: QUIT
             S: 250 2.6.0 1 Queued mail for delivery
             S: 221 2.0.0 *
             S.",
        )
        .await;
    let kept = world.only().await;
    let (_, rest) = kept.text.split_once(" id ").unwrap();
    let (id, _) = rest.split_once("\r\n").unwrap();
    assert_eq!(
        kept.text,
        format!(
            "Received: from pc1.example.net ([198.51.100.7])\r\n by hub01.example.com (Mailweir) with ESMTP id \
             {id}\r\n for <john@example.com>;\r\n Tue, 9 Mar 2010 15:15:12 +0000\r\nSubject: hello\r\n\r\n.dot\r\n"
        )
    );
    let Envelope { mail, recipients, bytes, origin, .. } = kept.envelope;
    assert_eq!(mail.to_string(), "MAIL FROM:<a@example.net> SIZE=100 RET=HDRS");
    assert_eq!(recipients[0].to_string(), "RCPT TO:<john@example.com> NOTIFY=NEVER");
    assert_eq!(bytes, u64::try_from(kept.text.len()).unwrap());
    assert_eq!(origin.client.unwrap().to_string(), "198.51.100.7");
    assert_eq!(origin.connector.as_deref(), Some("default"));
    assert_eq!((origin.owner, origin.server), (None, None));
}

#[tokio::test]
async fn answers_to_commands_that_came_together_leave_together() {
    let world = World::new();
    let mut client = world.connect("198.51.100.7");
    client.play(GREETED).await;
    client
        .send(b"MAIL FROM:<>\r\nRCPT TO:<john@example.com>\r\nRCPT TO:<jane@example.com>\r\nNOOP\r\nDATA\r\n")
        .await;
    let together = client.piece().await;
    assert_eq!(together.lines().count(), 5, "{together}");
}

#[tokio::test]
async fn chunks_make_a_message() {
    let world = World::new();
    let mut client = world.connect("198.51.100.7");
    client.play(GREETED).await;
    client
        .play(
            r"C: MAIL FROM:<a@example.net> BODY=8BITMIME
              C: RCPT TO:<john@example.com>
              C: RCPT TO:<ken@example.com>
              C: BDAT 14
              C: Subject: one
              C: BDAT 10
              C| \r\n.\r\n\x80\r\n
              C| \r\n
              C: BDAT 0 LAST
              S: 250 2.1.0 *
              S: 250 2.1.5 *
              S: 250 2.1.5 *
              S: 250 2.6.0 CHUNK received OK, 14 octets
              S: 250 2.6.0 CHUNK received OK, 24 octets
              S: 250 2.6.0 1 Queued mail for delivery",
        )
        .await;
    let kept = world.only().await;
    assert!(kept.text.ends_with("Subject: one\r\n\r\n.\r\n\u{fffd}\r\n\r\n"), "{}", kept.text);
    assert!(!kept.text.contains("for <"), "several recipients are not told of each other");
    assert!(kept.envelope.eight_bit);
    let accepted = world.accepted();
    assert_eq!(accepted[0].lookups, [Lookup::Here, Lookup::At("hub04".into())]);
    assert_eq!(accepted[0].content.as_deref().map(<[u8]>::len), usize::try_from(kept.envelope.bytes).ok());
}

#[tokio::test]
async fn each_recipient_is_answered_for_himself() {
    let world = World::new();
    world
        .check(
            "S: 220 *
             C: HELO pc1
             C: MAIL FROM:<a@example.net>
             C: RCPT TO:<nobody@example.com>
             C: RCPT TO:<a@elsewhere.example>
             C: RCPT TO:<unknown@example.com>
             C: RCPT TO:<x@[IPv6:2001:db8::1]>
             C: RCPT TO:<postmaster>
             C: RCPT TO:<John@Example.COM>
             C: DATA
             S: 250 hub01.example.com
             S: 250 2.1.0 Sender OK
             S: 550 5.1.1 Recipient not found: check the address
             S: 550 5.7.1 Unable to relay
             S: 451 4.3.0 *
             S: 550 5.7.1 Unable to relay
             S: 250 2.1.5 Recipient OK
             S: 250 2.1.5 Recipient OK
             S: 354 *
             C:
             C: .
             S: 250 2.6.0 *",
        )
        .await;
    let kept = world.only().await;
    let recipients: Vec<String> = kept.envelope.recipients.iter().map(|to| to.to.to_string()).collect();
    assert_eq!(recipients, ["<postmaster@example.com>", "<John@example.com>"]);
    assert!(kept.text.contains("with SMTP id"), "{}", kept.text);
}

#[tokio::test]
async fn an_address_that_no_mail_can_be_sent_to_is_refused_at_once() {
    let world = World::with(|plan| {
        plan.lets(&[PermissionGroup::Relay]);
        plan.settings.host_name = "hub01.example.net".parse().unwrap();
    });
    let mut client = world.connect("198.51.100.7");
    client.play(&GREETED.replace("example.com", "example.net")).await;
    // A label that is too long once it is written in ASCII.
    let label: String = (0..21).filter_map(|step| char::from_u32(0x4E00 + step * 997)).collect();
    client
        .play(&format!(
            "C: MAIL FROM:<> SMTPUTF8
             C: RCPT TO:<john@{label}.example>
             C: RCPT TO:<postmaster>
             S: 250 *
             S: 550 5.1.2 *
             S: 550 5.1.1 *"
        ))
        .await;
}

#[tokio::test]
async fn a_postmaster_whom_nobody_is_is_whom_the_administrator_named() {
    for reads_at in ["john@example.com", "admin@elsewhere.example"] {
        let world = World::with(|plan| {
            plan.settings.host_name = "hub01.example.net".parse().unwrap();
            plan.settings.postmaster = reads_at.parse().ok();
        });
        let mut client = world.connect("198.51.100.7");
        client.play(&GREETED.replace("example.com", "example.net")).await;
        client
            .play(
                "C: MAIL FROM:<>
                 C: RCPT TO:<postmaster>
                 C: RCPT TO:<PostMaster@example.com>
                 C: RCPT TO:<nobody@example.com>
                 C: RCPT TO:<postmaster@elsewhere.example>
                 C: DATA
                 S: 250 *
                 S: 250 *
                 S: 250 *
                 S: 550 5.1.1 *
                 S: 550 5.7.1 *
                 S: 354 *
                 C:
                 C: .
                 S: 250 2.6.0 *",
            )
            .await;
        let recipients: Vec<String> =
            world.only().await.envelope.recipients.iter().map(|to| to.to.to_string()).collect();
        // In the pretended organisation somebody is the postmaster of example.com.
        assert_eq!(recipients, [format!("<{reads_at}>"), "<PostMaster@example.com>".to_owned()]);
    }
}

#[tokio::test]
async fn recipients_are_as_many_as_the_durable_queues_envelope_holds() {
    let world = World::with(|plan| plan.settings.spool.envelope_bytes = (4 << 10) + 100);
    world
        .check(
            r"S: 220 *
               C: HELO pc1
               C: MAIL FROM:<a@example.net>
               C: RCPT TO:<john@example.com>
               C: RCPT TO:<jane@example.com>
               C: RCPT TO:<ken@example.com>
               S: 250 *
               S: 250 *
               S: 250 *
               S: 250 *
               S: 452 4.5.3 Too many recipients",
        )
        .await;
}

#[tokio::test]
async fn a_relay_range_sends_anywhere_and_its_messages_are_completed() {
    let world = World::with(|plan| plan.lets(&[PermissionGroup::Relay]));
    let message = "S: 220 *
        C: HELO pc1
        C: MAIL FROM:<a@example.net>
        C: RCPT TO:<a@elsewhere.example>
        C: DATA
        S: 250 *
        S: 250 2.1.0 *
        S: 250 2.1.5 *
        S: 354 *
        C: no header, just this
        C: .
        S: 250 2.6.0 *";
    world.check(message).await;
    let text = world.only().await.text;
    let (header, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(header.contains("\r\nDate: Tue, 9 Mar 2010 15:15:12 +0000\r\nMessage-ID: <"), "{header}");
    assert_eq!(body, "no header, just this\r\n");
}

#[tokio::test]
async fn a_message_has_its_limits() {
    let world = World::with(|plan| {
        let limits = &mut plan.connector.limits;
        (limits.max_message_size, limits.max_header_size, limits.max_hop_count) = (200, 100, 1);
        limits.max_recipients_per_message = 2;
    });
    let begin = "C: MAIL FROM:<a@example.net>
        C: RCPT TO:<john@example.com>
        C: DATA
        S: 250 *
        S: 250 *
        S: 354 *
        ";
    let cases = [
        ("C: MAIL FROM:<a@example.net> SIZE=201", "S: 552 5.3.4 Message size exceeds *"),
        (&format!("{begin} C:\nC: {}\nC: .", "x".repeat(200)), "S: 552 5.3.4 Message size exceeds *"),
        (&format!("{begin} C: Subject: {}\nC: .", "x".repeat(100)), "S: 552 5.3.4 Header size exceeds *"),
        (
            &format!("{begin} C: Received: a\nC: Received: b\nC:\nC: .\n"),
            "S: 554 5.4.6 Hop count exceeded - possible mail loop",
        ),
        (
            "C: MAIL FROM:<a@example.net>
             C: RCPT TO:<john@example.com>
             C: RCPT TO:<jane@example.com>
             C: RCPT TO:<ken@example.com>
             S: 250 *
             S: 250 *
             S: 250 *",
            "S: 452 4.5.3 Too many recipients",
        ),
    ];
    for (sent, answered) in cases {
        let rest = "C: RSET\nC: QUIT\nS: 250 2.0.0 OK\nS: 221 *\nS.";
        world.check(&format!("S: 220 *\nC: EHLO a\n{}{sent}\n{answered}\n{rest}", ehlo(200))).await;
    }
    assert!(world.kept().await.is_empty());
}

/// The answer to EHLO of a server that takes so many bytes.
fn ehlo(size: u64) -> String {
    GREETED
        .lines()
        .filter(|line| line.contains("S: 250"))
        .map(|line| line.replace("37748736", &size.to_string()) + "\n")
        .collect()
}

#[tokio::test]
async fn a_message_goes_as_far_as_the_durable_queue_has_room() {
    let world = World::with(|plan| {
        plan.settings.spool = weir_spool::Limits {
            disk_bytes: 8 * (1 << 20),
            segment_bytes: 1 << 20,
            body_bytes: 3 << 20,
            ..weir_spool::Limits::default()
        };
    });
    let mut client = world.connect("198.51.100.7");
    client.play(&GREETED.replace("37748736", &((3 << 20) - 4096).to_string())).await;
    let line = format!("C: {}\n", "x".repeat(1 << 10)).repeat(2 << 10);
    let message = format!(
        "C: MAIL FROM:<a@example.net>\nC: RCPT TO:<john@example.com>\nC: DATA\nS: 250 *\nS: 250 *\nS: 354 *\nC:\n{line}C: .\n"
    );
    let mut taken = 0;
    loop {
        client.play(&message).await;
        let answer = client.line().await.unwrap();
        if answer.starts_with("452 4.3.1 Insufficient system resources") {
            break;
        }
        assert!(answer.starts_with("250 2.6.0"), "{answer}");
        taken += 1;
    }
    assert_eq!(world.kept().await.len(), taken);
    client.play("C: QUIT\nS: 221 *\nS.").await;
}

#[tokio::test]
async fn a_client_that_goes_away_in_the_middle_leaves_nothing() {
    let world = World::new();
    let mut client = world.connect("198.51.100.7");
    client.play(GREETED).await;
    client
        .play(
            "C: MAIL FROM:<a@example.net>
             C: RCPT TO:<john@example.com>
             C: DATA
             S: 250 *
             S: 250 *
             S: 354 *
             C: Subject: I am
             C:
             C: go",
        )
        .await;
    drop(client.into_stream());
    // What comes after it has the first number, and is alone.
    world
        .check(
            "S: 220 *
             C: HELO pc1
             C: MAIL FROM:<a@example.net>
             C: RCPT TO:<john@example.com>
             C: DATA
             S: 250 *
             S: 250 *
             S: 250 *
             S: 354 *
             C: Subject: there
             C:
             C: .
             S: 250 2.6.0 *",
        )
        .await;
    assert!(world.only().await.text.contains("Subject: there"));
}

#[tokio::test]
async fn a_full_server_refuses_mail_and_goes_on() {
    let world = World::new();
    world.disk_is_at(100);
    let mut client = world.connect("198.51.100.7");
    client.play(GREETED).await;
    client.play("C: MAIL FROM:<a@example.net>\nS: 452 4.3.1 Insufficient system resources").await;
    world.disk_is_at(10);
    client.play("C: MAIL FROM:<a@example.net>\nS: 250 2.1.0 *").await;
}

#[tokio::test]
async fn what_needs_no_deciding_is_answered() {
    World::new()
        .check(
            "S: 220 *
             C: NOOP
             C: VRFY john
             C: HELP
             C: RSET
             C: EXPN list
             C: QUIT
             S: 250 2.0.0 OK
             S: 252 2.1.5 *
             S: 214 2.0.0 *
             S: 250 2.0.0 OK
             S: 502 5.5.1 *
             S: 221 2.0.0 *
             S.",
        )
        .await;
}

#[tokio::test]
async fn a_peer_without_shadows_waits_until_its_message_went_onward_and_no_longer_than_set() {
    let message = "S: 220 *
        C: HELO pc1
        C: MAIL FROM:<a@example.net>
        C: RCPT TO:<john@example.com>
        C: DATA
        S: 250 *
        S: 250 *
        S: 250 *
        S: 354 *
        C:
        C: .";
    let world = World::with(|plan| plan.settings.max_acknowledgement_delay = Micros::MINUTE);
    let mut client = world.connect("198.51.100.7");
    client.play(message).await;
    world.organisation.went_onward.notify_one();
    client.hear("250 2.6.0 *").await;

    let world = World::with(|plan| plan.settings.max_acknowledgement_delay = Micros::new(1_000));
    let mut client = world.connect("198.51.100.7");
    client.play(message).await;
    client.hear("250 2.6.0 *").await;
}
