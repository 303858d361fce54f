use std::sync::Mutex;

use tempfile::TempDir;
use weir_spool::{Identity, Limits, Spool};
use weir_transport::routing::Lookup;
use weir_units::WallTime;
use weir_wire::smtp::{Command, Extension, Extensions};

use super::*;
use crate::intake::{Accepted, Onward};
use crate::organisation::Answer;

const ARRIVED: WallTime = WallTime::from_unix_micros(1_796_000_000_000_000);
const NOW: WallTime = WallTime::from_unix_micros(1_796_000_060_000_000);
const MESSAGE: &str = "Subject: hello\r\nX-Long: one\r\n two\r\n\r\nThe text.\r\n";

/// Keeps what was accepted.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Accepted>>>);

impl Onward for Kept {
    fn accept(&self, message: Accepted) {
        self.0.lock().unwrap().push(message);
    }
}

/// Knows that everybody is elsewhere, or nothing.
struct Directory {
    answers: bool,
}

impl Recipients for Directory {
    fn lookup<'a>(&'a self, _: &'a Mailbox) -> Answer<'a, Result<Lookup, Unavailable>> {
        let answer = if self.answers {
            Ok(Lookup::NotOurs)
        } else {
            Err(Unavailable("the directory is locked".into()))
        };
        Box::pin(async { answer })
    }
}

struct World {
    reporter: Reporter,
    spool: Arc<Spool>,
    kept: Kept,
    _folder: TempDir,
}

impl World {
    fn new(answers: bool) -> Self {
        let folder = TempDir::new().unwrap();
        let spool = Spool::open(&folder.path().join("spool"), Limits::default(), Identity(1)).unwrap().0;
        let (spool, kept) = (Arc::new(spool), Kept::default());
        let intake = Intake::new(Arc::clone(&spool), kept.clone(), 1 << 20);
        let limits = IntakeLimits { header: HeaderLimits::default(), max_hops: 30 };
        let clock = Clock::pretended(NOW);
        let recipients = Arc::new(Directory { answers });
        let reporter = Reporter::new("hub01.test".parse().unwrap(), intake, recipients, limits, clock);
        Self { reporter, spool, kept, _folder: folder }
    }

    /// Reports that all recipients had this fate.
    async fn report(&self, envelope: &Envelope, action: Action, content: Content) -> Option<Accepted> {
        let fates = (0..envelope.recipients.len()).map(|place| (place, refused())).collect();
        let id = self.reporter.report(envelope, action, fates, content).await.unwrap();
        let report = self.kept.0.lock().unwrap().pop();
        assert_eq!(report.as_ref().map(|report| report.id), id);
        report
    }

    /// The report's text.
    async fn text(&self, envelope: &Envelope, action: Action, message: &str) -> String {
        let report = self.report(envelope, action, fresh(message)).await.unwrap();
        String::from_utf8(report.content.unwrap().to_vec()).unwrap()
    }
}

fn fresh(message: &str) -> Content {
    Content::Fresh(Some(Bytes::copy_from_slice(message.as_bytes())))
}

fn refused() -> FateOf {
    FateOf::said("mx.test", &queue::Reply::new(550, "5.1.1 no such user"))
}

fn command(line: &str) -> Command {
    let everything = Extensions { keywords: Extension::ALL.into(), size: Some(0), mechanisms: Vec::new() };
    Command::parse(line.as_bytes(), &everything).unwrap()
}

/// An envelope of [`MESSAGE`].
fn envelope(from: &str, to: &[&str]) -> Envelope {
    let Command::Mail(mail) = command(&format!("MAIL FROM:{from}")) else { panic!("{from}") };
    let recipient = |text: &&str| {
        let Command::Recipient(recipient) = command(&format!("RCPT TO:{text}")) else { panic!("{text}") };
        recipient
    };
    Envelope {
        mail,
        recipients: to.iter().map(recipient).collect(),
        accepted: ARRIVED,
        bytes: u64::try_from(MESSAGE.len()).unwrap(),
        eight_bit: false,
        origin: Provenance::default(),
    }
}

/// What stands in the last part of a report.
fn given_back(report: &str) -> &str {
    let boundary = report.split("boundary=\"").nth(1).unwrap().split('"').next().unwrap();
    let part = report.split(&format!("\r\n--{boundary}\r\n")).nth(3).unwrap();
    let part = part.split_once("\r\n\r\n").unwrap().1;
    part.strip_suffix(&format!("\r\n--{boundary}--\r\n")).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_failed_message_is_told_of_with_the_reason_and_given_back_whole() {
    let world = World::new(true);
    let text = world.text(&envelope("<a@x.test> ENVID=e1", &["<b@y.test>"]), Action::Failed, MESSAGE).await;
    for line in [
        "To: <a@x.test>\r\n",
        "Auto-Submitted: auto-replied\r\n",
        "Reporting-MTA: dns; hub01.test\r\nOriginal-Envelope-Id: e1\r\nArrival-Date: Mon, 30 Nov 2026 00:53:20 +0000\r\n",
        "Final-Recipient: rfc822; b@y.test\r\nAction: failed\r\nStatus: 5.1.1\r\nRemote-MTA: dns; mx.test\r\n\
         Diagnostic-Code: smtp; 550 5.1.1 no such user\r\nLast-Attempt-Date: Mon, 30 Nov 2026 00:54:20 +0000\r\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(given_back(&text), MESSAGE);
}

#[tokio::test(start_paused = true)]
async fn a_report_is_a_message_from_nobody_that_is_on_disk_and_wants_no_report() {
    let world = World::new(true);
    let about = envelope("<a@x.test>", &["<b@y.test>", "<c@y.test>"]);
    let report = world.report(&about, Action::Failed, fresh(MESSAGE)).await.unwrap();
    assert_eq!(report.lookups, [Lookup::NotOurs]);
    let stored = world.spool.locate(report.id).await.unwrap().read().unwrap();
    let kept = Envelope::from_bytes(&stored.envelope).unwrap();
    assert_eq!(kept.mail.to_string(), "MAIL FROM:<>");
    let to: Vec<String> = kept.recipients.iter().map(ToString::to_string).collect();
    assert_eq!(to, ["RCPT TO:<a@x.test> NOTIFY=NEVER"], "one for both recipients");
    assert_eq!(kept.accepted, NOW);
    let again = world.report(&kept, Action::Failed, fresh("Subject: a report\r\n\r\n")).await;
    assert!(again.is_none(), "never a report on a report");
    let whole = Content::Spooled(Some(Box::new(stored.body))).whole(u64::MAX).await.unwrap();
    assert_eq!(whole, report.content);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_told_what_he_does_not_want_to_hear() {
    let world = World::new(true);
    let delayed = Action::Delayed { until: NOW };
    let cases = [
        ("<>", "<b@y.test>", Action::Failed, false),
        ("<a@x.test>", "<b@y.test> NOTIFY=NEVER", Action::Failed, false),
        ("<a@x.test>", "<b@y.test> NOTIFY=SUCCESS", delayed, false),
        ("<a@x.test>", "<b@y.test>", delayed, true),
        ("<a@x.test>", "<b@y.test>", Action::Relayed, false),
        ("<a@x.test>", "<b@y.test> NOTIFY=SUCCESS", Action::Relayed, true),
        ("<a@x.test>", "<b@y.test> NOTIFY=SUCCESS", Action::Delivered, true),
    ];
    for (from, to, action, told) in cases {
        let before = world.spool.usage().messages;
        let report = world.report(&envelope(from, &[to]), action, fresh(MESSAGE)).await;
        assert_eq!(report.is_some(), told, "{from} {to} {action:?}");
        assert_eq!(world.spool.usage().messages - before, u64::from(told));
    }
}

#[tokio::test(start_paused = true)]
async fn a_report_tells_only_of_those_whose_fate_is_to_be_heard() {
    let world = World::new(true);
    let about = envelope("<a@x.test>", &["<b@y.test> NOTIFY=NEVER", "<postmaster>", "<d@y.test>"]);
    let fates = vec![(0, refused()), (1, refused()), (7, refused())];
    world.reporter.report(&about, Action::Failed, fates, fresh(MESSAGE)).await.unwrap();
    let report = world.kept.0.lock().unwrap().pop().unwrap().content.unwrap();
    let text = String::from_utf8(report.to_vec()).unwrap();
    let told: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("Final-Recipient: ")).collect();
    assert_eq!(told, ["rfc822; postmaster@hub01.test"]);
}

#[tokio::test(start_paused = true)]
async fn of_a_late_a_large_or_a_reserved_message_the_header_is_given_back() {
    let world = World::new(true);
    let plain = envelope("<a@x.test>", &["<b@y.test>"]);
    let large = Envelope { bytes: DEFAULT_MAX_GIVEN_BACK + 1, ..plain.clone() };
    let reserved = envelope("<a@x.test> RET=HDRS", &["<b@y.test>"]);
    let cases =
        [(plain, Action::Delayed { until: NOW }), (large, Action::Failed), (reserved, Action::Failed)];
    for (about, action) in cases {
        let text = world.text(&about, action, MESSAGE).await;
        assert_eq!(given_back(&text), "Subject: hello\r\nX-Long: one\r\n two\r\n");
        assert!(text.contains("Content-Type: text/rfc822-headers\r\nContent-Transfer-Encoding: 7bit\r\n"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_given_back_is_announced_as_what_it_is() {
    let world = World::new(true);
    let plain = envelope("<a@x.test>", &["<b@y.test>"]);
    let late = Action::Delayed { until: NOW };
    let cases = [
        (
            "Subject: x\r\n\r\ngrün\r\n",
            Action::Failed,
            "message/rfc822\r\nContent-Transfer-Encoding: 8bit\r\n",
        ),
        ("Subject: x\r\n\r\ngrün\r\n", late, "text/rfc822-headers\r\nContent-Transfer-Encoding: 7bit\r\n"),
        ("Subject: grün\r\n\r\nx\r\n", late, "text/rfc822-headers\r\nContent-Transfer-Encoding: 8bit\r\n"),
    ];
    for (message, action, kind) in cases {
        let text = world.text(&plain, action, message).await;
        assert!(text.contains(kind), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_header_is_cut_where_it_ends_and_never_within_a_line() {
    let cases = [
        ("A: b\r\n\r\ntext\r\n", "A: b\r\n"),
        ("A: b\n\ntext\n", "A: b\n"),
        ("A: b\r\n", "A: b\r\n"),
        ("A: b", "A: b"),
        ("A: b\r\nno field at all\r\n", "A: b\r\n"),
        ("A: b\r\nword\r\n", "A: b\r\n"),
        ("\r\ntext\r\n", ""),
        ("text alone\r\n", ""),
        ("", ""),
    ];
    for (message, expected) in cases {
        assert_eq!(
            String::from_utf8(header(fresh(message)).await.unwrap()).unwrap(),
            expected,
            "{message:?}"
        );
    }
    for (length, fields) in [(10, 2000), (100, 585)] {
        let line = format!("X-Filler: {}\r\n", "x".repeat(length));
        let endless = header(fresh(&line.repeat(10_000))).await.unwrap();
        assert_eq!(endless.len(), fields * line.len(), "as many as there may be, or the bytes have room for");
    }
}

#[tokio::test(start_paused = true)]
async fn a_header_of_many_pieces_is_read_from_the_disk_up_to_its_end() {
    let world = World::new(true);
    let fields = "X-Field: 0123456789012345678901234\r\n".repeat(1500);
    let mut draft = world.reporter.intake.begin(world.reporter.limits, |_| String::new());
    draft.write(format!("{fields}\r\n{}", "text\r\n".repeat(50_000)).as_bytes()).await.unwrap();
    let about = envelope("<a@x.test> RET=HDRS", &["<b@y.test>"]);
    let id = draft.finish(about, vec![Lookup::NotOurs], NOW).await.unwrap();
    let body = world.spool.locate(id).await.unwrap().read().unwrap().body;
    let read = header(Content::Spooled(Some(Box::new(body)))).await.unwrap();
    assert!(fields.len() > weir_spool::PIECE_BYTES);
    assert_eq!(String::from_utf8(read).unwrap(), fields);
}

#[tokio::test(start_paused = true)]
async fn where_nobody_can_say_where_the_sender_belongs_there_is_no_report_yet() {
    let world = World::new(false);
    let about = envelope("<a@x.test>", &["<b@y.test>"]);
    let error = world.reporter.report(&about, Action::Failed, vec![(0, refused())], fresh(MESSAGE)).await;
    assert!(matches!(error, Err(ReportError::Unavailable(_))));
    assert_eq!(world.spool.usage().messages, 0);
}

#[test]
fn a_status_is_the_replys_or_its_class() {
    let status = |reply: &queue::Reply| FateOf::said("mx.test", reply).status.to_string();
    assert_eq!(status(&queue::Reply::new(550, "5.7.1 no")), "5.7.1");
    assert_eq!(status(&queue::Reply::new(452, "full")), "4.0.0");
    assert_eq!(status(&queue::Reply::new(550, "4.7.1 which of the two?")), "5.0.0");
    assert_eq!(status(&queue::Reply::new(250, "2.6.0 queued")), "2.6.0");
}
