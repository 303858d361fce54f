use weir_balance::Failure;
use weir_transport::queue::Stage;
use weir_wire::smtp::{Credentials, DiscardQuery, Secret, Token};

use super::*;

const AUTH: &str = "S: 220 hub02.test ESMTP\nC: EHLO hub01.test\nS: 250-hub02.test\nS: 250-PIPELINING\n";

fn own_server() -> Way {
    let password = Secret::new("secret".to_owned());
    let login = Credentials { acts_for: String::new(), name: "hub01".to_owned(), password };
    Way { login: Some(login), shadow_holder: Token::new("hub01"), ..smtp() }
}

/// Becomes acquainted with a peer on this host, where a password may be said in the clear.
async fn meet_here(way: &Way, script: &str) -> Result<Connection, OpenError> {
    let (ours, theirs) = pair();
    let callee = Callee { address: "127.0.0.2:25".parse().unwrap(), name: "hub02.test" };
    let dialer = dialer();
    let (met, ()) = tokio::join!(dialer.greet(Box::new(ours), callee, way, way.tls), play(theirs, script));
    met
}

#[tokio::test(start_paused = true)]
async fn what_marks_a_target_is_what_happens_where_its_banner_belongs() {
    let cases = [
        ("", Failure::ClosedBeforeBanner, true, None),
        ("hold", Failure::SilentBeforeBanner, true, None),
        (
            "slow: 220 mx.test ESMTP and a long, long, long, long, long line of it\n",
            Failure::SilentBeforeBanner,
            true,
            None,
        ),
        ("S: 421 4.3.2 too busy\n", Failure::Busy421, true, Some(421)),
        ("S: 554 5.3.2 no mail here\n", Failure::Other, false, Some(554)),
        ("S: 450 4.3.2 not now\n", Failure::Other, false, Some(450)),
        ("S: SSH-2.0-OpenSSH_9.2\n", Failure::Other, false, None),
    ];
    for (script, failure, marks, code) in cases {
        let error = meet(&smtp(), script).await.err().unwrap();
        assert_eq!((error.failure, error.marks(), error.stage), (failure, marks, Stage::Banner), "{script}");
        assert_eq!(error.reply.map(|reply| reply.code), code);
    }
}

#[tokio::test(start_paused = true)]
async fn what_goes_wrong_behind_a_banner_says_nothing_about_the_target() {
    let hello = "S: 220 mx.test\nC: EHLO hub01.test\n";
    let cases = [
        (format!("{hello}S: 450 4.3.2 not now\n"), Stage::Ehlo),
        (format!("{hello}S: 421 4.3.2 bye\n"), Stage::Ehlo),
        (hello.to_owned(), Stage::Ehlo),
        (format!("{hello}hold"), Stage::Ehlo),
        (format!("{hello}S: garbage\n"), Stage::Ehlo),
        (format!("{hello}S: 500 what?\nC: HELO hub01.test\nS: 550 no\n"), Stage::Helo),
        (format!("{hello}S: 250-mx.test\nS: 250 STARTTLS\nC: STARTTLS\nS: 421 bye\n"), Stage::StartTls),
    ];
    for (script, stage) in cases {
        let error = meet(&smtp(), &script).await.err().unwrap();
        assert_eq!((error.stage, error.connected, error.marks()), (stage, true, false), "{script}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_know_ehlo_is_greeted_in_the_older_way() {
    let script = "S: 220-old.test\nS: 220 and more\nC: EHLO hub01.test\nS: 502 5.5.1 unknown\n\
                  C: HELO hub01.test\nS: 250 old.test\n";
    let connection = meet(&smtp(), script).await.unwrap();
    assert_eq!(*connection.offered(), Extensions::none());
    assert_eq!(connection.remote(), "old.test");
    let nameless = meet(&smtp(), &BARE.replace("mx.test ESMTP", "*** ready ***")).await.unwrap();
    assert_eq!(nameless.remote(), "target.test");
}

#[tokio::test(start_paused = true)]
async fn where_tls_is_required_a_peer_without_it_gets_nothing() {
    for tls in [TlsPolicy::Required, TlsPolicy::Verified] {
        let way = Way { tls, ..smtp() };
        let error = meet(&way, BARE).await.err().unwrap();
        assert_eq!((error.failure, error.stage), (Failure::Handshake, Stage::StartTls));
        let declined = "S: 220 mx.test\nC: EHLO hub01.test\nS: 250-mx.test\nS: 250 STARTTLS\nC: STARTTLS\n\
                        S: 454 4.7.0 not now\nC: QUIT\n";
        let error = meet(&way, declined).await.err().unwrap();
        assert_eq!(error.reply.as_ref().unwrap().code, 454);
        assert!(error.connected && !error.marks());
        let old =
            meet(&way, "S: 220 mx.test\nC: EHLO hub01.test\nS: 500 what?\nC: QUIT\n").await.err().unwrap();
        assert_eq!(old.stage, Stage::Ehlo, "HELO leads to no encryption");
    }
}

#[tokio::test(start_paused = true)]
async fn a_declined_starttls_is_done_without_where_it_may_be() {
    let script =
        "S: 220 mx.test\nC: EHLO hub01.test\nS: 250-mx.test\nS: 250 STARTTLS\nC: STARTTLS\nS: 454 not now\n";
    assert!(meet(&smtp(), script).await.is_ok());
    let off = Way { tls: TlsPolicy::Off, ..smtp() };
    let script = "S: 220 mx.test\nC: EHLO hub01.test\nS: 250-mx.test\nS: 250 STARTTLS\n";
    assert!(meet(&off, script).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_own_server_proves_itself_and_says_whose_shadows_it_keeps() {
    let script = format!(
        "{AUTH}S: 250 AUTH PLAIN LOGIN\nC: AUTH PLAIN AGh1YjAxAHNlY3JldA==\nS: 235 2.7.0 yes\nC: EHLO hub01.test\n\
         S: 250-hub02.test\nS: 250 XSHADOW\nC: XSHADOW hub01\nS: 250 2.0.0 4f2a90c1\nC: XQDISCARD 100\n\
         S: 250-2.0.0 9 1 0\nS: 250 2.0.0 017\nC: QUIT\nS: 221 bye\n"
    );
    let (ours, theirs) = pair();
    let callee = Callee { address: "127.0.0.2:25".parse().unwrap(), name: "hub02.test" };
    let (dialer, way) = (dialer(), own_server());
    let asking = async {
        let mut connection = dialer.greet(Box::new(ours), callee, &way, way.tls).await.unwrap();
        assert_eq!(connection.database(), Token::new("4f2a90c1").as_ref());
        let notices = connection.discards(DiscardQuery { most: 100, seen: None }).await.unwrap();
        assert_eq!(notices.messages, [Token::new("017").unwrap()]);
        connection.quit().await;
    };
    tokio::join!(asking, play(theirs, &script));
}

#[tokio::test(start_paused = true)]
async fn login_is_said_line_by_line() {
    let way = Way { shadow_holder: None, ..own_server() };
    let script = format!(
        "{AUTH}S: 250 AUTH LOGIN\nC: AUTH LOGIN\nS: 334 VXNlcm5hbWU6\nC: aHViMDE=\nS: 334 UGFzc3dvcmQ6\nC: c2VjcmV0\n\
         S: 235 yes\n"
    );
    assert!(meet_here(&way, &script).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_wrong_password_is_no_fault_of_the_target() {
    for code in [454, 535] {
        let script = format!(
            "{AUTH}S: 250 AUTH PLAIN\nC: AUTH PLAIN AGh1YjAxAHNlY3JldA==\nS: {code} 5.7.8 no\nC: QUIT\n"
        );
        let error = meet_here(&own_server(), &script).await.err().unwrap();
        assert_eq!((error.stage, error.marks()), (Stage::Auth, false));
        assert!(!error.text.contains("c2VjcmV0") && !error.text.contains("secret"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_password_is_said_where_others_listen() {
    let script = format!("{AUTH}S: 250 AUTH PLAIN\n");
    assert!(meet(&own_server(), &script).await.is_ok(), "192.0.2.1 is not this host");
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_keeps_no_shadows_takes_messages_without() {
    let way = Way { login: None, ..own_server() };
    let script = format!("{AUTH}S: 250 XSHADOW\nC: XSHADOW hub01\nS: 550 5.7.1 who?\n");
    let connection = meet(&way, &script).await.unwrap();
    assert_eq!(connection.database(), None);
    assert!(!connection.offered().has(Extension::Shadow), "no shadow is named to it");
    let stranger = meet(&smtp(), &format!("{AUTH}S: 250 XSHADOW\n")).await.unwrap();
    assert!(!stranger.offered().has(Extension::Shadow));
}

#[tokio::test(start_paused = true)]
async fn on_whose_behalf_a_message_is_sent_is_told_only_by_who_logged_in() {
    let stranger = format!(
        "{AUTH}S: 250 AUTH PLAIN\nC: MAIL FROM:<a@x.test>\nC: RCPT TO:<b@y.test>\nC: DATA\nS: 250 OK\nS: 250 OK\n\
         S: 354 go on\n{WRITTEN}S: 250 OK\n"
    );
    let (from, to) = (mail("<a@x.test> AUTH=c@x.test"), recipients(&["<b@y.test>"]));
    assert!(send(&smtp(), &stranger, &from, &to, MESSAGE).await.usable);
}

#[tokio::test(start_paused = true)]
async fn a_partner_that_leaves_while_shadows_are_spoken_of_has_left() {
    let way = Way { login: None, ..own_server() };
    let leaves = format!("{AUTH}S: 250 XSHADOW\nC: XSHADOW hub01\nS: 421 4.3.2 bye\n");
    let error = meet(&way, &leaves).await.err().unwrap();
    assert_eq!(error.reply.as_ref().unwrap().code, 421);
    assert!(!error.marks());
    let (ours, theirs) = pair();
    let later = format!(
        "{AUTH}S: 250 XSHADOW\nC: XSHADOW hub01\nS: 250 4f2a90c1\nC: XQDISCARD 100\nS: 550 no\n\
         C: XQDISCARD 100\nS: 421 bye\n"
    );
    let (dialer, callee) = (dialer(), Callee { address: address(), name: "hub02.test" });
    let asking = async {
        let mut connection = dialer.greet(Box::new(ours), callee, &way, way.tls).await.unwrap();
        for usable in [true, false] {
            assert!(connection.discards(DiscardQuery { most: 100, seen: None }).await.is_err());
            assert_eq!(connection.at_rest, usable);
        }
        connection.quit().await;
    };
    tokio::join!(asking, play(theirs, &later));
}
