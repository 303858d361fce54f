use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::io::ReadBuf;
use weir_transport::queue::Fate::{Again, Bounced, Deferred, Done};
use weir_transport::queue::Feedback;

use super::*;

const ENVELOPE: &str =
    "C: MAIL FROM:<a@x.test> SIZE=20\nC: RCPT TO:<b@y.test>\nC: RCPT TO:<c@y.test>\nC: DATA\n";
const TAKEN: &str = "S: 250 2.1.0 OK\nS: 250 2.1.5 OK\nS: 250 2.1.5 OK\nS: 354 go on\n";

#[tokio::test(start_paused = true)]
async fn a_message_goes_to_all_recipients_in_two_round_trips() {
    let script = format!("{HELLO}{ENVELOPE}{TAKEN}{WRITTEN}S: 250 2.0.0 queued as 1\n");
    let sent = send_plain(&script).await;
    assert_eq!(fates(&sent), [(Done, Some(250)), (Done, Some(250))]);
    assert_eq!(&*sent.outcomes[0].reply.as_ref().unwrap().text, "2.0.0 queued as 1");
    assert!(sent.usable && sent.broken.is_none() && sent.unreadable.is_none());
    assert_eq!(sent.feedback, [Feedback::Delivered]);
    assert_eq!(sent.bytes, 24, "with its dots");
}

#[tokio::test(start_paused = true)]
async fn without_pipelining_each_command_waits_for_its_answer() {
    let script = format!(
        "{BARE}C: MAIL FROM:<a@x.test>\nS: 250 OK\nC: RCPT TO:<b@y.test>\nS: 250 OK\nC: RCPT TO:<c@y.test>\n\
         S: 550 5.1.1 who?\nC: DATA\nS: 354 go on\n{WRITTEN}S: 250 OK\n"
    );
    let sent = send_plain(&script).await;
    assert_eq!(fates(&sent), [(Done, Some(250)), (Bounced, Some(550))]);
    assert!(sent.usable);
}

#[tokio::test(start_paused = true)]
async fn one_recipient_too_many_goes_with_the_next_transaction() {
    let script = format!(
        "{HELLO}{ENVELOPE}S: 250 OK\nS: 250 OK\nS: 452 4.5.3 too many\nS: 354 go on\n{WRITTEN}S: 250 OK\n"
    );
    assert_eq!(fates(&send_plain(&script).await), [(Done, Some(250)), (Again, Some(452))]);
}

#[tokio::test(start_paused = true)]
async fn a_refused_sender_is_reset_and_the_connection_is_good_for_another_message() {
    for (code, fate) in [(451, Deferred), (550, Bounced)] {
        let script = format!(
            "{HELLO}{ENVELOPE}S: {code} no\nS: 503 MAIL first\nS: 503 MAIL first\n\
             S: 503 RCPT first\nC: RSET\nS: 250 OK\n"
        );
        let sent = send_plain(&script).await;
        assert_eq!(fates(&sent), [(fate, Some(code)), (fate, Some(code))]);
        assert!(sent.usable);
        let one_by_one = format!("{BARE}C: MAIL FROM:<a@x.test>\nS: {code} no\nC: RSET\nS: 250 OK\n");
        assert_eq!(fates(&send_plain(&one_by_one).await), [(fate, Some(code)), (fate, Some(code))]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_refused_everybody_and_asks_for_the_message_gets_an_empty_one() {
    let refused = "S: 250 OK\nS: 550 5.1.1 no\nS: 450 4.2.1 later\n";
    let asks = format!("{HELLO}{ENVELOPE}{refused}S: 354 go on\nC: .\nS: 554 5.5.1 no valid recipients\n");
    let sent = send_plain(&asks).await;
    assert_eq!(fates(&sent), [(Bounced, Some(550)), (Deferred, Some(450))]);
    assert!(sent.usable);
    let declines = format!("{HELLO}{ENVELOPE}{refused}S: 554 no valid recipients\nC: RSET\nS: 250 OK\n");
    assert!(send_plain(&declines).await.usable);
    let one_by_one = format!(
        "{BARE}C: MAIL FROM:<a@x.test>\nS: 250 OK\nC: RCPT TO:<b@y.test>\nS: 550 no\nC: RCPT TO:<c@y.test>\n\
         S: 550 no\nC: RSET\nS: 250 OK\n"
    );
    assert!(send_plain(&one_by_one).await.usable);
}

#[tokio::test(start_paused = true)]
async fn a_refused_message_defers_or_bounces_those_that_were_accepted() {
    for (code, fate) in [(452, Deferred), (554, Bounced)] {
        let late = format!("{HELLO}{ENVELOPE}{TAKEN}{WRITTEN}S: {code} no\n");
        let sent = send_plain(&late).await;
        assert_eq!(fates(&sent), [(fate, Some(code)), (fate, Some(code))]);
        assert!(sent.usable && !sent.outcomes[0].in_doubt);
        let at_data =
            format!("{HELLO}{ENVELOPE}S: 250 OK\nS: 250 OK\nS: 250 OK\nS: {code} no\nC: RSET\nS: 250 OK\n");
        assert_eq!(fates(&send_plain(&at_data).await), [(fate, Some(code)), (fate, Some(code))]);
    }
}

#[tokio::test(start_paused = true)]
async fn many_recipients_go_in_groups_that_neither_side_is_blocked_by() {
    let addresses: Vec<String> = (0..120).map(|number| format!("<r{number}@y.test>")).collect();
    let named: Vec<&str> = addresses.iter().map(String::as_str).collect();
    let (ours, theirs) = pair();
    let peer = async {
        let mut stream = BufReader::new(theirs);
        let mut waiting = 0;
        stream.write_all(b"220 mx.test\r\n").await.unwrap();
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap() == 0 {
                return;
            }
            waiting += 1;
            let answer = match line.split([' ', '\r']).next().unwrap() {
                "EHLO" => "250-mx.test\r\n250 PIPELINING\r\n",
                "DATA" => "354 go on\r\n",
                "." => "250 queued\r\n",
                "MAIL" | "RCPT" => "250 OK\r\n",
                _ => continue,
            };
            // Answers nothing as long as it can read on.
            if stream.buffer().is_empty() {
                assert!(waiting <= 50, "{waiting} commands without an answer");
                waiting = 0;
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    };
    let (dialer, way) = (dialer(), smtp());
    let sending = async {
        let callee = Callee { address: address(), name: "target.test" };
        let mut connection = dialer.greet(Box::new(ours), callee, &way, way.tls).await.unwrap();
        let (content, facts) = content(MESSAGE);
        connection.send(&mail("<>"), &recipients(&named), content, facts).await
    };
    let (sent, ()) = tokio::join!(sending, peer);
    assert_eq!(sent.outcomes.iter().filter(|outcome| outcome.fate == Done).count(), 120);
}

/// Counts what is written at once.
struct Counting(DuplexStream, Arc<AtomicUsize>);

impl AsyncRead for Counting {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Counting {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[tokio::test(start_paused = true)]
async fn an_envelope_and_a_small_message_are_one_write_each() {
    let (ours, theirs) = pair();
    let writes = Arc::new(AtomicUsize::new(0));
    let (dialer, way, counted) = (dialer(), smtp(), Counting(ours, Arc::clone(&writes)));
    let text = format!("{MESSAGE}{}", "x".repeat(50_000));
    let (sending, text) = (
        async {
            let callee = Callee { address: address(), name: "target.test" };
            let mut connection = dialer.greet(Box::new(counted), callee, &way, way.tls).await.unwrap();
            let before = writes.load(Ordering::Relaxed);
            let (content, facts) = content(&text);
            connection.send(&mail("<a@x.test>"), &recipients(&["<b@y.test>"]), content, facts).await;
            writes.load(Ordering::Relaxed) - before
        },
        text.clone(),
    );
    let script = format!(
        "{HELLO}C: MAIL FROM:<a@x.test> SIZE={}\nC: RCPT TO:<b@y.test>\nC: DATA\nS: 250 OK\nS: 250 OK\nS: 354 go on\n\
         C: Subject: x\nC: \nC: ..dot\nC: {}\nC: .\nS: 250 OK\n",
        text.len(),
        "x".repeat(50_000)
    );
    assert_eq!(tokio::join!(sending, play(theirs, &script)).0, 2);
}

#[tokio::test(start_paused = true)]
async fn a_connection_carries_one_message_after_another_and_ends_with_quit() {
    let (ours, theirs) = pair();
    let (dialer, way) = (dialer(), smtp());
    let one = format!("{ENVELOPE}{TAKEN}{WRITTEN}S: 250 OK\n");
    let script = format!("{HELLO}{one}{one}C: QUIT\nS: 221 bye\n");
    let sending = async {
        let callee = Callee { address: address(), name: "target.test" };
        let mut connection = dialer.greet(Box::new(ours), callee, &way, way.tls).await.unwrap();
        for _ in 0..2 {
            let (content, facts) = content(MESSAGE);
            let to = recipients(&["<b@y.test>", "<c@y.test>"]);
            assert!(connection.send(&mail("<a@x.test>"), &to, content, facts).await.usable);
        }
        assert_eq!(connection.remote(), "mx.test");
        connection.quit().await;
    };
    tokio::join!(sending, play(theirs, &script));
}

#[tokio::test(start_paused = true)]
async fn a_peer_is_told_what_it_understands_and_what_is_true() {
    let all = "<a@x.test> SIZE=1 BODY=7BIT SMTPUTF8 RET=HDRS ENVID=e1 XSHADOW=017";
    let to = recipients(&["<b@y.test> NOTIFY=SUCCESS ORCPT=rfc822;b@z.test"]);
    let script = format!(
        "{HELLO}C: MAIL FROM:<a@x.test> SIZE=21 BODY=8BITMIME SMTPUTF8 RET=HDRS ENVID=e1\n\
         C: RCPT TO:<b@y.test> NOTIFY=SUCCESS ORCPT=rfc822;b@z.test\nC: DATA\nS: 250 OK\nS: 250 OK\nS: 354 go on\n\
         C: Subject: x\nC: \nC: grün\nC: .\nS: 250 OK\n"
    );
    let message = "Subject: x\r\n\r\ngrün\r\n";
    assert_eq!(fates(&send(&smtp(), &script, &mail(all), &to, message).await), [(Done, Some(250))]);
    let bare = format!(
        "{BARE}C: MAIL FROM:<a@x.test>\nS: 250 OK\nC: RCPT TO:<b@y.test>\nS: 250 OK\nC: DATA\nS: 354 go on\n\
         C: Subject: x\nC: \nC: grün\nC: .\nS: 250 OK\n"
    );
    // SMTPUTF8 was announced, and only the body needs more than ASCII – which nobody announced.
    assert_eq!(fates(&send(&smtp(), &bare, &mail(all), &to, message).await), [(Done, Some(250))]);
}

#[tokio::test(start_paused = true)]
async fn what_a_peer_cannot_take_comes_back_and_nothing_is_said_of_it() {
    let to = recipients(&["<b@y.test>"]);
    let cases = [
        ("<a@x.test> SMTPUTF8", "Subject: grün\r\n\r\nx\r\n", "5.6.7 "),
        ("<jörg@x.test> SMTPUTF8", "Subject: x\r\n\r\nx\r\n", "5.6.7 "),
        ("<a@x.test> BODY=8BITMIME", "Subject: x\r\n\r\ngrün\r\n", "5.6.3 "),
    ];
    for (from, message, status) in cases {
        let sent = send(&smtp(), BARE, &mail(from), &to, message).await;
        assert_eq!(sent.outcomes[0].fate, Bounced);
        assert!(sent.outcomes[0].reply.as_ref().unwrap().text.starts_with(status), "{from}");
        assert!(sent.usable);
    }
}

#[tokio::test(start_paused = true)]
async fn one_address_that_a_peer_cannot_read_does_not_keep_the_others_from_their_mail() {
    let to = recipients(&["<用户@y.test>", "<c@y.test>"]);
    let script = format!(
        "{BARE}C: MAIL FROM:<a@x.test>\nS: 250 OK\nC: RCPT TO:<c@y.test>\nS: 250 OK\nC: DATA\nS: 354 go on\n{WRITTEN}\
         S: 250 OK\n"
    );
    let sent = send(&smtp(), &script, &mail("<a@x.test> SMTPUTF8"), &to, MESSAGE).await;
    assert_eq!(fates(&sent), [(Bounced, Some(553)), (Done, Some(250))]);
}

#[tokio::test(start_paused = true)]
async fn whom_a_message_was_for_at_first_is_told_as_far_as_it_can_be_read() {
    let to = recipients(&["<b@y.test> ORCPT=utf-8;用户@z.test", "<c@y.test> ORCPT=rfc822;c@z.test"]);
    let script = "S: 220 mx.test\nC: EHLO hub01.test\nS: 250-mx.test\nS: 250-PIPELINING\nS: 250 DSN\n\
                  C: MAIL FROM:<a@x.test>\nC: RCPT TO:<b@y.test>\nC: RCPT TO:<c@y.test> ORCPT=rfc822;c@z.test\n\
                  C: DATA\nS: 250 OK\nS: 250 OK\nS: 250 OK\nS: 354 go on\n";
    let script = format!("{script}{WRITTEN}S: 250 OK\n");
    assert!(send(&smtp(), &script, &mail("<a@x.test>"), &to, MESSAGE).await.usable);
}

#[tokio::test(start_paused = true)]
async fn an_address_beyond_ascii_is_announced_though_its_sender_did_not() {
    let script = format!(
        "{HELLO}C: MAIL FROM:<a@x.test> SIZE=20 SMTPUTF8\nC: RCPT TO:<用户@y.test>\nC: DATA\nS: 250 OK\nS: 250 OK\n\
         S: 354 go on\n{WRITTEN}S: 250 OK\n"
    );
    let to = recipients(&["<用户@y.test>"]);
    assert!(send(&smtp(), &script, &mail("<a@x.test>"), &to, MESSAGE).await.usable);
}
