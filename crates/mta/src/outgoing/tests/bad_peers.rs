use weir_transport::queue::Fate::{Bounced, Deferred, Done};
use weir_transport::queue::Feedback;

use super::*;

const ENVELOPE: &str =
    "C: MAIL FROM:<a@x.test> SIZE=20\nC: RCPT TO:<b@y.test>\nC: RCPT TO:<c@y.test>\nC: DATA\n";
const TAKEN: &str = "S: 250 2.1.0 OK\nS: 250 2.1.5 OK\nS: 250 2.1.5 OK\nS: 354 go on\n";

/// Whoever has no answer is deferred, and nobody may have the message.
fn all_deferred(sent: &Sent, why: &str) {
    assert!(!sent.usable);
    for outcome in &sent.outcomes {
        assert_eq!((outcome.fate, outcome.in_doubt), (Deferred, false));
    }
    let broken = sent.broken.as_deref().unwrap_or_default();
    assert!(broken.contains(why), "{broken}");
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_closes_at_any_stage_defers_whoever_was_not_answered_for() {
    let stages = [
        "C: MAIL FROM:<a@x.test> SIZE=20\n",
        "C: MAIL FROM:<a@x.test> SIZE=20\nS: 250 OK\n",
        "C: MAIL FROM:<a@x.test> SIZE=20\nS: 250 OK\nS: 250 OK\n",
        "C: MAIL FROM:<a@x.test> SIZE=20\nS: 250 OK\nS: 250 OK\nS: 250 OK\n",
    ];
    for stage in stages {
        all_deferred(&send_plain(&format!("{HELLO}{stage}")).await, "closed");
    }
    let refused_one = format!("{HELLO}{ENVELOPE}S: 250 OK\nS: 550 no\n");
    let sent = send_plain(&refused_one).await;
    assert_eq!(fates(&sent), [(Bounced, Some(550)), (Deferred, None)]);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_was_sent_and_not_answered_leaves_its_recipients_in_doubt() {
    let sent = send_plain(&format!("{HELLO}{ENVELOPE}{TAKEN}{WRITTEN}")).await;
    assert!(sent.outcomes.iter().all(|outcome| outcome.fate == Deferred && outcome.in_doubt));
    assert!(!sent.usable);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_drops_after_its_yes_has_the_message() {
    let sent = send_plain(&format!("{HELLO}{ENVELOPE}{TAKEN}{WRITTEN}S: 250 OK\n")).await;
    assert_eq!(fates(&sent), [(Done, Some(250)), (Done, Some(250))]);
}

#[tokio::test(start_paused = true)]
async fn a_byte_a_minute_is_silence() {
    let cases = [
        ("MAIL", format!("{HELLO}C: MAIL FROM:<a@x.test> SIZE=20\nslow: 250 2.1.0 very well\n"), 300, false),
        ("message", format!("{HELLO}{ENVELOPE}{TAKEN}{WRITTEN}slow: 250 2.0.0 very well\n"), 600, true),
    ];
    for (stage, script, seconds, in_doubt) in cases {
        let begun = weir_clock::Clock::start();
        let (ours, theirs) = pair();
        let peer = tokio::spawn(async move { play(theirs, &script).await });
        let (dialer, way) = (dialer(), smtp());
        let callee = Callee { address: address(), name: "target.test" };
        let mut connection = dialer.greet(Box::new(ours), callee, &way, way.tls).await.unwrap();
        let (content, facts) = content(MESSAGE);
        let to = recipients(&["<b@y.test>", "<c@y.test>"]);
        let sent = connection.send(&mail("<a@x.test>"), &to, content, facts).await;
        assert_eq!(begun.tick().micros() / 1_000_000, seconds, "{stage}");
        assert!(sent.outcomes.iter().all(|all| all.fate == Deferred && all.in_doubt == in_doubt), "{stage}");
        assert!(!sent.usable && sent.broken.unwrap().contains("no answer within"));
        peer.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_no_reply_ends_the_connection() {
    let endless = "S: 250-and so on\n".repeat(200);
    let long = format!("S: 250 {}\n", "x".repeat(3000));
    let cases = [
        ("S: HTTP/1.1 400 Bad Request\n", "no reply code"),
        ("S: \u{1}\u{2}\u{3}\n", "no reply code"),
        (endless.as_str(), "more than"),
        (long.as_str(), "more than"),
    ];
    for (garbage, why) in cases {
        let script = format!("{HELLO}C: MAIL FROM:<a@x.test> SIZE=20\n{garbage}");
        all_deferred(&send_plain(&script).await, why);
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_has_no_place_where_it_stands_delivers_nothing() {
    let cases = [
        format!("{HELLO}{ENVELOPE}S: 250 OK\nS: 354 go on\nS: 250 OK\nS: 250 OK\n"),
        format!("{HELLO}{ENVELOPE}S: 354 go on\nS: 250 OK\nS: 250 OK\nS: 250 OK\n"),
        format!("{HELLO}{ENVELOPE}S: 250 OK\nS: 250 OK\nS: 250 OK\nS: 250 OK\n"),
        format!("{HELLO}{ENVELOPE}{TAKEN}{WRITTEN}S: 354 more\n"),
    ];
    for script in cases {
        let sent = send_plain(&script).await;
        assert!(sent.outcomes.iter().all(|outcome| outcome.fate == Deferred), "{script}");
        assert!(!sent.usable);
    }
}

#[tokio::test(start_paused = true)]
async fn after_421_the_connection_is_over_and_the_next_hop_has_too_much_to_do() {
    let cases = [
        format!("{HELLO}{ENVELOPE}S: 421 4.3.2 bye\n"),
        format!("{HELLO}{ENVELOPE}S: 250 OK\nS: 421 4.3.2 bye\n"),
        format!("{HELLO}{ENVELOPE}S: 250 OK\nS: 250 OK\nS: 250 OK\nS: 421 4.3.2 bye\n"),
        format!("{HELLO}{ENVELOPE}{TAKEN}{WRITTEN}S: 421 4.3.2 bye\n"),
    ];
    for script in cases {
        let sent = send_plain(&script).await;
        assert_eq!(fates(&sent), [(Deferred, Some(421)), (Deferred, Some(421))], "{script}");
        assert_eq!(sent.feedback, [Feedback::Overloaded]);
        assert!(!sent.usable && !sent.outcomes[0].in_doubt);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_closes_the_connection_is_the_last_word_on_it() {
    let sent = send_plain(&format!("{HELLO}{ENVELOPE}{TAKEN}{WRITTEN}S: 521 5.3.2 no mail here\n")).await;
    assert_eq!(fates(&sent), [(Bounced, Some(521)), (Bounced, Some(521))]);
    assert!(!sent.usable);
    let rest = "S: 503 5.5.1 no\nS: 503 5.5.1 no\nS: 503 5.5.1 no\n";
    let sent = send_plain(&format!("{HELLO}{ENVELOPE}S: 521 5.3.2 no mail here\n{rest}")).await;
    assert!(!sent.usable && sent.broken.is_none(), "nothing more is said");
}

/// Sends more than the peer has room for; it says `words` after a part of it and reads no more.
async fn cut_short(way: &Way, words: &'static str, closes: bool) -> Sent {
    let (ours, theirs) = tokio::io::duplex(8 * 1024);
    let text = format!("Subject: x\r\n\r\n{}", "line\r\n".repeat(100_000));
    let hello = if way.protocol == Protocol::Lmtp { "LHLO hub01.test" } else { "EHLO hub01.test" };
    let script = format!(
        "S: 220 mx.test\nC: {hello}\nS: 250 mx.test\nC: MAIL FROM:<a@x.test>\nS: 250 OK\nC: RCPT TO:<b@y.test>\n\
         S: 250 OK\nC: DATA\nS: 354 go on\nC: Subject: x\nC: \nC: line\n{words}{}",
        if closes { "" } else { "hold" }
    );
    let peer = tokio::spawn(async move { play(theirs, &script).await });
    let (dialer, way) = (dialer(), way.clone());
    let callee = Callee { address: address(), name: "target.test" };
    let mut connection = dialer.greet(Box::new(ours), callee, &way, way.tls).await.unwrap();
    let (content, facts) = content(&text);
    let begun = weir_clock::Clock::start();
    let sent = connection.send(&mail("<a@x.test>"), &recipients(&["<b@y.test>"]), content, facts).await;
    peer.abort();
    assert!(words.is_empty() || begun.tick().micros() < 1_000_000, "it is heard at once");
    assert!(!sent.usable && !sent.outcomes[0].in_doubt);
    sent
}

#[tokio::test(start_paused = true)]
async fn a_refusal_in_mid_data_is_heard_and_the_rest_is_not_sent() {
    for closes in [false, true] {
        assert_eq!(fates(&cut_short(&smtp(), "S: 421 4.3.2 bye\n", closes).await), [(Deferred, Some(421))]);
        assert_eq!(fates(&cut_short(&smtp(), "S: 554 5.7.1 no\n", closes).await), [(Bounced, Some(554))]);
        assert_eq!(fates(&cut_short(&lmtp(), "S: 554 5.7.1 no\n", closes).await), [(Deferred, Some(554))]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_in_mid_data_is_believed_by_nobody() {
    let sent = cut_short(&smtp(), "S: 250 2.0.0 queued\n", false).await;
    assert_eq!(fates(&sent), [(Deferred, None)]);
    assert!(sent.broken.unwrap().contains("before the message was over"));
    assert_eq!(sent.feedback, []);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_stops_reading_is_waited_for_only_so_long() {
    let begun = weir_clock::Clock::start();
    let sent = cut_short(&smtp(), "", false).await;
    assert_eq!(fates(&sent), [(Deferred, None)]);
    assert!(sent.broken.unwrap().contains("read nothing for 180 s"));
    assert_eq!(begun.tick().micros() / 1_000_000, 181, "the time of a piece, and a second for last words");
    assert_eq!(fates(&cut_short(&smtp(), "", true).await), [(Deferred, None)]);
}

#[tokio::test(start_paused = true)]
async fn a_connection_on_which_something_was_left_open_is_not_used_again() {
    let (ours, theirs) = pair();
    let (dialer, way) = (dialer(), smtp());
    let script = format!("{HELLO}{ENVELOPE}{TAKEN}{WRITTEN}S: 250 OK\nS: 250 and another\n");
    let peer = tokio::spawn(async move { play(theirs, &script).await });
    let callee = Callee { address: address(), name: "target.test" };
    let mut connection = dialer.greet(Box::new(ours), callee, &way, way.tls).await.unwrap();
    let to = recipients(&["<b@y.test>", "<c@y.test>"]);
    let (first, facts) = content(MESSAGE);
    let sent = connection.send(&mail("<a@x.test>"), &to, first, facts).await;
    assert_eq!(fates(&sent), [(Done, Some(250)), (Done, Some(250))]);
    assert!(!sent.usable);
    let (second, facts) = content(MESSAGE);
    all_deferred(&connection.send(&mail("<a@x.test>"), &to, second, facts).await, "lost before");
    peer.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_sending_that_was_given_up_leaves_a_connection_that_sends_nothing_more() {
    let (ours, _theirs) = pair();
    let link = crate::outgoing::link::Link::new(Box::new(ours));
    let settings = Arc::new(SendSettings::default());
    let remote = "mx.test".into();
    let mut connection = Connection::new(link, settings, Protocol::Smtp, Extensions::none(), None, remote);
    let to = recipients(&["<b@y.test>"]);
    let (first, facts) = content(MESSAGE);
    let sender = mail("<a@x.test>");
    let sending = connection.send(&sender, &to, first, facts);
    assert!(tokio::time::timeout(Duration::from_secs(1), sending).await.is_err());
    let (second, facts) = content(MESSAGE);
    all_deferred(&connection.send(&sender, &to, second, facts).await, "lost before");
}
