use mail_parser::{MessageParser, MimeHeaders};

use super::super::reply::Code;
use super::*;

const ARRIVED: WallTime = WallTime::from_unix_micros(1_796_000_000_000_000);
const NOW: WallTime = WallTime::from_unix_micros(1_796_000_060_000_000);
const SUBJECT: &str = "Subject: hello\r\n";

fn sender(text: &str) -> ReversePath {
    ReversePath::Mailbox(text.parse().unwrap())
}

fn subject(sender: &ReversePath) -> Subject<'_> {
    let give_back = GiveBack::Headers;
    Subject { sender, envelope_id: Some("QQ314159"), arrived: ARRIVED, give_back, eight_bit: false }
}

fn fate(recipient: &str) -> Fate {
    Fate {
        recipient: recipient.parse().unwrap(),
        original: None,
        notify: Notify::DEFAULT,
        status: Status { class: 5, subject: 1, detail: 1 },
        remote: Some("mx.example.net".to_owned()),
        reply: Some(Reply::new(Code::new(550).unwrap(), 1, 1, "no such user")),
        reason: None,
    }
}

fn whole(report: &Report<'_>) -> String {
    report.head(NOW) + SUBJECT + &report.tail()
}

/// The parts of a report as an independent parser sees them: content type and text.
fn parts(message: &str) -> Vec<(String, String)> {
    let parsed = MessageParser::new().parse(message.as_bytes()).unwrap();
    let top = parsed.root_part().content_type().unwrap();
    assert_eq!((top.ctype(), top.subtype()), ("multipart", Some("report")));
    assert_eq!(top.attribute("report-type"), Some("delivery-status"));
    let leaves = parsed.parts.iter().skip(1);
    leaves
        .map(|part| {
            let kind = part.content_type().unwrap();
            let kind = format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default());
            (kind, String::from_utf8_lossy(part.contents()).into_owned())
        })
        .collect()
}

#[test]
fn a_failure_is_told_in_three_parts() {
    let (sender, id) = (sender("john@example.com"), Token::new("r1").unwrap());
    let line = b"RCPT TO:<jane@example.net> ORCPT=rfc822;Jane+2BX@example.org";
    let Ok(super::super::Command::Recipient(recipient)) =
        super::super::Command::parse(line, &super::super::tests::everything())
    else {
        panic!()
    };
    let fates =
        vec![Fate { original: recipient.original, ..fate("jane@example.net") }, fate("ken@example.net")];
    let report = Report::about(subject(&sender), Action::Failed, fates, "hub01.example.com", &id).unwrap();
    let message = whole(&report);
    assert!(message.is_ascii() && message.lines().all(|line| line.len() <= 998));
    let parts = parts(&message);
    let kinds: Vec<&str> = parts.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["text/plain", "message/delivery-status", "text/rfc822-headers"]);
    assert!(parts[0].1.contains("<jane@example.net>") && parts[0].1.contains("no such user"));
    assert_eq!(
        parts[1].1.replace("\r\n", "\n").trim_end(),
        "Reporting-MTA: dns; hub01.example.com\nOriginal-Envelope-Id: QQ314159\n\
         Arrival-Date: Mon, 30 Nov 2026 00:53:20 +0000\n\n\
         Original-Recipient: rfc822; Jane+X@example.org\nFinal-Recipient: rfc822; jane@example.net\nAction: failed\n\
         Status: 5.1.1\nRemote-MTA: dns; mx.example.net\nDiagnostic-Code: smtp; 550 5.1.1 no such user\n\
         Last-Attempt-Date: Mon, 30 Nov 2026 00:54:20 +0000\n\n\
         Final-Recipient: rfc822; ken@example.net\nAction: failed\nStatus: 5.1.1\nRemote-MTA: dns; mx.example.net\n\
         Diagnostic-Code: smtp; 550 5.1.1 no such user\nLast-Attempt-Date: Mon, 30 Nov 2026 00:54:20 +0000"
    );
    assert_eq!(parts[2].1.trim_end(), SUBJECT.trim_end());
}

#[test]
fn nobody_is_told_of_a_message_without_a_sender_and_a_report_has_none() {
    let id = Token::new("r1").unwrap();
    let about = |sender: &ReversePath| {
        Report::about(subject(sender), Action::Failed, vec![fate("a@b")], "hub01", &id)
            .map(|report| report.envelope())
    };
    assert_eq!(about(&ReversePath::Null), None);
    let (mail, recipient) = about(&sender("john@example.com")).unwrap();
    assert_eq!(mail.to_string(), "MAIL FROM:<>");
    assert_eq!(recipient.to_string(), "RCPT TO:<john@example.com> NOTIFY=NEVER");
}

#[test]
fn a_sender_hears_what_he_asked_for() {
    let (sender, id) = (sender("john@example.com"), Token::new("r1").unwrap());
    let on = |success, failure, delay| Notify::On { success, failure, delay };
    let delayed = Action::Delayed { until: NOW };
    let cases = [
        (Notify::DEFAULT, Action::Failed, true),
        (Notify::DEFAULT, delayed, true),
        (Notify::DEFAULT, Action::Relayed, false),
        (Notify::Never, Action::Failed, false),
        (on(true, false, false), Action::Failed, false),
        (on(true, false, false), Action::Relayed, true),
        (on(true, false, false), Action::Delivered, true),
        (on(false, true, false), delayed, false),
    ];
    for (notify, action, expected) in cases {
        let fates = vec![Fate { notify, ..fate("a@b") }];
        let report = Report::about(subject(&sender), action, fates, "hub01", &id);
        assert_eq!(report.is_some(), expected, "{notify:?} {action:?}");
    }
}

#[test]
fn a_delay_says_until_when_and_that_nothing_is_to_be_done() {
    let (sender, id) = (sender("john@example.com"), Token::new("r1").unwrap());
    let fates = vec![Fate { reply: None, reason: Some("connection refused".to_owned()), ..fate("a@b") }];
    let action = Action::Delayed { until: NOW };
    let report = Report::about(subject(&sender), action, fates, "hub01", &id).unwrap();
    let parts = parts(&whole(&report));
    assert!(parts[0].1.contains("nothing for you to do") && parts[0].1.contains("connection refused"));
    for field in [
        "Action: delayed",
        "Will-Retry-Until: Mon, 30 Nov 2026 00:54:20 +0000",
        "Diagnostic-Code: X-Mailweir; connection refused",
    ] {
        assert!(parts[1].1.contains(field), "{field}");
    }
}

#[test]
fn words_of_others_cannot_begin_a_field_or_a_part() {
    let (sender, id) = (sender("john@example.com"), Token::new("r1").unwrap());
    let evil = "x\r\nAction: delivered\r\n--=r1=--\r\n";
    let evil_fate =
        Fate { remote: Some(evil.to_owned()), reason: Some(evil.repeat(100)), reply: None, ..fate("a@b") };
    let about = Subject { envelope_id: Some(evil), ..subject(&sender) };
    let report = Report::about(about, Action::Failed, vec![evil_fate], "hub01", &id).unwrap();
    let message = whole(&report);
    assert_eq!(message.matches("\r\nAction: ").count(), 1);
    assert_eq!(message.matches("\r\n--=r1=").count(), 4);
}

#[test]
fn addresses_of_another_script_make_a_global_report() {
    let (sender, id) = (sender("jörg@example.com"), Token::new("r1").unwrap());
    let about = Subject { give_back: GiveBack::Full, eight_bit: true, ..subject(&sender) };
    let report = Report::about(about, Action::Failed, vec![fate("用户@例子.测试")], "hub01", &id).unwrap();
    assert!(report.envelope().0.smtp_utf8);
    let head = report.head(NOW);
    for text in [
        "Final-Recipient: utf-8; 用户@例子.测试\r\n",
        "Content-Type: message/global-delivery-status\r\n",
        "Content-Type: message/global\r\nContent-Transfer-Encoding: 8bit\r\n",
    ] {
        assert!(head.contains(text), "{head}");
    }
}

#[test]
fn only_a_small_message_that_failed_is_given_back_whole() {
    let cases = [
        (Action::Failed, None, 100, GiveBack::Full),
        (Action::Failed, Some(GiveBack::Full), 101, GiveBack::Headers),
        (Action::Failed, Some(GiveBack::Headers), 1, GiveBack::Headers),
        (Action::Delayed { until: NOW }, Some(GiveBack::Full), 1, GiveBack::Headers),
        (Action::Delivered, None, 1, GiveBack::Headers),
    ];
    for (action, wish, bytes, expected) in cases {
        assert_eq!(give_back(action, wish, bytes, 100), expected, "{action:?} {wish:?} {bytes}");
    }
}
