use proptest::prelude::*;
use weir_units::{Component, Millis, Part, Refusal, TimePart};

use super::*;

fn written(reply: &Reply) -> String {
    let mut out = Vec::new();
    reply.write(&mut out);
    String::from_utf8(out).unwrap()
}

/// All replies in `bytes`, fed in pieces of those sizes, and the error if there is one.
fn read(bytes: &[u8], sizes: &[usize]) -> (Vec<Reply>, Option<ReplyError>) {
    let (mut reader, mut replies, mut rest) = (ReplyReader::default(), Vec::new(), bytes);
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let (mut piece, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        rest = later;
        loop {
            match reader.next(&mut piece) {
                Ok(Some(reply)) => replies.push(reply),
                Ok(None) => break,
                Err(error) => return (replies, Some(error)),
            }
        }
        assert!(piece.is_empty());
    }
    (replies, None)
}

#[test]
fn a_refused_client_hears_the_words_that_the_rule_fixes() {
    let words = |part| {
        let retry_after = Some(Millis::new(1000));
        let refusal = Refusal { component: Component::Smtp, part, limit: 1, used: 1, retry_after };
        written(&Reply::from(&refusal))
    };
    assert_eq!(
        words(Part::MessageRate),
        "421 4.4.2 Message submission rate for this client has exceeded the configured limit\r\n"
    );
    assert!(words(Part::RecipientRate).starts_with("452 4.5.3 "));
    for part in [Part::Time(TimePart::Cas), Part::Cpu, Part::MaxConcurrency] {
        assert!(words(part).starts_with('4'), "{part:?} fills again by itself");
    }
    assert_eq!(words(Part::BlockList), "554 5.7.1 The server does not admit this program\r\n");
}

#[test]
fn a_full_server_says_so_in_the_words_that_the_rule_fixes() {
    assert!(written(&Reply::insufficient_resources()).starts_with("452 4.3.1 "));
}

#[test]
fn lines_carry_code_and_status_each() {
    let reply = Reply::new(Code::OK, 0, 0, "one").and("two").and("");
    assert_eq!(written(&reply), "250-2.0.0 one\r\n250-2.0.0 two\r\n250 2.0.0 \r\n");
    assert_eq!(reply.to_string(), "250 2.0.0 one two");
}

#[test]
fn no_text_begins_a_second_reply() {
    let reply = Reply::new(Code::new(550).unwrap(), 7, 1, "a\r\n250 OK\u{0}ä\rb");
    assert_eq!(written(&reply), "550-5.7.1 a\r\n550 5.7.1 250 OK???b\r\n");
}

#[test]
fn a_long_text_goes_on_in_the_next_line_and_one_without_end_is_cut() {
    let reply = Reply::new(Code::OK, 0, 0, &"word ".repeat(200));
    let lines: Vec<String> = written(&reply).split_inclusive("\r\n").map(str::to_owned).collect();
    assert!(lines.len() >= 2 && lines.iter().all(|line| line.len() <= 512), "{lines:?}");
    let endless = Reply::plain(Code::OK, &"x".repeat(1_000_000));
    assert_eq!(endless.lines().count(), MAX_REPLY_LINES);
}

#[test]
fn odd_replies_are_understood() {
    let cases = [
        ("250\r\n", "250"),
        ("250 \r\n", "250"),
        ("250-\r\n250\r\n", "250"),
        ("250 OK\n", "250 OK"),
        ("220-a\n220 b\r\n", "220 a b"),
        ("220\ttab\r\n", "220 tab"),
        ("250-2.1.0 a\r\n250 2.1.5 b\r\n", "250 2.1.5 a b"),
        ("250-first\r\n550 5.1.1 no\r\n", "550 5.1.1 first no"),
        ("550 4.1.1 status of another class\r\n", "550 4.1.1 status of another class"),
        ("250 2.1000.0 x\r\n", "250 2.1000.0 x"),
        ("250 \u{e4}\u{0}\r\n", "250 ??"),
        ("250 a\rb\r\r\n", "250 a?b"),
    ];
    for (bytes, expected) in cases {
        let (replies, error) = read(bytes.as_bytes(), &[4096]);
        assert_eq!(error, None, "{bytes:?}");
        assert_eq!(replies.iter().map(Reply::to_string).collect::<Vec<_>>(), [expected], "{bytes:?}");
    }
    let (replies, _) = read(b"550 4.1.1 x\r\n250 2.1000.0 x\r\n250 2.1 x\r\n", &[4096]);
    assert!(replies.iter().all(|reply| reply.status().is_none()), "none of these is a status");
}

#[test]
fn what_is_no_reply_is_an_error() {
    let line = format!("250 {}\r\n", "x".repeat(MAX_REPLY_LINE));
    let lines = "250-x\r\n".repeat(MAX_REPLY_LINES + 1);
    let bytes = format!("250-{}\r\n", "x".repeat(1000)).repeat(40);
    let cases = [
        ("\r\n", ReplyError::NoCode),
        ("OK\r\n", ReplyError::NoCode),
        ("25\r\n", ReplyError::NoCode),
        ("2500\r\n", ReplyError::NoCode),
        ("150 wait\r\n", ReplyError::NoCode),
        ("999 x\r\n", ReplyError::NoCode),
        ("250-a\r\nb\r\n", ReplyError::NoCode),
        ("SSH-2.0-x\r\n", ReplyError::NoCode),
        (&line, ReplyError::LineTooLong),
        (&lines, ReplyError::TooLong),
        (&bytes, ReplyError::TooLong),
    ];
    for (bytes, expected) in cases {
        let head = &bytes[..bytes.len().min(20)];
        assert_eq!(read(bytes.as_bytes(), &[4096]).1, Some(expected), "{head:?}");
        assert_eq!(read(bytes.as_bytes(), &[7]).1, Some(expected), "{head:?}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_by_us_and_by_another_parser(
        code in 200..600_u16,
        has_status in any::<bool>(),
        texts in proptest::collection::vec("[a-zA-Z][ -~]{0,100}", 1..10),
    ) {
        let code = Code::new(code).unwrap();
        let first = &texts[0];
        let reply = if has_status { Reply::new(code, 1, 2, first) } else { Reply::plain(code, first) };
        let reply = texts[1..].iter().fold(reply, |reply, text| reply.and(text));
        let bytes = written(&reply);
        prop_assert_eq!(read(bytes.as_bytes(), &[4096]), (vec![reply.clone()], None));
        let other = smtp_proto::response::parser::ResponseReceiver::default().parse(&mut bytes.as_bytes().iter());
        prop_assert_eq!(other.map(|other| other.code), Ok(code.number()));
    }

    #[test]
    fn pieces_of_any_size_are_read_alike_and_within_bounds(
        bytes in "(2[0-9]{2}[ -]([245]\\.[0-9]\\.[0-9] )?[a-z\u{0}-\u{ff}]{0,20}\r?\n?){0,12}",
        sizes in proptest::collection::vec(1..20_usize, 1..6),
    ) {
        let whole = read(bytes.as_bytes(), &[4096]);
        prop_assert_eq!(read(bytes.as_bytes(), &sizes), whole);
    }

    #[test]
    fn any_bytes_are_replies_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        let (replies, _) = read(&bytes, &[3]);
        for reply in replies {
            prop_assert!(written(&reply).len() <= MAX_REPLY_BYTES * 2);
        }
    }
}
