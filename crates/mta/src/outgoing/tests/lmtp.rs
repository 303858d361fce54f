use weir_transport::queue::Fate::{Bounced, Deferred, Done};
use weir_transport::queue::Feedback;

use super::*;

const HELLO: &str = "S: 220 mda.test LMTP\nC: LHLO hub01.test\nS: 250-mda.test\nS: 250 PIPELINING\n";
const ENVELOPE: &str =
    "C: MAIL FROM:<a@x.test>\nC: RCPT TO:<b@y.test>\nC: RCPT TO:<c@y.test>\nC: RCPT TO:<d@y.test>\nC: DATA\n";

async fn deliver(script: &str) -> Sent {
    let to = recipients(&["<b@y.test>", "<c@y.test>", "<d@y.test>"]);
    send(&lmtp(), &format!("{HELLO}{ENVELOPE}{script}"), &mail("<a@x.test>"), &to, MESSAGE).await
}

#[tokio::test(start_paused = true)]
async fn each_accepted_recipient_has_an_answer_of_his_own() {
    let taken = "S: 250 OK\nS: 250 OK\nS: 550 5.1.1 who?\nS: 250 OK\nS: 354 go on\n";
    let sent = deliver(&format!("{taken}{WRITTEN}S: 250 OK\nS: 452 4.2.2 full\n")).await;
    assert_eq!(fates(&sent), [(Done, Some(250)), (Bounced, Some(550)), (Deferred, Some(452))]);
    assert!(sent.usable);
    let sent = deliver(&format!("{taken}{WRITTEN}S: 250 OK\nS: 250 OK\n")).await;
    assert_eq!(fates(&sent), [(Done, Some(250)), (Bounced, Some(550)), (Done, Some(250))]);
    assert_eq!(sent.feedback, [Feedback::Delivered], "one message");
}

#[tokio::test(start_paused = true)]
async fn answers_that_do_not_come_leave_only_those_in_doubt_that_have_none() {
    let taken = "S: 250 OK\nS: 250 OK\nS: 250 OK\nS: 250 OK\nS: 354 go on\n";
    let sent = deliver(&format!("{taken}{WRITTEN}S: 250 OK\nS: 554 no\n")).await;
    let doubts: Vec<_> = sent.outcomes.iter().map(|outcome| (outcome.fate, outcome.in_doubt)).collect();
    assert_eq!(doubts, [(Done, false), (Bounced, false), (Deferred, true)]);
    assert!(!sent.usable);
}

#[tokio::test(start_paused = true)]
async fn where_nobody_was_accepted_the_message_is_not_sent() {
    let refused = "S: 250 OK\nS: 550 no\nS: 550 no\nS: 550 no\n";
    let sent = deliver(&format!("{refused}S: 503 no recipients\nC: RSET\nS: 250 OK\n")).await;
    assert!(sent.usable && sent.outcomes.iter().all(|outcome| outcome.fate == Bounced));
    // Nobody knows how many answers to nothing would follow.
    let sent = deliver(&format!("{refused}S: 354 go on\n")).await;
    assert!(!sent.usable && sent.broken.is_none(), "nothing more is said");
    assert!(sent.outcomes.iter().all(|outcome| outcome.fate == Bounced));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_know_lhlo_speaks_no_lmtp() {
    let error =
        meet(&lmtp(), "S: 220 mx.test\nC: LHLO hub01.test\nS: 500 what?\nC: QUIT\n").await.err().unwrap();
    assert_eq!(error.reply.as_ref().unwrap().code, 500);
    assert!(error.connected && !error.marks());
}
