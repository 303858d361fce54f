mod driver;
mod fuzz;
mod transcripts;

use super::super::content::ContentRules;
use super::super::extension::Extension;
use super::super::reply::Code;
use super::*;
use driver::{Driver, limits, plain};

/// Holds a transcript against the session: the lines behind `C:` are sent, those that follow one another in one piece,
/// and what comes back must be the lines behind `S:`; `M:` are the messages that were taken. Then the same byte by byte.
fn check(transcript: &str) {
    run(transcript, usize::MAX);
    run(transcript, 1);
}

fn run(transcript: &str, size: usize) {
    let mut driver = Driver::new(limits(), plain());
    let mut lines = transcript.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    while lines.peek().is_some() {
        let mut sent = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with('C')) {
            sent.extend(unescape(line[2..].strip_prefix(' ').unwrap_or_default()));
            if line.starts_with("C:") {
                sent.extend(b"\r\n");
            }
        }
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with('C')) {
            expected.push(line.to_owned());
        }
        let got = driver.feed(&sent, size);
        let sent = sent.escape_ascii();
        assert_eq!(got, expected, "to {sent} in pieces of {size} in:\n{transcript}");
    }
}

/// Bytes written as in Rust: `\r`, `\n`, `\0`, `\xff`, `\\`.
fn unescape(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        let (escaped, used) = match (byte, behind) {
            (b'\\', [b'r', ..]) => (b'\r', 1),
            (b'\\', [b'n', ..]) => (b'\n', 1),
            (b'\\', [b'0', ..]) => (0, 1),
            (b'\\', [b'\\', ..]) => (b'\\', 1),
            (b'\\', [b'x', _, _, ..]) => {
                (u8::from_str_radix(str::from_utf8(&behind[1..3]).unwrap(), 16).unwrap(), 3)
            }
            _ => (byte, 0),
        };
        bytes.push(escaped);
        rest = &rest[used..];
    }
    bytes
}

#[test]
fn bytes_behind_data_or_starttls_end_the_connection() {
    for (before, early) in [
        ("", "STARTTLS\r\nEHLO mallory\r\n"),
        ("MAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n", "DATA\r\nfrom mallory\r\n.\r\n"),
        ("MAIL FROM:<a@b>\r\n", "DATA\r\nMAIL FROM:<mallory@d>\r\n"),
    ] {
        let mut driver = Driver::new(limits(), plain());
        driver.feed(format!("EHLO x\r\n{before}").as_bytes(), usize::MAX);
        let replies = driver.feed(early.as_bytes(), usize::MAX);
        assert_eq!(replies.len(), 1, "{replies:?}");
        assert!(replies[0].starts_with("S: 554 5.5.0 Synchronization error"), "{replies:?}");
        assert!(driver.server.is_over(), "nothing of it is read as commands or as content");
    }
}

#[test]
fn bytes_between_the_answer_to_starttls_and_the_handshake_end_the_connection() {
    let mut server = Server::new(limits(), plain());
    let mut out = Vec::new();
    for line in [&b"EHLO x\r\n"[..], b"STARTTLS\r\n"] {
        assert!(matches!(server.next(&mut &line[..]), Some(Event::Command(_))));
        server.answer(&Reply::start_tls(), &mut out);
    }
    assert!(server.is_handshake());
    assert_eq!(server.next(&mut &b"EHLO mallory\r\n"[..]), Some(Event::Fault(Fault::TooEarly)));
    server.answer(&Fault::TooEarly.reply(), &mut out);
    assert!(server.is_over());
}

#[test]
fn what_was_said_before_tls_is_forgotten() {
    let mut driver = Driver::new(limits(), plain());
    driver.feed(b"EHLO x\r\nSTARTTLS\r\n", usize::MAX);
    assert_eq!(
        driver.feed(b"MAIL FROM:<a@b>\r\nSTARTTLS\r\n", 1),
        [
            "S: 503 5.5.1 Bad sequence of commands: send EHLO first",
            "S: 503 5.5.1 Bad sequence of commands: TLS is on already"
        ]
    );
}

#[test]
fn nothing_is_read_before_the_last_event_was_answered() {
    let mut server = Server::new(limits(), plain());
    let mut input: &[u8] = b"NOOP\r\nNOOP\r\n";
    assert_eq!(server.next(&mut input), Some(Event::Command(Command::Noop)));
    assert_eq!(server.next(&mut input), None);
    assert_eq!(input, b"NOOP\r\n");
    server.answer(&Reply::ok(), &mut Vec::new());
    assert_eq!(server.next(&mut input), Some(Event::Command(Command::Noop)));
}

#[test]
fn the_session_goes_by_the_codes_of_the_replies() {
    let mut driver = Driver::new(limits(), plain());
    driver.feed(b"EHLO x\r\n", usize::MAX);
    driver.refuse = Some(Reply::new(Code(450), 7, 1, "not now"));
    driver.feed(b"MAIL FROM:<a@b>\r\n", usize::MAX);
    driver.refuse = None;
    assert_eq!(
        driver.feed(b"RCPT TO:<c@d>\r\n", 1),
        ["S: 503 5.5.1 Bad sequence of commands: send MAIL first"]
    );
    driver.feed(b"MAIL FROM:<a@b>\r\n", usize::MAX);
    driver.refuse = Some(Reply::no_such_recipient());
    driver.feed(b"RCPT TO:<c@d>\r\n", usize::MAX);
    driver.refuse = None;
    assert_eq!(driver.feed(b"DATA\r\n", 1), ["S: 503 5.5.1 Bad sequence of commands: send RCPT first"]);
    driver.refuse = Some(Reply::shutting_down());
    driver.feed(b"NOOP\r\n", 1);
    assert!(driver.server.is_over(), "421 ends the connection");
}

#[test]
fn a_chunk_that_is_refused_gives_the_message_up() {
    let mut driver = Driver::new(limits(), plain());
    driver.feed(b"EHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n", usize::MAX);
    let (server, mut out) = (&mut driver.server, Vec::new());
    let mut input: &[u8] = b"BDAT 1\r\naBDAT 6 LAST\r\nQUIT\r\n";
    assert_eq!(server.next(&mut input), Some(Event::Content(b"a")));
    assert!(matches!(server.next(&mut input), Some(Event::ChunkEnd(_))));
    server.answer(&Reply::insufficient_resources(), &mut out);
    assert_eq!(server.next(&mut input), Some(Event::Fault(Fault::Order("send MAIL first"))));
    assert_eq!(input, b"", "the chunk behind it is no command");
}

#[test]
fn exactly_as_many_recipients_as_allowed_are_taken() {
    let mut driver = Driver::new(Limits { max_recipients: 2, ..limits() }, plain());
    let replies = driver.feed(
        b"EHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nRCPT TO:<no@d>\r\nRCPT TO:<e@d>\r\nRCPT TO:<f@d>\r\n",
        1,
    );
    assert_eq!(replies.last().unwrap(), "S: 452 4.5.3 Too many recipients");
    let taken = replies.iter().filter(|reply| reply.starts_with("S: 250 2.1.5")).count();
    assert_eq!(taken, 2, "a recipient that was refused does not count");
    assert_eq!(driver.feed(b"DATA\r\n", 1), ["S: 354 Start mail input; end with <CRLF>.<CRLF>"]);
}

#[test]
fn exactly_the_longest_command_is_taken() {
    let mut driver = Driver::new(Limits { max_command: 32, ..limits() }, plain());
    let noop = |length: usize| format!("NOOP {}\r\n", "x".repeat(length - 7));
    assert_eq!(driver.feed(noop(32).as_bytes(), 5), ["S: 250 2.0.0 OK"]);
    assert_eq!(driver.feed(noop(33).as_bytes(), 5), ["S: 500 5.5.2 Line too long"]);
    let endless = driver.feed(&vec![b'x'; 10_000_000], 65536);
    assert_eq!(endless, ["S: 500 5.5.2 Line too long"], "told once, and nothing of it is kept");
    assert_eq!(driver.feed(b"\r\nNOOP\r\n", 1), ["S: 250 2.0.0 OK"]);
}

#[test]
fn a_setting_lets_lone_line_feeds_end_commands_and_stay_in_messages() {
    let content = ContentRules { bare: Bare::Keep, ..ContentRules::default() };
    let mut driver = Driver::new(Limits { content, ..limits() }, plain());
    driver.feed(b"EHLO x\nMAIL FROM:<a@b>\nRCPT TO:<c@d>\n", 3);
    driver.feed(b"DATA\n", 3);
    assert_eq!(
        driver.feed(b"a\n.\nb\r\n.\r\n", 3),
        ["M: a\\n.\\nb\\r\\n", "S: 250 2.6.0 1 Queued mail for delivery"],
        "they never end a message"
    );
}

#[test]
fn a_message_that_is_announced_as_seven_bit_is_held_to_it_where_that_is_set() {
    let content = ContentRules { undeclared_8bit: false, ..ContentRules::default() };
    let sent = |parameter: &str| {
        let mut driver = Driver::new(Limits { content, ..limits() }, plain());
        driver.feed(format!("EHLO x\r\nMAIL FROM:<a@b>{parameter}\r\nRCPT TO:<c@d>\r\n").as_bytes(), 7);
        driver.feed(b"DATA\r\n", 7);
        driver.feed(b"\xc3\xa4\r\n.\r\n", 1).pop().unwrap()
    };
    for parameter in ["", " BODY=7BIT"] {
        assert_eq!(sent(parameter), "S: 554 5.6.1 Message contains 8-bit bytes without BODY=8BITMIME");
    }
    for parameter in [" BODY=8BITMIME", " SMTPUTF8"] {
        assert_eq!(sent(parameter), "S: 250 2.6.0 1 Queued mail for delivery");
    }
}

#[test]
fn what_is_not_offered_cannot_be_used_and_what_is_offered_later_can() {
    let mut offered = Extensions::none();
    let mut driver = Driver::new(limits(), offered.clone());
    let lines = ["STARTTLS", "AUTH PLAIN", "XSHADOW hub01", "XQDISCARD 1", "BDAT 0"];
    driver.feed(b"EHLO x\r\n", 1);
    for line in lines {
        assert_eq!(
            driver.feed(format!("{line}\r\n").as_bytes(), 1),
            ["S: 502 5.5.1 Command not offered here"]
        );
    }
    offered.keywords.insert(Extension::Shadow);
    driver.server.offer(offered);
    assert_eq!(driver.feed(b"XSHADOW hub01\r\n", 1), ["S: 250 2.0.0 4f2a90c1"]);
}
