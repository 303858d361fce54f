use std::sync::atomic::Ordering;

use weir_transport::receive::PermissionGroup;

use super::*;

/// A submission server that a client on this machine talks to, who has said EHLO.
async fn submission(change: impl FnOnce(&mut world::Plan)) -> (World, Peer<DuplexStream>) {
    let world = World::with(|plan| {
        plan.lets(&[PermissionGroup::Users]);
        change(plan);
    });
    let mut client = world.connect("127.0.0.1");
    client
        .play(
            "S: 220 *
             C: EHLO pc1
             S: 250-hub01.example.com
             S: 250-SIZE *
             S: 250-PIPELINING
             S: 250-8BITMIME
             S: 250-SMTPUTF8
             S: 250-CHUNKING
             S: 250-ENHANCEDSTATUSCODES
             S: 250-DSN
             S: 250 AUTH PLAIN LOGIN",
        )
        .await;
    (world, client)
}

/// `\0john\0secret`.
const AS_JOHN: &str = "C: AUTH PLAIN AGpvaG4Ac2VjcmV0\nS: 235 2.7.0 Authentication successful";

#[tokio::test]
async fn who_logs_in_sends_anywhere_as_himself() {
    let (world, mut client) = submission(|_| {}).await;
    client.play("C: MAIL FROM:<john@example.com>\nS: 530 5.7.1 Client was not authenticated").await;
    client.play(AS_JOHN).await;
    client
        .play(
            "C: AUTH PLAIN AGpvaG4Ac2VjcmV0
             S: 503 5.5.1 *
             C: MAIL FROM:<jane@example.com>
             S: 553 5.7.1 Sender address is not one of *
             C: MAIL FROM:<stranger@example.net>
             S: 553 5.7.1 *
             C: MAIL FROM:<j.doe@example.com> AUTH=<>
             S: 250 2.1.0 *
             C: RCPT TO:<a@elsewhere.example>
             C: DATA
             S: 250 2.1.5 *
             S: 354 *
             C: Subject: x
             C:
             C: .
             S: 250 2.6.0 *",
        )
        .await;
    let kept = world.only().await;
    assert_eq!(kept.envelope.origin.owner.as_deref(), Some("john@example.com"));
    assert_eq!(kept.envelope.mail.submitter, None);
    assert!(kept.text.contains("with ESMTPA id"), "{}", kept.text);
    assert!(kept.text.contains("\r\nDate: ") && kept.text.contains("\r\nMessage-ID: <"), "{}", kept.text);
}

#[tokio::test]
async fn who_logs_in_sends_as_anybody_where_that_is_let() {
    let (_world, mut client) = submission(|plan| plan.connector.limits.sender_must_match = false).await;
    client.play(AS_JOHN).await;
    client.play("C: MAIL FROM:<stranger@example.net>\nS: 250 2.1.0 *").await;
}

#[tokio::test]
async fn login_is_asked_for_line_by_line() {
    let (_world, mut client) = submission(|_| {}).await;
    client
        .play(
            "C: AUTH LOGIN
             S: 334 VXNlcm5hbWU6
             C: am9obg==
             S: 334 UGFzc3dvcmQ6
             C: c2VjcmV0
             S: 235 2.7.0 *
             C: QUIT
             S: 221 *
             S.",
        )
        .await;
}

#[tokio::test]
async fn passwords_may_be_wrong_so_often_and_those_nobody_can_verify_are_not_accepted() {
    let (_world, mut client) = submission(|_| {}).await;
    client
        .play(
            "C: AUTH PLAIN AGphbmUAc2VjcmV0
             S: 454 4.7.0 *
             C: AUTH PLAIN AGpvaG4Ad3Jvbmc=
             S: 535 5.7.8 *
             C: AUTH PLAIN AGpvaG4Ad3Jvbmc=
             S: 535 5.7.8 *
             C: AUTH PLAIN AGpvaG4Ad3Jvbmc=
             S: 421 4.7.0 Too many failed logons*
             S.",
        )
        .await;
}

#[tokio::test]
async fn an_owner_over_budget_hears_it_in_the_words_that_the_rule_fixes() {
    let (world, mut client) = submission(|_| {}).await;
    world.organisation.messages.store(1, Ordering::Relaxed);
    world.organisation.recipients.store(1, Ordering::Relaxed);
    client.play(AS_JOHN).await;
    client
        .play(
            "C: MAIL FROM:<john@example.com>
             C: RCPT TO:<jane@example.com>
             C: RCPT TO:<ken@example.com>
             C: RSET
             C: MAIL FROM:<john@example.com>
             S: 250 2.1.0 *
             S: 250 2.1.5 *
             S: 452 4.5.3 The number of recipients of this sender has exceeded the configured limit; try again later
             S: 250 2.0.0 OK
             S: 421 4.4.2 Message submission rate for this client has exceeded the configured limit
             S.",
        )
        .await;
}

#[tokio::test]
async fn a_password_is_not_taken_where_everybody_can_read_it() {
    let world = World::with(|plan| plan.lets(&[PermissionGroup::Users]));
    world
        .check(
            "S: 220 *
             C: EHLO pc1
             C: AUTH PLAIN AGpvaG4Ac2VjcmV0
             C: MAIL FROM:<john@example.com>
             S: 250-*
             S: 250-*
             S: 250-*
             S: 250-*
             S: 250-*
             S: 250-*
             S: 250-*
             S: 250 DSN
             S: 502 5.5.1 *
             S: 530 5.7.1 *",
        )
        .await;
}

#[tokio::test]
async fn where_passwords_are_known_elsewhere_nobody_is_asked_for_one() {
    let world = World::with(|plan| plan.lets(&[PermissionGroup::Users]));
    world.organisation.knows_no_passwords.store(true, Ordering::Relaxed);
    let mut client = world.connect("127.0.0.1");
    client
        .play(
            "S: 220 *
             C: EHLO pc1
             S: 250-hub01.example.com
             S: 250-SIZE *
             S: 250-PIPELINING
             S: 250-8BITMIME
             S: 250-SMTPUTF8
             S: 250-CHUNKING
             S: 250-ENHANCEDSTATUSCODES
             S: 250 DSN",
        )
        .await;
}
